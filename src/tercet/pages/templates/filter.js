"use strict";
// Shows the segments whose texts hold what is searched for, and whose length is within the bounds.
const folded = text => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
for (const section of document.querySelectorAll(".segments")) {
  const controls = section.querySelector(".filter");
  const status = controls.querySelector("[role=status]");
  const given = name => controls.querySelector(`[name=${name}]`)?.value ?? "";
  const segments = [...section.querySelectorAll("article")].map(article => ({
    article,
    length: Number(article.dataset.length),
    texts: [...article.querySelectorAll("dd, .text")].map(each => folded(each.textContent)),
  }));
  const filter = () => {
    const text = folded(given("text"));
    const low = given("from") === "" ? -Infinity : Number(given("from"));
    const high = given("to") === "" ? Infinity : Number(given("to"));
    let shown = 0;
    for (const { article, length, texts } of segments) {
      const fits = !(length < low || length > high) && texts.some(each => each.includes(text));
      article.hidden = !fits;
      shown += fits;
    }
    status.textContent = `${shown} of ${segments.length} segments shown.`;
  };
  controls.addEventListener("input", filter);
  controls.hidden = false;
  filter();
}
