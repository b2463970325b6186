/* Days: numbers counted from 1970-01-01 in the proleptic Gregorian calendar, any year; how times read in words. */
"use strict";

var qtieDays = (() => {
  const RELATIONS = {
    before: "before", meets: "just before", overlaps: "from before into", starts: "at the start of", during: "within",
    finishes: "at the end of", equals: "exactly", "finished-by": "from before to the end of", contains: "around",
    "started-by": "from the start beyond", "overlapped-by": "from within beyond", "met-by": "just after", after: "after",
  };

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

  // The Allen relation of a document's time to what is asked, in words; "" where there is none.
  function shownRelation(relation) {
    return relation in RELATIONS ? `${RELATIONS[relation]} what is asked` : "";
  }

  return {dayNumber, civilDate, parseDay, parseInterval, printDay, shownTime, shownRelation};
})();
