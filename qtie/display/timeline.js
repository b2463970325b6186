/* The timeline of a query: its intervals as bands, documents as bars. No dependencies.

   qtieTimeline(element, data, options) draws into `element` and returns {update(data), choose(doc_id), destroy()}.

   data     {intervals: [EDTF], reference_date: "YYYY-MM-DD" | null,
             documents: [{doc_id, label, time: EDTF | null, granularity, coarse, temporal_score, rank, relation}]}
            as qtie.display.timeline makes it; EDTF is "2019-01-01/2019-12-31", with ".." for an open side.
   options  onChoose(doc_id)  a row was clicked, or Enter pressed on it
            onBrush(EDTF)     days were chosen: by dragging over the axis, or with the arrow keys on a handle
            legend: false     without the line that explains the marks

   The arrow keys go from row to row. What is shown is set as text and never parsed as HTML. */
"use strict";

var qtieTimeline = (() => {
  const ROW = 24, BAR = 12, TOP = 22, LEAST_WIDTH = 6;
  const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const RELATIONS = {
    before: "before", meets: "just before", overlaps: "from before into", starts: "at the start of", during: "within",
    finishes: "at the end of", equals: "exactly", "finished-by": "from before to the end of", contains: "around",
    "started-by": "from the start beyond", "overlapped-by": "from within beyond", "met-by": "just after", after: "after",
  };
  const OWN = Math.random().toString(36).slice(2); // a notebook has this script once an output, and ids are the page's
  let count = 0;

  /* ---- days: numbers counted from 1970-01-01 in the proleptic Gregorian calendar, any year ---- */

  // Hinnant, "chrono-Compatible Low-Level Date Algorithms": days_from_civil and civil_from_days.
  function dayNumber(year, month, day) {
    const y = month <= 2 ? year - 1 : year, era = Math.floor(y / 400), yearOfEra = y - era * 400;
    const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
    const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
    return era * 146097 + dayOfEra - 719468;
  }

  function civilDate(number) {
    const z = Math.floor(number) + 719468, era = Math.floor(z / 146097), dayOfEra = z - era * 146097;
    const yearOfEra = Math.floor((dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365);
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
    const shifted = Math.floor((5 * dayOfYear + 2) / 153), month = shifted + (shifted < 10 ? 3 : -9);
    const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
    return {year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day};
  }

  function parseDay(text) {
    const parts = /^([+-]?\d+)-(\d\d)-(\d\d)$/.exec(text || "");
    return parts ? dayNumber(+parts[1], +parts[2], +parts[3]) : null;
  }

  function parseInterval(text) {
    const [start, end = start] = (text || "").split("/");
    return {start: parseDay(start), end: parseDay(end)};
  }

  function printDay(number) {
    const {year, month, day} = civilDate(number), pad = (n, width) => String(n).padStart(width, "0");
    const sign = year < 0 ? "-" : year > 9999 ? "+" : "";
    return `${sign}${pad(Math.abs(year), 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  }

  // A whole year as its number, a whole month as YYYY-MM, one day once.
  function shownTime(text) {
    if (!text) return "no time";
    const {start, end} = parseInterval(text);
    if (start === null || end === null) return `${start === null ? "…" : printDay(start)} – ${end === null ? "…" : printDay(end)}`;
    const a = civilDate(start), b = civilDate(end), next = civilDate(end + 1), year = (date) => printDay(dayNumber(date, 1, 1)).slice(0, -6);
    if (start === end) return printDay(start);
    if (a.month === 1 && a.day === 1 && next.month === 1 && next.day === 1) return a.year === b.year ? year(a.year) : `${year(a.year)} – ${year(b.year)}`;
    if (a.day === 1 && next.day === 1 && a.year === b.year && a.month === b.month) return printDay(start).slice(0, -3);
    return `${printDay(start)} – ${printDay(end)}`;
  }

  /* ---- the axis ---- */

  // The days that the axis spans: every finite bound, with some room on both sides.
  function domain(intervals, documents, asked) {
    const bounds = [...intervals, ...documents].flatMap(({start, end}) => [start, end === null ? null : end + 1]).filter((day) => day !== null);
    if (!bounds.length) bounds.push(asked === null ? dayNumber(2000, 1, 1) : asked);
    const low = bounds.reduce((a, b) => Math.min(a, b)), high = bounds.reduce((a, b) => Math.max(a, b));
    const room = Math.max((high - low) * 0.06, 15);
    return [low - room, high + room];
  }

  // The unit of ticks: months to a tick, or 0 for days with `days` to a tick.
  function tickStep(days, width) {
    const perTick = days / Math.max(2, width / 84);
    const months = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 60000, 120000];
    if (perTick < 20) return {months: 0, days: [1, 2, 5, 10, 20].find((step) => step >= perTick) || 20};
    return {months: months.find((step) => step * 30.44 >= perTick) || Math.ceil(perTick / 3652425) * 120000, days: 0};
  }

  function ticks([low, high], width) {
    const step = tickStep(high - low, width), found = [];
    if (!step.months) {
      for (let day = Math.ceil(low / step.days) * step.days; day <= high; day += step.days) {
        const date = civilDate(day);
        found.push({day, label: `${date.day} ${MONTHS[date.month - 1]} ${date.year}`});
      }
      return found;
    }
    const first = civilDate(low);
    for (let n = Math.ceil((first.year * 12 + first.month - 1) / step.months) * step.months; ; n += step.months) {
      const year = Math.floor(n / 12), month = n - year * 12, day = dayNumber(year, month + 1, 1);
      if (day > high) return found;
      if (day >= low) found.push({day, label: step.months % 12 ? `${MONTHS[month]} ${year}` : String(year)});
    }
  }

  /* ---- drawing ---- */

  function node(parent, name, attributes = {}, text = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  }

  function element(parent, name, className, text = "") {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    parent.append(made);
    return made;
  }

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

  // The Allen relation of a document's time to what is asked, in words; "" where there is none.
  function shownRelation(relation) {
    return relation in RELATIONS ? `${RELATIONS[relation]} what is asked` : "";
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
      this.data = data;
      this.brush = null;
      this.draw();
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
      this.left = Math.round(Math.min(320, this.width * 0.38));
      this.plotWidth = Math.max(60, this.width - this.left - 6);
      this.domain = domain(intervals, times, asked);
      this.height = TOP + data.documents.length * ROW + 4;
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
      const legend = element(this.host, "ul", "legend"), {documents, intervals} = this.data;
      const marks = [
        ["band", "asked", intervals.length],
        ["coarse", "date known to the month, year, …", documents.some(({coarse}) => coarse)],
        ["undated", "no time", documents.some(({time}) => !time)],
        ["scale", "S_temp 0 to 1", intervals.length],
      ];
      for (const [kind, label, isShown] of marks) {
        if (!isShown) continue;
        const item = element(legend, "li", "");
        element(item, "i", kind);
        item.append(label);
      }
    }

    /* ---- the brush: days that the reader chooses ---- */

    drawBrush(svg, intervals) {
      const {left, plotWidth: width} = this, [low, high] = this.domain.map(Math.round);
      const starts = intervals.map(({start}) => start ?? low), ends = intervals.map(({end}) => end ?? high);
      const hull = intervals.length ? [Math.min(...starts), Math.max(...ends)] : [low, high];
      this.brush = this.brush || hull;
      const area = node(svg, "rect", {class: "brush-area", x: left, y: 0, width, height: this.height});
      this.shade = node(svg, "rect", {class: "brush", y: 0, height: TOP - 4});
      this.handles = ["First day", "Last day"].map((name, side) => this.drawHandle(svg, name, side));
      area.addEventListener("pointerdown", (event) => {
        const day = this.dayAt(event);
        this.brush = [day, day];
        this.drag(area, event, (at) => { this.brush = [Math.min(day, at), Math.max(day, at)]; });
      });
      this.placeBrush();
    }

    drawHandle(svg, name, side) {
      const handle = node(svg, "rect", {class: "handle", y: 0, width: 6, height: TOP - 4, rx: 2, role: "slider", tabindex: 0, "aria-label": name});
      handle.addEventListener("pointerdown", (event) => this.drag(handle, event, (day) => this.moveHandle(side, day)));
      handle.addEventListener("keydown", (event) => {
        const way = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[event.key];
        if (!way) return;
        event.preventDefault();
        this.moveHandle(side, this.brush[side] + way * (event.shiftKey ? 365 : event.ctrlKey ? 30 : 1));
        this.placeBrush();
        this.options.onBrush(this.brush.map(printDay).join("/"));
      });
      return handle;
    }

    moveHandle(side, day) {
      const [low, high] = this.domain, within = Math.round(Math.min(high, Math.max(low, day)));
      this.brush = side ? [this.brush[0], Math.max(within, this.brush[0])] : [Math.min(within, this.brush[1]), this.brush[1]];
    }

    dayAt(event) {
      const x = event.clientX - this.host.getBoundingClientRect().left, [low, high] = this.domain;
      const share = Math.min(1, Math.max(0, (x - this.left) / this.plotWidth));
      return Math.floor(low + share * (high - low));
    }

    drag(target, pressed, move) {
      const follow = (event) => { move(this.dayAt(event)); this.placeBrush(); };
      target.setPointerCapture(pressed.pointerId);
      target.addEventListener("pointermove", follow);
      target.addEventListener("pointerup", () => {
        target.removeEventListener("pointermove", follow);
        this.options.onBrush(this.brush.map(printDay).join("/"));
      }, {once: true});
    }

    placeBrush() {
      const [start, end] = this.brush, [x, width] = this.extent({start, end}, 2);
      this.shade.setAttribute("x", x);
      this.shade.setAttribute("width", width);
      this.handles.forEach((handle, side) => {
        handle.setAttribute("x", x + side * width - 3);
        handle.setAttribute("aria-valuenow", this.brush[side]);
        handle.setAttribute("aria-valuetext", printDay(this.brush[side]));
      });
    }
  }

  const draw = (host, data, options = {}) => new Timeline(host, data, options);
  return Object.assign(draw, {shownTime, shownRelation});
})();
