/* How a query was read: its words about time marked in the query box, and what they ask for as chips. Needs elements.js and days.js. */
"use strict";

var qtieReading = (() => {
  const {make} = qtieElements, {shownTime} = qtieDays;

  // The query in pieces, words about time in <mark>; spans count code points, as Python does.
  function marked(intent) {
    const letters = Array.from(intent.query), pieces = [];
    let at = 0;
    for (const [start, end] of intent.spans) {
      pieces.push(letters.slice(at, start).join(""), make("mark", "", letters.slice(start, end).join("")));
      at = end;
    }
    return [...pieces, letters.slice(at).join("")];
  }

  function words(intent, span) {
    return span && span[1] > span[0] ? Array.from(intent.query).slice(...span).join("") : "";
  }

  const interval = ({start, end}) => `${start || ".."}/${end || ".."}`;

  function constraintChip(intent, said) {
    const days = said.interval ? shownTime(interval(said.interval)) : "a time whose date is not known";
    const meaning = [said.negated ? "not" : "", said.target === "any" ? "" : said.target, days].filter(Boolean).join(" ");
    const relation = said.relation === "intersects" ? "" : ` (the document ${said.relation} it)`;
    return make("span", "chip asked", make("b", "", words(intent, said.span)), ` → ${meaning}${relation}`);
  }

  function chips(intent) {
    if (!intent.constraints.length && !intent.preference) {
      return [make("span", "chip", "asks for no time: the order stays as it is")];
    }
    const preference = intent.preference
      ? make("span", "chip asked", make("b", "", words(intent, intent.preference_span)), ` → the ${intent.preference} first`)
      : null;
    return [...intent.constraints.map((said) => constraintChip(intent, said)), preference].filter(Boolean);
  }

  // The intent with other days in place of all that was read. The unit decides how fast scores fall beside them.
  function withDays(intent, days) {
    const {start, end} = qtieDays.parseInterval(days), length = start === null || end === null ? Infinity : end - start + 1;
    const granularity = length <= 45 ? "day" : length <= 800 ? "month" : "year";
    const [first, last] = days.split("/").map((day) => day === ".." ? null : day);
    const {query, semantic_query, reference_date} = intent;
    return {query, semantic_query, reference_date, constraints: [{interval: {start: first, end: last}, granularity}]};
  }

  return {marked, chips, withDays};
})();
