/* Lists of ranked documents: rank and movement, words, time, both scores. Needs elements.js and days.js.

   qtieDocuments.list(rows, options) gives an <ol>; a row is a document of the timeline with `text`, `semantic_score`,
   `score`, `rank_before` and optionally `relevant`.

   options  isMoved      whether movement from `rank_before` is shown
            onChoose(doc_id)  a document was clicked, or Enter pressed on it
            explain(row)      what stands below the chosen document

   qtieDocuments.choose(view, doc_id, isScrolled) marks the document in every list of `view`; null marks none. */
"use strict";

var qtieDocuments = (() => {
  const {make} = qtieElements, {shownTime, shownRelation} = qtieDays;

  const list = (rows, options) => make("ol", "documents", ...rows.map((row) => item(row, options)));

  function item(row, {isMoved = false, onChoose, explain = null}) {
    const moved = isMoved && row.rank_before ? row.rank_before - row.rank : 0;
    const rank = make("span", "rank", String(row.rank), isMoved ? arrow(moved) : null);
    const head = make("span", "title", row.relevant ? make("span", "relevant", "✓ relevant") : null, row.label);
    const button = make("button", "document", rank, make("span", "words", head, why(row, moved), passage(row)), scores(row));
    button.type = "button";
    button.dataset.docId = row.doc_id;
    button.title = row.doc_id;
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => onChoose(row.doc_id));
    const made = make("li", "", button);
    if (explain) {
      const explanation = make("div", "explanation");
      explanation.hidden = true;
      button.show = () => { explanation.replaceChildren(explain(row)); }; // made when it is asked for
      made.append(explanation);
    }
    return made;
  }

  function arrow(moved) {
    const made = make("span", moved > 0 ? "move up" : moved < 0 ? "move down" : "move", moved > 0 ? `↑${moved}` : moved < 0 ? `↓${-moved}` : "=");
    made.setAttribute("aria-label", moved ? `${moved > 0 ? "up" : "down"} ${Math.abs(moved)}` : "not moved");
    made.setAttribute("role", "img");
    return made;
  }

  function why(row, moved) {
    const time = [shownTime(row.time), shownRelation(row.relation)].filter(Boolean).join(", ");
    return make("span", "why", moved ? `${time}; was at ${row.rank_before}` : time);
  }

  const passage = (row) => row.text && row.text !== row.label ? make("span", "passage", row.text) : null;

  function scores(row) {
    const score = (label, value, isShare) => {
      const line = make("span", "score", make("i", "", label), " ", make("b", "", value.toFixed(3)));
      if (isShare) {
        line.append(make("span", "share"));
        line.lastChild.style.setProperty("--share", Math.min(1, Math.max(0, value)));
      }
      return line;
    };
    return make("span", "scores", score("S_sem", row.semantic_score, true), score("S_temp", row.temporal_score, true), score("score", row.score, false));
  }

  function choose(view, docId, isScrolled) {
    for (const button of view.querySelectorAll(".document")) {
      const isChosen = button.dataset.docId === docId, explanation = button.nextElementSibling;
      button.classList.toggle("chosen", isChosen);
      button.setAttribute("aria-expanded", String(isChosen));
      if (explanation) {
        explanation.hidden = !isChosen;
        if (isChosen) button.show();
      }
      if (isChosen && isScrolled) button.scrollIntoView({block: "nearest"});
    }
  }

  return {list, choose};
})();
