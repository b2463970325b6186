/* Tables: built from their texts when they are first opened, and sorted by a click on a column's name: down, up, and
   back as they were. */
"use strict";

const qtieTables = (() => {
  const NEXT = {none: "descending", descending: "ascending", ascending: "none"};
  const MARKS = {1: "strong", 2: "u"};

  function value(cell) {
    const number = Number(cell.textContent.trim().replaceAll(",", "").replace("−", "-").split(/\s/)[0]);
    return cell.textContent === "" || Number.isNaN(number) ? null : number;
  }

  function compare(column) {
    return (a, b) => {
      const x = value(a.cells[column]), y = value(b.cells[column]);
      if (x !== null && y !== null) return x - y;
      return a.cells[column].textContent.localeCompare(b.cells[column].textContent, undefined, {numeric: true});
    };
  }

  function sortBy(table, rows, head) {
    const order = NEXT[head.getAttribute("aria-sort") || "none"], sorted = [...rows];
    if (order !== "none") {
      sorted.sort(compare(head.cellIndex));
      if (order === "descending") sorted.reverse();
      const isEmpty = (row) => row.cells[head.cellIndex].textContent === "";
      sorted.sort((a, b) => isEmpty(a) - isEmpty(b)); // last, whichever way
    }
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    if (order !== "none") head.setAttribute("aria-sort", order);
    table.classList.toggle("sorted", order !== "none");
    table.tBodies[0].append(...sorted);
  }

  function makeSortable(table) {
    const rows = [...table.tBodies[0].rows];
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(table, rows, head));
    }
  }

  // {heads: [{name, numeric}], rows: [[text]], places: [[row, column, 1 | 2]], starts: [row]}; rows of `own` stand out.
  function build({heads, rows, places, starts}, own) {
    const table = document.createElement("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    for (const {name, numeric} of heads) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = numeric ? "number" : "";
      cell.textContent = name;
      head.append(cell);
    }
    for (const texts of rows) {
      const row = body.insertRow();
      row.classList.toggle("own", texts.includes(own));
      texts.forEach((text, column) => {
        const cell = row.insertCell();
        cell.className = heads[column].numeric ? "number" : "";
        cell.textContent = text;
      });
    }
    for (const number of starts) body.rows[number].classList.add("start");
    for (const [number, column, place] of places) {
      const cell = body.rows[number].cells[column], mark = document.createElement(MARKS[place]);
      mark.append(...cell.childNodes);
      cell.append(mark);
    }
    makeSortable(table);
    return table;
  }

  // Into a <details>, now or when it is opened.
  function place(details, data, own) {
    const show = () => {
      if (!details.open || details.querySelector("table")) return;
      const frame = document.createElement("div");
      frame.className = "wide";
      frame.tabIndex = 0;
      frame.setAttribute("role", "region");
      frame.setAttribute("aria-label", details.querySelector("summary").textContent);
      frame.append(build(data, own));
      details.querySelector("summary").after(frame);
    };
    details.addEventListener("toggle", show);
    show();
  }

  return {makeSortable, place};
})();
