/* The axis of a timeline: which days it spans, and where its ticks stand. Needs days.js. */
"use strict";

var qtieAxis = (() => {
  const {civilDate, dayNumber} = qtieDays;
  const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

  // The days that the axis spans: every finite bound, with some room on both sides.
  function domain(intervals, documents, asked) {
    const bounds = [...intervals, ...documents].flatMap(({start, end}) => [start, end === null ? null : end + 1]).filter((day) => day !== null);
    if (!bounds.length) bounds.push(asked === null ? dayNumber(2000, 1, 1) : asked);
    const isOpen = intervals.some(({start, end}) => start === null || end === null);
    if (asked !== null && intervals.some(({end}) => end === null)) bounds.push(asked);
    const low = bounds.reduce((a, b) => Math.min(a, b)), high = bounds.reduce((a, b) => Math.max(a, b));
    const room = Math.max((high - low) * 0.06, isOpen ? 365 : 15); // an open side needs room to fade
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

  return {domain, ticks};
})();
