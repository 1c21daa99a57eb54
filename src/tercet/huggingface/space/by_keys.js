const reach = () => element.querySelectorAll("table, .scroll").forEach(box => {
    const isWide = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === "auto";
    box.classList.toggle("wide", isWide);
    if (isWide) box.tabIndex = 0;
});
addEventListener("resize", reach);
new MutationObserver(reach).observe(element, {childList: true, subtree: true});
element.addEventListener("toggle", reach, true);
