"""How times are shown on a page: what notebooks, reports and the service have in common.

`timeline.py` is the data that `timeline.js` draws, `html.py` what embeds it in a page that needs nothing else.
"""
