// Shows the segments of a test set a page at a time, sorted and filtered; the data are packed into the page.
const SHOWN = 10;
const folded = text => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
// A sign for each control character, as they are invisible, or a box, otherwise.
const pictured = text => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, letter => {
  const code = letter.charCodeAt(0);
  return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "\u2421" : "\ufffd";
});
const minus = number => number.replace("-", "\u2212");
const counted = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
const known = value => value !== null && value !== undefined;
const make = (tag, name, ...children) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
};
// The scores of each segment, and of its texts the source, the references and the outputs.
const HALF = 1 << 15;
const arranged = data => {
  const n = data.systems.length;
  for (const score of data.scores) {
    let sum = 0;
    const distinct = [null, ...score.steps.map(step => (sum += step) / 10 ** (score.digits + 2))];
    const number = at => distinct[score.high.charCodeAt(at) * HALF + score.low.charCodeAt(at)];
    score.values = data.numbers.map((_, segment) => data.systems.map((_, system) => number(segment * n + system)));
  }
  data.outputs = data.texts.map(texts => texts.splice(-n));
  data.source = data.has_source ? data.texts.map(texts => texts.shift()) : null;
  data.references = data.texts;
  return data;
};

// A text is a string, or pieces with the levels of their matches and the number of characters that were cut.
const plain = text => typeof text === "string" ? text : text[0].map(([, part]) => part).join("");
const written = (tag, name, text) => {
  const box = make(tag, name);
  box.dir = "auto";
  if (!plain(text)) box.append(make("i", "soft", "empty"));
  else if (typeof text === "string") box.append(pictured(text));
  else {
    for (const [level, part] of text[0]) {
      box.append(level ? make("span", `m${level}`, pictured(part)) : pictured(part));
    }
    if (text[1]) box.append(make("span", "soft", ` … and ${counted(text[1], "character")} more`));
  }
  return box;
};

// The words of two texts that the longest common row of words leaves out: of each a list of [changed, words].
const MOST_WORDS = 600;
const words = text => plain(text).match(/\s*[\p{L}\p{N}\p{M}]+|\s*\S|\s+/gu) ?? [];
const changes = (one, other) => {
  const [a, b] = [words(one), words(other)], same = (i, j) => a[i].trim() === b[j].trim();
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return null;
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i][j] = same(i, j) ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const rows = [[], []];
  const add = (row, changed, word) => {
    if (row.at(-1)?.[0] === changed) row.at(-1)[1] += word;
    else row.push([changed, word]);
  };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && same(i, j)) {
      add(rows[0], false, a[i++]);
      add(rows[1], false, b[j++]);
    } else if (j === b.length || (i < a.length && longest[i + 1][j] >= longest[i][j + 1])) add(rows[0], true, a[i++]);
    else add(rows[1], true, b[j++]);
  }
  return rows;
};
const compared = (tag, row) => {
  const box = make("p", "text");
  box.dir = "auto";
  for (const [changed, raw] of row) {
    const part = pictured(raw);
    const blank = changed ? part.match(/^\s*/)[0] : "";
    if (blank) box.append(blank);
    box.append(changed ? make(tag, "", part.slice(blank.length)) : part);
  }
  return box;
};

class Browser {
  constructor(section, data) {
    this.data = data;
    this.prefix = section.dataset.prefix;
    this.list = section.querySelector(".found");
    this.controls = section.querySelector(".filter");
    this.status = section.querySelector("[role=status]");
    this.pages = section.querySelector(".pages");
    this.legend = section.querySelector(".legend");
    this.page = 0;
    this.controls.addEventListener("input", () => { this.page = 0; this.show(); });
    const [before, after] = this.pages.querySelectorAll("button");
    before.addEventListener("click", () => this.turn(-1));
    after.addEventListener("click", () => this.turn(1));
    this.controls.hidden = false;
    this.show();
  }

  given(name) { return this.controls.querySelector(`[name=${name}]`)?.value ?? ""; }

  // Shows one segment, whatever else is chosen.
  find(number) {
    for (const box of this.controls.querySelectorAll("input:not([type=hidden])")) box.value = "";
    for (const box of this.controls.querySelectorAll("[name=way], [name^=slice]")) box.value = "";
    this.controls.querySelector("[name=number]").value = number;
    this.page = 0;
    this.show();
    this.select(0);
  }

  // Moves to a segment of this page, and over its ends to those before and after.
  select(index) {
    const articles = [...this.list.children], last = Math.max(0, Math.ceil(this.count / SHOWN) - 1);
    if (index < 0 && this.page > 0) return this.turn(-1), this.select(SHOWN - 1);
    if (index >= articles.length && this.page < last) return this.turn(1), this.select(0);
    const article = articles[Math.max(0, Math.min(index, articles.length - 1))];
    article?.focus({ preventScroll: true });
    article?.scrollIntoView({ block: "nearest" });
  }

  key(name) {
    const index = [...this.list.children].findIndex(article => article.contains(document.activeElement));
    if (name === "/") this.controls.querySelector("[name=text]").focus();
    else this.select(name === "j" ? index + 1 : Math.max(index, 0) - 1);
  }

  bound(name, otherwise) { return this.given(name) === "" ? otherwise : Number(this.given(name)); }

  turn(by) {
    this.page += by;
    this.show();
    this.list.closest("details").scrollIntoView();
  }

  // What the controls ask for: a score, two systems, or one beside none, or all.
  asked() {
    const score = this.data.scores[Number(this.given("score"))];
    const all = this.data.systems.map((_, index) => index);
    const one = this.given("one") === "" ? null : Number(this.given("one"));
    const other = one === null || this.given("other") === "" ? null : Number(this.given("other"));
    const pair = other !== null && other !== one;
    return { score, one, other: pair ? other : null, systems: one === null ? all : pair ? [other, one] : [one] };
  }

  difference({ score, one, other, systems }, segment) {
    if (one !== null && other === null) return null;
    const values = systems.map(system => score.values[segment][system]).filter(known);
    if (values.length < 2) return null;
    return other === null ? Math.max(...values) - Math.min(...values) : values[1] - values[0];
  }

  texts(segment) {
    this.search ??= new Map();
    if (!this.search.has(segment)) {
      const { source, references, outputs } = this.data;
      const texts = [...references[segment], ...outputs[segment], ...(source ? [source[segment]] : [])];
      this.search.set(segment, texts.map(text => folded(plain(text))));
    }
    return this.search.get(segment);
  }

  found(asked) {
    const asked_for = this.bound("number", null), text = folded(this.given("text")), way = this.given("way");
    const least = asked.systems.length > 1 ? this.bound("least", 0) : 0;
    const low = this.bound("from", -Infinity), high = this.bound("to", Infinity);
    const sign = asked.score.higher ? 1 : -1;
    const segments = [], chosen = this.data.slices.map((_, index) => this.bound(`slice${index}`, null));
    this.data.numbers.forEach((number, segment) => {
      const difference = this.difference(asked, segment);
      const length = this.data.lengths?.[segment];
      if (known(asked_for) && number !== asked_for) return;
      if (known(length) && (length < low || length > high)) return;
      if (chosen.some((slice, index) => known(slice) && this.data.slices[index][segment] !== slice)) return;
      if (least > 0 && !(Math.abs(difference ?? 0) >= least)) return;
      if (way && !((way === "better" ? sign : -sign) * (difference ?? 0) > 0 && asked.other !== null)) return;
      if (text && !this.texts(segment).some(each => each.includes(text))) return;
      const values = asked.systems.map(system => asked.score.values[segment][system]).filter(known);
      segments.push({ segment, difference, lowest: Math.min(...values), highest: Math.max(...values) });
    });
    const worst = asked.score.higher ? each => each.lowest : each => -each.highest;
    const best = asked.score.higher ? each => -each.highest : each => each.lowest;
    const difference = each => known(each.difference) ? -Math.abs(each.difference) : 1;
    const key = {
      difference: asked.systems.length > 1 ? difference : worst, worst, best, number: () => 0,
      losses: asked.other === null ? difference : each => known(each.difference) ? sign * each.difference : Infinity,
    }[this.given("order")];
    return segments.sort((a, b) => key(a) - key(b) || a.segment - b.segment);
  }

  show() {
    const asked = this.asked(), segments = this.found(asked), last = Math.max(0, Math.ceil(segments.length / SHOWN) - 1);
    this.page = Math.min(this.page, last);
    this.count = segments.length;
    const shown = segments.slice(this.page * SHOWN, (this.page + 1) * SHOWN);
    const count = value => value.toLocaleString("en");
    const from = count(this.page * SHOWN + 1), to = count(this.page * SHOWN + shown.length);
    this.status.textContent = shown.length
      ? `${from} to ${to} of ${counted(segments.length, "segment")}.` : "No segment matches.";
    const [before, after] = this.pages.querySelectorAll("button");
    before.disabled = this.page === 0;
    after.disabled = this.page === last;
    this.pages.hidden = last === 0;
    const alone = asked.one !== null && asked.other === null;
    const off = { other: asked.one === null, way: asked.other === null, least: alone, marked: asked.other === null };
    for (const [name, disabled] of Object.entries(off)) {
      const box = this.controls.querySelector(`[name=${name}]`);
      if (box) box.disabled = disabled;
    }
    this.words = asked.other !== null && this.given("marked") === "words";
    if (this.legend) this.legend.hidden = this.words || !shown.some(({ segment }) => this.data.coloured[segment]);
    this.list.replaceChildren(...shown.map(({ segment, difference }) => this.article(asked, segment, difference)));
  }

  article(asked, segment, difference) {
    const { source, references, more, numbers, outputs, systems, coloured } = this.data;
    const texts = make("dl", "");
    if (source) texts.append(make("dt", "", "source"), written("dd", "", source[segment]));
    references[segment].forEach((text, index) => {
      const label = references[segment].length > 1 ? `reference ${index + 1}` : "reference";
      texts.append(make("dt", "", label), written("dd", "", text));
    });
    const pair = asked.systems.map(system => outputs[segment][system]);
    const rows = this.words ? changes(...pair) : null;
    const boxes = asked.systems.map((system, which) => {
      const value = asked.score.values[segment][system];
      const beside = system === asked.one && known(difference)
        ? ` (${difference < 0 ? "" : "+"}${minus(difference.toFixed(asked.score.digits))})` : "";
      const number = known(value) ? `${asked.score.title} ${minus(value.toFixed(asked.score.digits))}${beside}` : "not scored";
      const who = make("p", "who", make("b", "", make("bdi", "", pictured(systems[system]))), " ", make("span", "number", number));
      const text = rows ? compared(which ? "ins" : "del", rows[which]) : written("p", "text", pair[which]);
      return make("div", "output", who, text);
    });
    const rest = more[segment] ? [make("p", "soft", `and ${counted(more[segment], "more reference")}`)] : [];
    const bare = coloured.includes(true) && !coloured[segment] && !rows ? ", without colours" : "";
    const link = make("a", "", `Segment ${numbers[segment].toLocaleString("en")}`);
    link.href = `#${this.prefix}-s${numbers[segment]}`;
    const article = make("article", "example", make("h5", "", link, bare), texts, ...rest, make("div", "outputs", ...boxes));
    article.tabIndex = -1;
    return article;
  }
}

// By prefix of the test set; the last one that was used has the keys.
const browsers = new Map();
let latest = null;
const open = async section => {
  const packed = section.querySelector(".packed");
  if (!packed) return;
  const status = section.querySelector("[role=status]");
  if (typeof DecompressionStream === "undefined") {
    status.textContent = TOO_OLD;
    return;
  }
  packed.remove();
  status.textContent = "Unpacking the segments …";
  latest = new Browser(section, arranged(await unpack(packed)));
  browsers.set(section.dataset.prefix, latest);
  for (const event of ["focusin", "pointerdown"]) {
    section.addEventListener(event, () => { latest = browsers.get(section.dataset.prefix); });
  }
  follow();
};
// Shows the segment that the address names.
const follow = () => {
  const [, prefix, number] = /^#(t\d+)-s(\d+)$/.exec(location.hash) ?? [];
  const section = document.querySelector(`.segments[data-prefix="${prefix}"]`);
  if (!section) return;
  section.open = true;
  browsers.get(prefix)?.find(Number(number));
};
// Also of sections that a page is given later.
document.addEventListener("toggle", ({ target }) => { if (target.matches(".segments")) open(target); }, true);
addEventListener("hashchange", follow);
addEventListener("keydown", event => {
  const writing = event.target.closest?.("input, select, textarea");
  if (!latest?.list.checkVisibility() || event.ctrlKey || event.metaKey || event.altKey) return;
  if (writing && event.key === "Escape") writing.blur();
  if (writing || !["j", "k", "/"].includes(event.key)) return;
  event.preventDefault();
  latest.key(event.key);
});
follow();
