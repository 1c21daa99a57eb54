// Sorts the rows of a table of many systems, and finds systems by a part of their names.
class Order {
  // Buttons in the head, a menu where the head has no room, and a field for a part of a name.
  constructor(table) {
    this.table = table;
    const heads = [...table.element.tHead.rows[0].cells];
    const of_scores = heads.filter(head => head.classList.contains("score")).slice(0, table.scores.length);
    const of_names = heads.find(head => !head.matches(".score, .ranks"));
    this.heads = [of_names, ...of_scores];
    const menu = make("select", "");
    this.heads.forEach((head, column) => {
      const title = head.firstChild.textContent.trim(), button = make("button", "", title);
      button.type = "button";
      button.addEventListener("click", () => {
        const again = this.sorted_by === column;
        this.sort(column, again && !this.turned);
        menu.value = column;
      });
      head.firstChild.replaceWith(button);
      menu.append(Object.assign(make("option", "", title), { value: column }));
    });
    menu.value = 1;
    menu.addEventListener("change", () => this.sort(Number(menu.value), false));
    this.search = Object.assign(make("input", ""), { type: "search" });
    this.search.addEventListener("input", () => this.filter());
    this.counted = make("span", "");
    this.counted.setAttribute("role", "status");
    table.tools.append(make("label", "by", "sort by ", menu), make("label", "", "find systems ", this.search), this.counted);
  }

  sort(column, turned) {
    this.sorted_by = column;
    this.turned = turned;
    const way = turned ? -1 : 1, score = this.table.scores[column - 1];
    const key = row => score.values[this.table.system(row)];
    const names = row => this.table.data.systems[this.table.system(row)];
    const by_name = (a, b) => way * names(a).localeCompare(names(b));
    const by_score = (a, b) => {
      // What has no score is last.
      if (!known(key(a)) || !known(key(b))) return known(key(b)) - known(key(a));
      return way * (score.higher ? key(b) - key(a) : key(a) - key(b));
    };
    // A sort keeps the order of equal rows: that of the page.
    this.table.body.append(...[...this.table.rows].sort(column === 0 ? by_name : by_score));
    for (const head of this.heads) head.removeAttribute("aria-sort");
    const rising = column === 0 ? !turned : score.higher === turned;
    this.heads[column].setAttribute("aria-sort", rising ? "ascending" : "descending");
    this.unlined();
  }

  filter() {
    const part = folded(this.search.value);
    for (const row of this.table.rows) row.hidden = !folded(this.table.data.systems[this.table.system(row)]).includes(part);
    const n = this.table.rows.filter(row => !row.hidden).length;
    this.counted.textContent = part ? `${n} of ${this.table.rows.length} systems` : "";
    this.unlined();
  }

  // Lines between groups hold in the order of the page only.
  unlined() {
    const changed = this.table.rows.some((row, index) => row.hidden || this.table.body.rows[index] !== row);
    this.table.element.classList.toggle("sorted", changed);
  }
}
