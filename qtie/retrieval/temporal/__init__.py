"""Retrievers that know time: TempRetriever, TsContriever and TSM, how they are used and how they are trained.

Here the time is in the encoder, so that these are asked the whole query; the temporal score can still be put on top.
"""
