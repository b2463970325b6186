"""The rewriters that settings ask for, joined: the lexicon, then what is stored, then a language model."""

from qtie.config import Config
from qtie.intent import IntentExtractor
from qtie.rewriting.extractor import EventResolvingExtractor
from qtie.rewriting.grounding import GroundingRewriter, Search
from qtie.rewriting.lexicon import LexiconRewriter
from qtie.rewriting.rewriter import Rewriter, RewriterChain

__all__ = ["make_rewriter", "resolving"]


def make_rewriter(config: Config, *, search: Search | None = None) -> Rewriter:
    """The rewriter of section `[events]`, the surest source first.

    Args:
        search: gives evidence for event phrases from what is stored; None where nothing is.

    Raises:
        ConfigError: a file of events cannot be read, or the language model lacks what it needs.
        MissingExtraError: its packages are missing.

    Example:
        >>> make_rewriter(Config()).rewrite("songs from World War II").rewritten
        'songs from 1 September 1939 to 2 September 1945'
    """
    rewriters: list[Rewriter] = [LexiconRewriter(files=config.events.files)]
    if search is not None:
        rewriters.append(GroundingRewriter(search))
    if config.events.llm is not None:
        from qtie.llm.backends import make_chat
        from qtie.rewriting.llm_rewriter import LlmRewriter

        chat = make_chat(config.events.llm, config.llm)
        rewriters.append(LlmRewriter(chat, search, source="documents", own_knowledge=config.events.own_knowledge))
    return RewriterChain(rewriters)


def resolving(extractor: IntentExtractor, config: Config, *, search: Search | None = None) -> IntentExtractor:
    """The extractor, reading a query after its events have become days where the settings say so.

    Args:
        extractor: one that is resolving already gets the rewriter of these settings and this search instead.
        search: as in `make_rewriter`.
    """
    if not config.events.resolve:
        return extractor
    plain = extractor.extractor if isinstance(extractor, EventResolvingExtractor) else extractor
    return EventResolvingExtractor(plain, make_rewriter(config, search=search))
