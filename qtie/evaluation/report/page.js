/* Starts the page: unpacks what it carries, and hands tables, plots and queries to those that show them. */
"use strict";

(async () => {
  for (const table of document.querySelectorAll("table.sortable")) qtieTables.makeSortable(table);

  async function unpack(id) { // base64, gzip, JSON
    const text = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  const {tables, plots} = await unpack("packed-content");
  for (const details of document.querySelectorAll("details[data-table]")) {
    qtieTables.place(details, tables[details.dataset.table], document.body.dataset.ranker);
  }
  for (const image of document.querySelectorAll("img[data-plot]")) { // an image runs no script that an SVG may hold
    image.src = URL.createObjectURL(new Blob([plots[image.dataset.plot]], {type: "image/svg+xml"}));
  }
  const cases = await unpack("packed-cases");
  if (cases.length) qtieBrowser(cases);
})();
