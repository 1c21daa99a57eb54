"use strict";
// Shows the segments of a test set a page at a time, sorted and filtered; the data are packed into the page.
const SHOWN = 10;
const folded = text => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
const known = value => value !== null && value !== undefined;
const make = (tag, name, ...children) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
};
const unpack = async packed => {
  const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

// A text is a string, or pieces with the levels of their matches and the number of characters that were cut.
const plain = text => typeof text === "string" ? text : text[0].map(([, part]) => part).join("");
const written = (tag, name, text) => {
  const box = make(tag, name);
  box.dir = "auto";
  if (!plain(text)) box.append(make("i", "soft", "empty"));
  else if (typeof text === "string") box.append(text);
  else {
    for (const [level, part] of text[0]) box.append(level ? make("span", `m${level}`, part) : part);
    if (text[1]) box.append(make("span", "soft", ` … and ${text[1].toLocaleString("en")} characters more`));
  }
  return box;
};

class Browser {
  constructor(section, data) {
    this.data = data;
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

  difference({ score, one, other, systems }, place) {
    if (one !== null && other === null) return null;
    const values = systems.map(system => score.values[system][place]).filter(known);
    if (values.length < 2) return null;
    return other === null ? Math.max(...values) - Math.min(...values) : values[1] - values[0];
  }

  texts(place) {
    this.search ??= new Map();
    if (!this.search.has(place)) {
      const { source, references, outputs } = this.data;
      const texts = [...references[place], ...outputs.map(each => each[place]), ...(source ? [source[place]] : [])];
      this.search.set(place, texts.map(text => folded(plain(text))));
    }
    return this.search.get(place);
  }

  found(asked) {
    const asked_for = this.bound("number", null), text = folded(this.given("text")), way = this.given("way");
    const least = asked.systems.length > 1 ? this.bound("least", 0) : 0;
    const low = this.bound("from", -Infinity), high = this.bound("to", Infinity);
    const sign = asked.score.higher ? 1 : -1;
    const segments = [], chosen = this.data.slices.map((_, index) => this.bound(`slice${index}`, null));
    this.data.numbers.forEach((number, place) => {
      const difference = this.difference(asked, place);
      const length = this.data.lengths?.[place];
      if (known(asked_for) && number !== asked_for) return;
      if (known(length) && (length < low || length > high)) return;
      if (chosen.some((slice, index) => known(slice) && this.data.slices[index][place] !== slice)) return;
      if (least > 0 && !(Math.abs(difference ?? 0) >= least)) return;
      if (way && !((way === "better" ? sign : -sign) * (difference ?? 0) > 0 && asked.other !== null)) return;
      if (text && !this.texts(place).some(each => each.includes(text))) return;
      const values = asked.systems.map(system => asked.score.values[system][place]).filter(known);
      segments.push({ place, difference, lowest: Math.min(...values), highest: Math.max(...values) });
    });
    const worst = asked.score.higher ? each => each.lowest : each => -each.highest;
    const best = asked.score.higher ? each => -each.highest : each => each.lowest;
    const difference = each => known(each.difference) ? -Math.abs(each.difference) : 1;
    const key = {
      difference: asked.systems.length > 1 ? difference : worst, worst, best, number: () => 0,
    }[this.given("order")];
    return segments.sort((a, b) => key(a) - key(b) || a.place - b.place);
  }

  show() {
    const asked = this.asked(), segments = this.found(asked), last = Math.max(0, Math.ceil(segments.length / SHOWN) - 1);
    this.page = Math.min(this.page, last);
    const shown = segments.slice(this.page * SHOWN, (this.page + 1) * SHOWN);
    const count = value => value.toLocaleString("en");
    const from = count(this.page * SHOWN + 1), to = count(this.page * SHOWN + shown.length);
    this.status.textContent = shown.length
      ? `${from} to ${to} of ${count(segments.length)} segments.` : "No segment matches.";
    const [before, after] = this.pages.querySelectorAll("button");
    before.disabled = this.page === 0;
    after.disabled = this.page === last;
    this.pages.hidden = last === 0;
    const alone = asked.one !== null && asked.other === null;
    const off = { other: asked.one === null, way: asked.other === null, least: alone };
    for (const [name, disabled] of Object.entries(off)) {
      const box = this.controls.querySelector(`[name=${name}]`);
      if (box) box.disabled = disabled;
    }
    if (this.legend) this.legend.hidden = !shown.some(({ place }) => this.data.coloured[place]);
    this.list.replaceChildren(...shown.map(({ place, difference }) => this.article(asked, place, difference)));
  }

  article(asked, place, difference) {
    const { source, references, more, numbers, outputs, systems, coloured } = this.data;
    const texts = make("dl", "");
    if (source) texts.append(make("dt", "", "source"), written("dd", "", source[place]));
    references[place].forEach((text, index) => {
      const label = references[place].length > 1 ? `reference ${index + 1}` : "reference";
      texts.append(make("dt", "", label), written("dd", "", text));
    });
    const boxes = asked.systems.map(system => {
      const value = asked.score.values[system][place];
      const beside = system === asked.one && known(difference)
        ? ` (${difference < 0 ? "" : "+"}${difference.toFixed(2)})` : "";
      const number = known(value) ? `${asked.score.title} ${value.toFixed(2)}${beside}` : "not scored";
      const who = make("p", "who", make("b", "", make("bdi", "", systems[system])), " ", make("span", "number", number));
      return make("div", "output", who, written("p", "text", outputs[system][place]));
    });
    const rest = more[place] ? [make("p", "soft", `and ${more[place]} more references`)] : [];
    const bare = coloured.includes(true) && !coloured[place] ? ", without colours" : "";
    const title = make("h5", "", `Segment ${numbers[place].toLocaleString("en")}${bare}`);
    return make("article", "example", title, texts, ...rest, make("div", "outputs", ...boxes));
  }
}

for (const section of document.querySelectorAll(".segments")) {
  section.addEventListener("toggle", async () => {
    const packed = section.querySelector(".packed");
    if (!packed) return;
    const status = section.querySelector("[role=status]");
    if (typeof DecompressionStream === "undefined") {
      status.textContent = "This browser is too old to unpack the segments: one of 2023 or later can.";
      return;
    }
    const data = packed.textContent;
    packed.remove();
    status.textContent = "Unpacking the segments …";
    new Browser(section, await unpack(data));
  });
}
