/* The timeline of a query: its intervals as bands, documents as bars. Needs elements.js, days.js and axis.js.

   qtieTimeline(element, data, options) draws into `element` and returns {update(data), choose(doc_id), destroy()}.

   data     {intervals: [EDTF], reference_date: "YYYY-MM-DD" | null,
             documents: [{doc_id, label, time: EDTF | null, granularity, coarse, temporal_score, rank, relation}]}
            as qtie.display.timeline makes it; EDTF is "2019-01-01/2019-12-31", with ".." for an open side.
   options  onChoose(doc_id)  a row was clicked, or Enter pressed on it
            onBrush(EDTF)     days were chosen: by dragging over the axis, or with the arrow keys on a handle
            legend: false     without the line that explains the marks

   The arrow keys go from row to row. */
"use strict";

var qtieTimeline = (() => {
  const {parseDay, parseInterval, printDay, shownTime, shownRelation} = qtieDays, {domain, ticks} = qtieAxis, {make, node} = qtieElements;
  const ROW = 24, BAR = 12, TOP = 22, LEAST_WIDTH = 6;
  const OWN = Math.random().toString(36).slice(2); // a notebook has this script once an output, and ids are the page's
  let count = 0;

  function shortened(label, text, room) {
    label.textContent = text;
    for (let length = text.length; length > 1 && label.getComputedTextLength() > room;) {
      length = Math.min(length - 1, Math.floor(length * room / label.getComputedTextLength()));
      label.textContent = text.slice(0, length).trimEnd() + "…";
    }
  }

  // Full in the middle, fading out where a side is open.
  function fade(svg, {start, end}) {
    const id = `qtie-${OWN}-${++count}`, gradient = node(svg, "linearGradient", {id});
    for (const [offset, opacity] of [[0, start === null ? 0 : 1], [0.35, 1], [0.65, 1], [1, end === null ? 0 : 1]]) {
      node(gradient, "stop", {offset, "stop-opacity": opacity, class: "stop"});
    }
    return `url(#${id})`;
  }

  function described(row) {
    const score = `S_temp ${row.temporal_score.toFixed(3)}`, kind = row.coarse ? `, known to the ${row.granularity}` : "";
    const relation = shownRelation(row.relation);
    return `${row.rank}. ${row.label}: ${shownTime(row.time)}${kind}${relation && ", " + relation}; ${score}`;
  }

  class Timeline {
    constructor(host, data, options) {
      Object.assign(this, {host, options, chosen: null, brush: null});
      host.classList.add("qtie-timeline");
      this.observer = new ResizeObserver(() => { if (host.clientWidth !== this.width) this.draw(); });
      this.update(data);
      this.observer.observe(host);
    }

    update(data) {
      if (this.isDragging) return void (this.waiting = data); // drawn when the hand is off
      const focused = this.focusedPart();
      this.data = data;
      this.brush = null;
      this.draw();
      const part = focused && this.host.querySelector(focused);
      if (part) part.focus({preventScroll: true});
    }

    // What has the focus, as a selector that finds it in the next drawing.
    focusedPart() {
      const part = document.activeElement;
      if (!this.host.contains(part)) return null;
      return part.matches(".row") ? `.row[data-doc-id="${CSS.escape(part.dataset.docId)}"]` : `.handle[data-side="${part.dataset.side}"]`;
    }

    choose(docId) {
      this.chosen = docId;
      for (const row of this.host.querySelectorAll(".row")) row.classList.toggle("chosen", row.dataset.docId === docId);
    }

    destroy() {
      this.observer.disconnect();
      this.host.replaceChildren();
    }

    draw() {
      const {host, data} = this;
      this.width = host.clientWidth;
      if (!this.width) return; // not shown; the observer tells when it is
      const intervals = data.intervals.map(parseInterval), times = data.documents.map(({time}) => parseInterval(time));
      const asked = parseDay(data.reference_date);
      this.left = data.documents.length ? Math.round(Math.min(320, this.width * 0.38)) : 6;
      this.plotWidth = Math.max(60, this.width - this.left - 6);
      this.domain = domain(intervals, times, asked);
      this.height = TOP + Math.max(1, data.documents.length) * ROW + 4;
      host.replaceChildren();
      const svg = node(host, "svg", {height: this.height, role: "group"});
      svg.setAttribute("aria-label", `Timeline; asked: ${data.intervals.map(shownTime).join(", ") || "no time"}`);
      this.drawAxis(svg, asked);
      for (const interval of intervals) this.drawBand(svg, interval);
      if (this.options.onBrush) this.drawBrush(svg, intervals);
      const list = node(svg, "g", {role: "list", "aria-label": "Documents"});
      this.about = document.createElement("div");
      data.documents.forEach((row, index) => this.drawRow(list, row, times[index], index));
      if (this.options.legend !== false) this.drawLegend();
      this.about.className = "about";
      this.about.setAttribute("aria-hidden", "true"); // screen readers hear the row's own label
      host.append(this.about);
    }

    x(day) {
      const [low, high] = this.domain;
      return this.left + (Math.min(high, Math.max(low, day)) - low) / (high - low) * this.plotWidth;
    }

    // The left edge and width of an interval, at least `least` wide; the last day counts in full.
    extent({start, end}, least) {
      const [low, high] = this.domain, a = this.x(start === null ? low : start), b = this.x(end === null ? high : end + 1);
      const width = Math.max(least, b - a);
      return [(a + b - width) / 2, width];
    }

    drawAxis(svg, asked) {
      const axis = node(svg, "g", {"aria-hidden": "true"});
      for (const {day, label} of ticks(this.domain, this.plotWidth)) {
        const x = this.x(day);
        node(axis, "line", {class: "grid", x1: x, x2: x, y1: TOP - 4, y2: this.height});
        const half = label.length * 3.2, at = Math.min(this.left + this.plotWidth - half, Math.max(this.left + half, x));
        node(axis, "text", {class: "quiet", x: at, y: TOP - 9, "text-anchor": "middle"}, label);
      }
      const [low, high] = this.domain;
      if (asked === null || asked < low || asked > high) return;
      const line = node(axis, "line", {class: "asked", x1: this.x(asked), x2: this.x(asked), y1: TOP - 4, y2: this.height});
      node(line, "title", {}, `Day of asking: ${this.data.reference_date}`);
    }

    drawBand(svg, interval) {
      const [x, width] = this.extent(interval, 3), y = TOP - 4, height = this.height - y;
      node(svg, "rect", {class: "band", x, y, width, height, fill: fade(svg, interval), "aria-hidden": "true"});
      for (const [side, at] of [[interval.start, x], [interval.end, x + width]]) {
        if (side !== null) node(svg, "line", {class: "band-edge", x1: at, x2: at, y1: y, y2: this.height, "aria-hidden": "true"});
      }
    }

    drawRow(list, row, time, index) {
      const y = TOP + index * ROW, middle = y + ROW / 2;
      const group = node(list, "g", {class: "row", role: "listitem", tabindex: index ? -1 : 0, "aria-label": described(row)});
      group.dataset.docId = row.doc_id;
      group.classList.toggle("chosen", row.doc_id === this.chosen);
      group.style.setProperty("--score", Math.min(1, Math.max(0, row.temporal_score)));
      node(group, "rect", {class: "hit", x: 1, y: y + 1, width: this.width - 2, height: ROW - 2, rx: 4});
      node(group, "text", {class: "quiet", x: 20, y: middle + 4, "text-anchor": "end"}, String(row.rank));
      shortened(node(group, "text", {x: 28, y: middle + 4}), row.label, this.left - 40);
      this.drawBar(group, row, time, middle - BAR / 2);
      group.addEventListener("pointerenter", () => { this.about.textContent = described(row); });
      group.addEventListener("focus", () => this.focusRow(group, row));
      group.addEventListener("click", () => this.rowChosen(row));
      group.addEventListener("keydown", (event) => this.rowKey(event, group, row));
    }

    drawBar(group, row, time, y) {
      if (!row.time) {
        const x = this.left + 1, width = this.plotWidth - 2, middle = x + width / 2;
        node(group, "rect", {class: "bar undated", x, y, width, height: BAR, rx: BAR / 2});
        node(group, "rect", {class: "note-back", x: middle - 26, y: y - 1, width: 52, height: BAR + 2});
        node(group, "text", {class: "note", x: middle, y: y + BAR - 2.5}, "no time");
        return;
      }
      const [x, width] = this.extent(time, LEAST_WIDTH), isOpen = time.start === null || time.end === null;
      const bar = node(group, "rect", {class: row.coarse ? "bar coarse" : "bar", x, y, width, height: BAR, rx: isOpen ? 0 : 3});
      if (isOpen) bar.style.fill = fade(group, time);
    }

    focusRow(group, row) {
      for (const other of this.host.querySelectorAll(".row")) other.setAttribute("tabindex", other === group ? 0 : -1);
      this.about.textContent = described(row);
    }

    rowChosen(row) {
      this.choose(row.doc_id);
      if (this.options.onChoose) this.options.onChoose(row.doc_id);
    }

    rowKey(event, group, row) {
      const target = {ArrowDown: group.nextElementSibling, ArrowUp: group.previousElementSibling, Home: group.parentNode.firstElementChild, End: group.parentNode.lastElementChild}[event.key];
      if (event.key === "Enter" || event.key === " ") this.rowChosen(row);
      else if (target) target.focus();
      else return;
      event.preventDefault();
    }

    drawLegend() {
      const legend = make("ul", "legend"), {documents, intervals} = this.data;
      const marks = [
        ["band", "asked", intervals.length],
        ["coarse", "date known to the month, year, …", documents.some(({coarse}) => coarse)],
        ["undated", "no time", documents.some(({time}) => !time)],
        ["scale", "S_temp 0 to 1", intervals.length && documents.length],
      ];
      for (const [kind, label, isShown] of marks) {
        if (isShown) legend.append(make("li", "", make("i", kind), label));
      }
      this.host.append(legend);
    }

    /* ---- the brush: days that the reader chooses ---- */

    drawBrush(svg, intervals) {
      const {left, plotWidth: width} = this, starts = intervals.map(({start}) => start), ends = intervals.map(({end}) => end);
      const isOpen = (days) => !days.length || days.includes(null);
      this.brush = this.brush || [isOpen(starts) ? null : Math.min(...starts), isOpen(ends) ? null : Math.max(...ends)];
      const area = node(svg, "rect", {class: "brush-area", x: left, y: 0, width, height: this.height});
      this.shade = node(svg, "rect", {class: "brush", y: 0, height: TOP - 4});
      this.handles = ["First day", "Last day"].map((name, side) => this.drawHandle(svg, name, side));
      area.addEventListener("pointerdown", (event) => {
        const day = this.dayAt(event);
        this.brush = [day, day];
        this.drag(area, event, (at) => { this.brush = [this.orOpen(Math.min(day, at), 0), this.orOpen(Math.max(day, at), 1)]; });
      });
      this.placeBrush();
    }

    // The day, or null at the end of the axis: a side that is dragged there is open.
    orOpen(day, side) {
      return side ? (day < Math.floor(this.domain[1]) - 1 ? day : null) : (day > Math.ceil(this.domain[0]) ? day : null);
    }

    // The first and the last day of the brush, as far as the axis goes.
    brushedDays() {
      return this.brush.map((day, side) => day === null ? Math.round(this.domain[side]) : day);
    }

    brushed() {
      this.options.onBrush(this.brush.map((day) => day === null ? ".." : printDay(day)).join("/"));
    }

    drawHandle(svg, name, side) {
      const handle = node(svg, "rect", {class: "handle", y: 0, width: 6, height: TOP - 4, rx: 2, role: "slider", tabindex: 0, "aria-label": name, "data-side": side});
      handle.addEventListener("pointerdown", (event) => this.drag(handle, event, (day) => this.moveHandle(side, day)));
      handle.addEventListener("keydown", (event) => {
        const way = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[event.key];
        if (!way) return;
        event.preventDefault();
        this.moveHandle(side, this.brushedDays()[side] + way * (event.shiftKey ? 365 : event.ctrlKey ? 30 : 1));
        this.placeBrush();
        this.brushed();
      });
      return handle;
    }

    // Neither handle passes the other.
    moveHandle(side, day) {
      const [first, last] = this.brushedDays(), moved = this.orOpen(side ? Math.max(day, first) : Math.min(day, last), side);
      this.brush = side ? [this.brush[0], moved] : [moved, this.brush[1]];
    }

    dayAt(event) {
      const x = event.clientX - this.host.getBoundingClientRect().left, [low, high] = this.domain;
      const share = Math.min(1, Math.max(0, (x - this.left) / this.plotWidth));
      return Math.floor(low + share * (high - low));
    }

    drag(target, pressed, move) {
      const follow = (event) => { move(this.dayAt(event)); this.placeBrush(); };
      this.isDragging = true;
      target.setPointerCapture(pressed.pointerId);
      target.addEventListener("pointermove", follow);
      target.addEventListener("lostpointercapture", () => {
        target.removeEventListener("pointermove", follow);
        this.isDragging = false;
        this.brushed();
        if (this.waiting) this.update(this.waiting);
        this.waiting = null;
      }, {once: true});
    }

    placeBrush() {
      const [start, end] = this.brush, [x, width] = this.extent({start, end}, 2), [low, high] = this.domain.map(Math.round);
      this.shade.setAttribute("x", x);
      this.shade.setAttribute("width", width);
      this.handles.forEach((handle, side) => {
        handle.setAttribute("x", x + side * width - 3);
        const day = this.brush[side], values = {min: low, max: high, now: this.brushedDays()[side], text: day === null ? "open" : printDay(day)};
        for (const [name, value] of Object.entries(values)) handle.setAttribute(`aria-value${name}`, value);
      });
    }
  }

  return (host, data, options = {}) => new Timeline(host, data, options);
})();
