"""Time pushed into a search engine: an intent becomes a filter, widened by a margin, in each store's own language.

`time_filter` makes the store-neutral value; one file a store writes it, and `stored_times` gives the fields it reads.
"""
