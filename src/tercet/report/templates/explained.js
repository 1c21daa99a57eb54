// Shows what explains a score; the first that is opened unpacks all.
let explanations = null;
for (const box of document.querySelectorAll("[data-packed]")) {
  box.closest("details").addEventListener("toggle", async () => {
    if (typeof DecompressionStream === "undefined") box.textContent = TOO_OLD;
    else box.innerHTML = (await (explanations ??= unpack(document.querySelector(".packed"))))[box.dataset.packed];
  }, { once: true });
}
