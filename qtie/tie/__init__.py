"""Temporal intent extraction: from a query's words to the time it asks for.

`timex` holds what time expressions denote, `operators` what "before" and its kin do to them, `cascade` the
engine, `grams` what it need not look for, `en` the rules for English, `grammar` the extractor that runs them.
"""
