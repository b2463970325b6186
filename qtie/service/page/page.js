/* The page: asks how the query is read, for the ranking by topic alone, and for that by topic and time; shows all three.
   Texts of queries and documents are set as text and never parsed as HTML. */
"use strict";

(() => {
  const {make} = qtieElements, {shownTime} = qtieDays;
  const K = 10, WAIT_MS = 150;
  const EXAMPLE = [
    {text: "Elke Brandt leads the ministry.", timestamp: "2019-05-06", score: 0.82},
    {text: "Jonas Weber takes over the ministry.", timestamp: "2016-03-14", score: 0.74},
    {text: "Who led the ministry?", score: 0.71},
  ];
  const at = (id) => document.getElementById(id);
  const form = at("asking"), fields = form.elements;
  let info = null, days = null, drawn = null, chosen = null, shown = null, waiting = 0; // days: those that the reader chose, as EDTF

  /* ---- what is asked ---- */

  function pasted() {
    const text = fields.pasted.value.trim();
    let records;
    try {
      records = JSON.parse(text);
    } catch {
      records = text.split("\n").filter((line) => line.trim()).map((line, index) => {
        try {
          return JSON.parse(line);
        } catch (error) {
          throw new Error(`Line ${index + 1} of the documents is no JSON: ${error.message}`);
        }
      });
    }
    if (!Array.isArray(records)) records = records?.documents || [records];
    return records;
  }

  // The request for the two rankings, but for the weight.
  function request(intent) {
    const isPasted = fields.source.value === "pasted";
    const body = {query: fields.query.value, reference_date: fields.reference_date.value || undefined, explain: true};
    if (fields.ignore_time.checked) body.ignore_time = true;
    else if (days) body.intent = qtieReading.withDays(intent, days);
    if (isPasted) return ["rerank", {...body, documents: pasted(), return_documents: true}];
    return ["search", {...body, k: K}];
  }

  const read = qtieService.remembered((query, reference_date) => qtieService.call("intent", {query, reference_date}));
  const rankBefore = qtieService.remembered((path, body) => qtieService.call(path, {...body, temporal_weight: 0, mode: "soft", missing: "neutral"}));

  async function ask() {
    try {
      if (!info) await prepare();
      if (!fields.query.value.trim()) return showNothing();
      const intent = await read(fields.query.value, fields.reference_date.value || undefined);
      showReading(intent);
      const [path, body] = request(intent), weighed = {...body, temporal_weight: fields.temporal_weight.valueAsNumber};
      const [before, after] = await Promise.all([rankBefore(path, body), qtieService.call(path, weighed)]);
      at("problem").textContent = "";
      show({path, body: weighed, before, after});
    } catch (error) {
      showProblem(error);
    }
  }

  const runAgain = qtieService.oneAtATime(async () => {
    await ask();
    if (!waiting) at("results").setAttribute("aria-busy", "false");
  });

  // Asks now, or when nothing has been typed for a while.
  function askAgain(waitMs = 0) {
    at("results").setAttribute("aria-busy", "true");
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      waiting = 0;
      runAgain();
    }, waitMs);
  }

  /* ---- what is shown ---- */

  function showNothing() {
    at("reading").replaceChildren();
    at("marks").replaceChildren();
  }

  function showProblem(error) {
    at("problem").textContent = error.message;
    at("entering").hidden = at("entering").hidden && error.status !== 401;
  }

  function showReading(intent) {
    if (intent.query === fields.query.value) mark(...qtieReading.marked(intent));
    const isOverruled = days !== null || fields.ignore_time.checked;
    const chips = qtieReading.chips(intent);
    for (const chip of chips) chip.classList.toggle("overruled", isOverruled);
    if (days !== null && !fields.ignore_time.checked) chips.push(daysChip());
    at("reading").replaceChildren(...chips);
  }

  function mark(...pieces) {
    at("marks").replaceChildren(...pieces);
    at("marks").scrollLeft = fields.query.scrollLeft;
  }

  function daysChip() {
    const chip = make("button", "chip asked", make("b", "", "your days"), ` ${shownTime(days)} ×`);
    chip.type = "button";
    chip.setAttribute("aria-label", `Your days: ${shownTime(days)}. Go back to what the query says.`);
    chip.addEventListener("click", () => {
      days = null;
      fields.query.focus();
      askAgain();
    });
    return chip;
  }

  // The documents of a reply as the timeline and the lists draw them.
  function rows({results, meta}) {
    return results.map(({score, relevance_score, title, text, document: given, temporal}, index) => ({
      ...meta.timeline.documents[index], ...temporal, title, text: given ? given.text : text, score: score ?? relevance_score,
    }));
  }

  function show({path, body, before, after}) {
    shown = {path, body};
    const rankedBefore = rows(before).slice(0, K), ranked = rows(after).slice(0, K), {intent} = after.meta;
    const timeline = {...after.meta.timeline, documents: ranked};
    if (drawn) drawn.update(timeline);
    else drawn = qtieTimeline(at("timeline"), timeline, {onChoose: (docId) => choose(docId, true), onBrush});
    const onChoose = (docId) => choose(docId === chosen ? null : docId, false);
    place("before", qtieDocuments.list(rankedBefore, {onChoose}));
    place("after", qtieDocuments.list(ranked, {isMoved: intent.is_temporal, onChoose, explain: (row) => explanation(row, body.temporal_weight, intent)}));
    at("method").replaceChildren(...[intent.is_temporal ? after.meta.method : "The order and the scores are those of the topic.", ...after.meta.notes, ...after.meta.warnings].flatMap((line) => [line, make("br")]));
    choose(ranked.some((row) => row.doc_id === chosen) ? chosen : null, false);
    showStatus(ranked, intent);
    at("results").classList.add("ready");
    at("snippet").hidden = true;
  }

  // The list in place of the old one; what had the focus has it again.
  function place(id, list) {
    const focused = at(id).contains(document.activeElement) ? document.activeElement.dataset.docId : null;
    at(id).replaceChildren(list);
    for (const button of focused === null ? [] : list.querySelectorAll(".document")) {
      if (button.dataset.docId === focused) button.focus({preventScroll: true});
    }
  }

  function showStatus(ranked, intent) {
    const n = ranked.length, moved = ranked.filter((row) => row.rank !== row.rank_before).length;
    const asked = intent.intervals.map(shownTime).join(" or ") || (intent.is_temporal ? "a preference" : "no time");
    at("status").textContent = n ? `${n} document${n === 1 ? "" : "s"}; asked: ${asked}; ${moved} moved` : `No document fits; asked: ${asked}`;
  }

  function choose(docId, isScrolled) {
    chosen = docId;
    drawn.choose(docId);
    qtieDocuments.choose(at("before"), docId, isScrolled);
    qtieDocuments.choose(at("after"), docId, isScrolled);
  }

  function onBrush(chosenDays) {
    days = chosenDays;
    fields.ignore_time.checked = false;
    askAgain();
  }

  /* ---- why a document stands where it does ---- */

  const FORMULAS = { // what each expert contributes, and the sign between the two
    product_of_experts: [(score, weight) => score ** weight, (score, weight) => `${score.toFixed(3)}^${weight.toFixed(2)}`, "·", "product"],
    weighted_sum: [(score, weight) => score * weight, (score, weight) => `${weight.toFixed(2)} × ${score.toFixed(3)}`, "+", "sum"],
  };

  function explanation(row, weight, intent) {
    if (!intent.is_temporal) return make("p", "", "The query asks for no time, so the topic alone decides.");
    const line = (name, ...values) => make("tr", "", Object.assign(make("th", "", name), {scope: "row"}), ...values.map((value) => make("td", "", value)));
    const known = `${shownTime(row.time)}${row.coarse ? `, known to the ${row.granularity}` : ""}`;
    const asked = intent.intervals.map(shownTime).join(" or ") || `the ${intent.preference} first`;
    const facts = make("p", "", `Its time: ${known}. Asked: ${asked}. ${qtieDays.shownRelation(row.relation) && `It lies ${qtieDays.shownRelation(row.relation)}.`}`);
    const formula = FORMULAS[info.fusion];
    if (!formula) return facts;
    const [value, said, sign, name] = formula, experts = [["topic, S_sem", row.semantic_score, 1 - weight], ["time, S_temp", row.temporal_score, weight]];
    const table = make("table", "", make("tbody", "",
      ...experts.map(([expert, score, share]) => line(expert, `${said(score, share)} = ${value(score, share).toFixed(3)}`)),
      line(name, `${experts.map(([, score, share]) => value(score, share).toFixed(3)).join(` ${sign} `)} = ${row.score.toFixed(3)}`)));
    return make("div", "", facts, table);
  }

  /* ---- copying ---- */

  async function copy(button) {
    if (!shown) return;
    const {path, body} = shown, snippet = qtieSnippets[button.dataset.snippet](new URL(path, location.href).href, body, qtieService.hasToken());
    at("snippet").textContent = snippet;
    at("snippet").hidden = false;
    at("copied").textContent = await navigator.clipboard.writeText(snippet).then(() => "Copied.", () => "Copy it from below.");
  }

  /* ---- start ---- */

  function showSettings() {
    const weight = fields.temporal_weight.valueAsNumber;
    at("weight").textContent = weight.toFixed(2);
    fields.temporal_weight.setAttribute("aria-valuetext", `${weight.toFixed(2)} for time, ${(1 - weight).toFixed(2)} for the topic`);
    at("pasting").hidden = fields.source.value !== "pasted";
  }

  form.addEventListener("input", ({target}) => {
    if (target === fields.query) { // what was read of another query, and days chosen for it, hold no longer
      mark();
      days = null;
    }
    if (target === fields.token) qtieService.useToken(fields.token.value);
    showSettings();
    askAgain(["range", "radio", "checkbox"].includes(target.type) ? 0 : WAIT_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    askAgain();
  });
  fields.query.addEventListener("scroll", () => { at("marks").scrollLeft = fields.query.scrollLeft; });
  for (const button of document.querySelectorAll("[data-snippet]")) button.addEventListener("click", () => copy(button));

  // What the service searches and how it ranks, asked for once; what the reader has set already stays.
  async function prepare() {
    info = await qtieService.call("info");
    fields.temporal_weight.value = info.temporal_weight;
    fields.reference_date.value ||= info.reference_date;
    fields.query.value ||= info.examples[0] || "";
    at("examples").replaceChildren(...info.examples.map((query) => new Option(query)));
    if (info.corpus) at("corpus").textContent = `${info.corpus.name} (${info.corpus.n_documents.toLocaleString("en")})`;
    else {
      fields.source.value = "pasted";
      fields.source[0].disabled = true;
    }
    showSettings();
  }

  fields.pasted.value = EXAMPLE.map((record) => JSON.stringify(record)).join("\n");
  showSettings();
  askAgain();
})();
