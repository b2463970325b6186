"""Queries with their programs, for training and testing learned extractors: a program is drawn, then worded.

`times` and `programs` draw what is meant, `wording` says it, `generator` embeds it in a carrier sentence and adds
noise, `negatives` gives numbers and words that are no times, `build` writes the splits and their data card.
"""
