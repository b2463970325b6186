"""Evaluation: TREC and BEIR files, data sets, and measures of rankings.

Measures are spelled as ir_measures spells them (`nDCG@10`, `P@1`), beside `violation@k` and `harm`.
"""
