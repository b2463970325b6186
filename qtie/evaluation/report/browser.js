/* The browser of queries: a filtered list, and of the chosen query both rankings with their reasons.
   All that comes from data is set as text and never parsed as HTML. */
"use strict";

function qtieBrowser(cases) {
  const BEFORE = "none", {make} = qtieElements;
  const OUTCOMES = {
    "": "all",
    better: "better",
    worse: "worse",
    equal: "equal",
    mended: "first document mended",
    broken: "first document broken",
    wrong: "first document still wrong",
  };
  const filters = document.getElementById("filters"), list = document.getElementById("list");
  const view = document.getElementById("case");
  let chosen = null, drawn = null;

  /* ---- what became of a query ---- */

  function mainMeasure(one) {
    const names = Object.keys(one.measures[BEFORE] || {});
    return names.find((name) => name === "nDCG@10") || names[0] || null;
  }

  function change(one, after) {
    const measure = mainMeasure(one), a = (one.measures[BEFORE] || {})[measure], b = (one.measures[after] || {})[measure];
    return Number.isFinite(a) && Number.isFinite(b) ? b - a : 0;
  }

  function outcomes(one, after) {
    const moved = change(one, after), was = one.right[BEFORE], is = one.right[after];
    return {
      better: moved > 0, worse: moved < 0, equal: moved === 0,
      mended: !was && is, broken: was && !is, wrong: !was && !is,
    };
  }

  /* ---- the list ---- */

  function fill(name, options) {
    const select = filters.elements[name];
    for (const [value, label] of options) select.append(new Option(label, value));
    select.closest("label").hidden = options.length < 2;
  }

  function fillFilters() {
    const values = (key) => [...new Set(cases.map((one) => one[key]))].filter(Boolean).map((value) => [value, value]);
    const rankers = [...new Set(cases.flatMap((one) => Object.keys(one.rankings)))].filter((name) => name !== BEFORE);
    for (const key of ["dataset", "retriever", "subset"]) {
      const options = values(key);
      fill(key, options.length > 1 ? [["", "all"], ...options] : options);
    }
    fill("after", rankers.map((name) => [name, `${BEFORE} → ${name}`]));
    fill("outcome", Object.entries(OUTCOMES));
  }

  function matching() {
    const wanted = Object.fromEntries(new FormData(filters));
    const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
    return cases.filter((one) =>
      ["dataset", "retriever", "subset"].every((key) => !wanted[key] || one[key] === wanted[key])
      && one.rankings[wanted.after]
      && (!wanted.outcome || outcomes(one, wanted.after)[wanted.outcome])
      && words.every((word) => queryOf(one).toLowerCase().includes(word)));
  }

  const queryOf = (one) => one.pieces.map(([text]) => text).join("");
  const place = (one) => [one.dataset, one.retriever, one.query_id].map(encodeURIComponent).join("/");

  function badge(one, after) {
    const moved = change(one, after), kind = moved > 0 ? "better" : moved < 0 ? "worse" : "equal";
    const label = moved ? `${moved > 0 ? "+" : "−"}${Math.abs(100 * moved).toFixed(0)}` : "=";
    const made = make("span", `badge ${kind}`, label);
    made.title = `${mainMeasure(one)}, points`;
    return made;
  }

  function showList() {
    const found = matching(), after = filters.elements.after.value;
    document.getElementById("found").textContent = `${found.length.toLocaleString("en")} of ${cases.length.toLocaleString("en")}`;
    list.replaceChildren(...found.map((one) => {
      const where = make("small", "", `${one.dataset} · ${one.retriever}`);
      const button = make("button", "", badge(one, after), make("span", "text", queryOf(one)), where);
      button.type = "button";
      button.dataset.place = place(one);
      button.addEventListener("click", () => choose(one, true));
      return make("li", "", button);
    }));
    if (!found.length) list.append(make("li", "nothing", "No query is like that."));
    const kept = found.find((one) => one === chosen) || found[0];
    if (kept) choose(kept, false);
    else view.replaceChildren();
  }

  list.addEventListener("keydown", (event) => {
    const item = event.target.closest("li");
    const next = {ArrowDown: item.nextElementSibling, ArrowUp: item.previousElementSibling, Home: list.firstElementChild, End: list.lastElementChild}[event.key];
    if (!next) return;
    event.preventDefault();
    next.firstElementChild.focus();
    next.firstElementChild.click();
  });

  /* ---- one query ---- */

  function choose(one, isAsked) {
    chosen = one;
    for (const button of list.querySelectorAll("button")) {
      if (button.dataset.place === place(one)) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    if (isAsked) history.replaceState(null, "", `#query/${place(one)}`);
    showCase(one, filters.elements.after.value);
  }

  function showCase(one, after) {
    const query = make("h3", "query", ...one.pieces.map(([text, isTime]) => isTime ? make("mark", "", text) : text));
    const figure = make("div", "timeline");
    const lists = [BEFORE, after].filter((name) => one.rankings[name]).map((name) => rankingList(one, name, after));
    view.replaceChildren(query, chips(one), readings(one), measures(one, after), figure, make("div", "lists", ...lists), note(after));
    const rows = one.rankings[after];
    const data = {intervals: one.intervals, reference_date: one.reference_date, documents: rows};
    if (drawn) drawn.destroy();
    drawn = qtieTimeline(figure, data, {onChoose: (docId) => mark(docId, true)});
  }

  // The same document in both lists and on the timeline.
  function mark(docId, isScrolled) {
    drawn.choose(docId);
    qtieDocuments.choose(view, docId, isScrolled);
  }

  function chips(one) {
    const chip = (kind, label, value) => value ? make("span", `chip ${kind}`, make("b", "", label), ` ${value}`) : null;
    const asked = one.intervals.map(qtieDays.shownTime).join(" or ");
    const gold = one.gold_interval && qtieDays.shownTime(one.gold_interval);
    return make("p", "chips",
      chip("asked", "asked", asked || "no interval"),
      gold === asked ? chip("gold", "gold", "the same") : chip("gold wrong", "gold", gold),
      chip("", "expression", one.expression), chip("", "subset", one.subset),
      chip("", "asked on", one.reference_date), chip("", "relevant", String(one.n_relevant)), chip("", "id", one.query_id));
  }

  const readings = (one) => make("p", "reading", ...one.reading.flatMap((line, index) => index ? [make("br"), line] : [line]));

  function measures(one, after) {
    const names = Object.keys(one.measures[after] || {}), made = make("p", "measures");
    for (const name of names) {
      const a = (one.measures[BEFORE] || {})[name], b = one.measures[after][name];
      const shown = (value) => Number.isFinite(value) ? (100 * value).toFixed(1) : "–";
      const kind = b > a ? "better" : b < a ? "worse" : "equal";
      made.append(make("span", "measure", make("small", "", name), ` ${shown(a)} → `, make("b", kind, shown(b))));
    }
    return made;
  }

  function rankingList(one, name, after) {
    const rows = one.rankings[name], isRight = one.right[name];
    const verdict = make("span", isRight ? "verdict right" : "verdict wrong", isRight ? "first is relevant" : "first is not relevant");
    const title = make("h4", "", name === after ? "After" : "Before", " ", make("code", "", name), " ", verdict);
    const list = qtieDocuments.list(rows, {isMoved: name === after, onChoose: (docId) => mark(docId, false)});
    return make("section", "ranking", title, list);
  }

  const note = (after) => make("p", "note",
    `S_sem, S_temp and the relation are those of qtie's own reading in both lists; score is what ${BEFORE} or ${after} sorts by. The timeline shows the ranking after.`);

  /* ---- start ---- */

  filters.addEventListener("input", showList);
  filters.addEventListener("submit", (event) => event.preventDefault());

  fillFilters();
  const linked = cases.find((one) => location.hash === `#query/${place(one)}`);
  chosen = linked || null;
  showList();
  if (linked) document.getElementById("queries").scrollIntoView();
}
