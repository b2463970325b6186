"""The experiments by name, each a file: which cells it needs, and the tables and plots that show them.

`experiment` holds what they share, `registry` the table of names, `suite` runs them and writes what they give.
"""
