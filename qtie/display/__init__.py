"""How rankings are shown on a page: what reports, notebooks and the service have in common.

`timeline` is the data and the component that draws it, `html` a ranking as one piece of HTML that needs nothing else.
"""
