"""The report: what `qtie bench` wrote as one HTML page that needs nothing else.

`standings` says where a ranker is first, `cases` picks the queries to look at, `page` puts it together; `page.html`,
`page.css`, `tables.js` and `browser.js` are what the page is made of.
"""

from qtie.evaluation.report.page import write_report

__all__ = ["write_report"]
