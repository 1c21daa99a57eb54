// A table that is wider than the window is moved by the arrow keys, too.
document$.subscribe(() => requestAnimationFrame(() => {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap")) table.tabIndex = 0;
}));
