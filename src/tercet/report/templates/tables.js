// Copies what a page says, and changes its tables of scores: another baseline.
// A number as Python writes it: a half goes to the even digit.
const LEFT_OVER = 60;
const fixed = (value, digits) => {
  const size = Math.abs(value), exact = size.toFixed(digits + LEFT_OVER);
  const kept = exact.slice(0, -LEFT_OVER), is_half = /^50*$/.test(exact.slice(-LEFT_OVER));
  return is_half && /[02468]$/.test(kept) ? kept : size.toFixed(digits);
};
const signed = (value, digits) => minus((value < 0 ? "-" : "+") + fixed(value, digits));

// The difference of a system from another one by a score, with its p, and whether it is better.
const difference = (score, system, other) => {
  const n = score.values.length, first = Math.min(system, other), second = Math.max(system, other);
  const [p, marked] = score.p[score.pairs[first * n - first * (first + 1) / 2 + second - first - 1]];
  if (!known(score.values[system]) || !known(score.values[other])) return { text: "NaN", p, way: "" };
  const value = score.values[system] - score.values[other];
  const way = !marked ? "" : value > 0 === score.higher ? "better" : "worse";
  return { text: signed(value, score.digits), p, way };
};

// Gives texts that stand below each other one width, and the head above them.
const aligned = (spans, head, extra) => {
  const width = Math.max(...spans.map(span => span.textContent.length));
  for (const span of spans) span.style.width = `${width}ch`;
  if (head) head.style.width = extra ? `calc(${width}ch + ${extra})` : `${width}ch`;
};

class ScoreTable {
  constructor(element, data, number) {
    this.element = element;
    this.data = data;
    this.key = element.dataset.key;
    this.scores = element.dataset.scores.split(" ").map(index => data.scores[index]);
    this.body = element.tBodies[0];
    this.rows = [...this.body.rows];
    this.of_one = this.rows[0].querySelector("td.p") !== null;
    this.known = this.rows.map(row => ["small.of", ".counts"].map(name => row.querySelector(name)?.textContent));
    this.tools = make("div", "tools");
    element.closest(".scroll").before(this.tools);
    if (data.baseline !== null) this.choosable(number);
    if ("many" in element.dataset) new Order(this);
  }

  system(row) { return Number(row.dataset.system); }

  // A round button in each row, which makes its system the baseline, as a click on the row does.
  choosable(number) {
    this.said = make("span", "");
    if (number === 0) this.said.setAttribute("role", "status");
    this.back = make("button", "");
    this.back.type = "button";
    this.back.addEventListener("click", () => choose(this.key, this.data.baseline));
    this.tools.append(this.said, this.back);
    this.element.classList.add("chosen");
    for (const row of this.rows) {
      const button = make("input", "");
      Object.assign(button, { type: "radio", name: `${this.key}-baseline-${number}` });
      button.setAttribute("aria-label", `${this.data.systems[this.system(row)]} is the baseline`);
      button.addEventListener("change", () => choose(this.key, this.system(row)));
      row.querySelector("th").prepend(button);
      row.addEventListener("click", event => {
        if (!event.target.closest("a, input") && getSelection().isCollapsed) choose(this.key, this.system(row));
      });
    }
    this.say(this.data.baseline);
  }

  compare(baseline) {
    this.element.classList.toggle("changed", baseline !== this.data.baseline);
    this.rows.forEach((row, index) => {
      const cells = this.of_one ? [row] : [...row.querySelectorAll("td.score")];
      cells.forEach((cell, column) => this.fill(cell, this.scores[column], this.system(row), baseline));
      if (this.of_one) this.known_of(row, index, baseline);
    });
    this.scores.forEach((_, column) => this.align(column, baseline));
    const row = this.rows.find(row => this.system(row) === baseline);
    row.querySelector("th").append(" ", this.body.querySelector(".tag"));
    this.say(baseline);
  }

  fill(cell, score, system, baseline) {
    const { text, p, way } = system === baseline ? { text: "", p: "", way: "" } : difference(score, system, baseline);
    const box = cell.querySelector(".tests"), sign = box.querySelector(".sign");
    box.querySelector("span:not(.drawn)").textContent = text;
    cell.querySelector(".p").textContent = p;
    for (const name of ["better", "worse"]) box.classList.toggle(name, way === name);
    sign.replaceChildren(...(way ? [make("b", "", way === "better" ? "▲" : "▼")] : []));
  }

  // Intervals and counts, of which a page has those of its baseline: of another one, beside that baseline only.
  known_of(row, index, baseline) {
    const system = this.system(row), [score] = this.scores;
    const beside = system === this.data.baseline ? score.mirrored[baseline] : ["", ""];
    const [interval, counts] = baseline === this.data.baseline ? this.known[index] : beside;
    row.querySelector("small.of").textContent = interval;
    row.querySelector(".counts").textContent = counts;
    const box = row.querySelector("td.tests");
    if (system === baseline) delete box.dataset.label;
    else box.dataset.label = "Δ";
  }

  // Widths of numbers, and the dashed line at the baseline's score.
  align(column, baseline) {
    const cells = this.rows.map(row => row.querySelectorAll("td.score:not(.tests)")[column]);
    const boxes = this.of_one ? this.rows.map(row => row.querySelector("td.tests")) : cells;
    const head = this.of_one ? null : this.element.tHead.querySelectorAll(".heads .tests")[column];
    const selector = this.of_one ? ".drawn > span" : ".tests > span";
    aligned(boxes.map(box => box.querySelector(selector)), head?.children[0], "1.5em");
    if (head) aligned(boxes.map(box => box.querySelector(".p")), head.children[1], "");
    const chosen = this.rows.findIndex(row => this.system(row) === baseline);
    const x = cells[chosen].querySelector(".bar svg")?.getAttribute("x");
    for (const line of cells.map(cell => cell.querySelector(".bar > .base")).filter(known)) {
      line.style.visibility = known(x) ? "" : "hidden";
      if (known(x)) for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    }
  }

  say(baseline) {
    const name = system => make("bdi", "", pictured(this.data.systems[system]));
    const first = this.data.baseline, changed = baseline !== first;
    this.said.className = changed ? "changed" : "";
    this.back.hidden = !changed;
    if (changed) {
      const what = this.of_one ? "Sentences, intervals of differences and counts are" : "The sentences are";
      this.said.replaceChildren("Compared with ", name(baseline), `. ${what} of the comparison with `, name(first), ".");
      this.back.replaceChildren("Back to ", name(first));
    } else this.said.replaceChildren("Choose a row: all others are compared with it.");
    for (const row of this.rows) row.querySelector("th input").checked = this.system(row) === baseline;
  }
}

const tables = [];
const choose = (key, baseline) => {
  for (const table of tables.filter(each => each.key === key)) table.compare(baseline);
  const name = tables.find(each => each.key === key).data.systems[baseline];
  const section = document.getElementById(key);
  for (const called of section?.querySelectorAll(".against") ?? []) called.textContent = pictured(name);
};

// Whether a text was copied; pages that are no secure context, as in a frame, have no clipboard but the older way.
const copied = async text => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const box = make("textarea", "", text), before = document.activeElement;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    before?.focus();
    return done;
  }
};
const copyable = (box, texts) => {
  const status = box.querySelector("[role=status]"), verdict = box.parentElement.querySelector(".verdict");
  const sentence = verdict?.textContent.replace(/\s+/g, " ").trim();
  if (!sentence) box.querySelector("[name=sentence]").remove();
  box.addEventListener("click", async ({ target }) => {
    const name = target.closest("button")?.name;
    if (!name) return;
    const text = name === "sentence" ? sentence : texts[name];
    box.querySelector("textarea")?.remove();
    status.textContent = "";
    if (await copied(text)) {
      status.textContent = "Copied.";
      return;
    }
    const shown = make("textarea", "", text);
    shown.readOnly = true;
    shown.setAttribute("aria-label", "text to copy");
    box.append(shown);
    shown.select();
    status.textContent = "This browser does not let pages copy: copy the text below.";
  });
  box.hidden = false;
};

const start_tables = async () => {
  for (const mention of document.querySelectorAll("[data-segment]")) {
    const link = make("a", "", ...mention.childNodes);
    link.href = `#${mention.dataset.segment}`;
    mention.replaceWith(link);
  }
  if (typeof DecompressionStream === "undefined") return;
  const data = await unpack(document.querySelector("#tables > .packed"));
  for (const box of document.querySelectorAll(".copy")) copyable(box, data.copies[box.dataset.key]);
  for (const element of document.querySelectorAll("table[data-key]")) {
    const key = element.dataset.key;
    tables.push(new ScoreTable(element, data.tables[key], tables.filter(each => each.key === key).length));
  }
};
start_tables();
