"""LangChain's self-query over a store: a language model writes the filter, `store_quality.py` compares what it finds.

The chain is LangChain's own query constructor, with its prompt and two examples; the model is a GGUF file, asked by
llama.cpp. The one attribute is the year, which a small model writes more surely than days. Needs `langchain-classic`,
`lark` and `xllamacpp`.
"""

from pathlib import Path
from typing import Any

from langchain_classic.chains.query_constructor.base import load_query_constructor_runnable
from langchain_classic.chains.query_constructor.schema import AttributeInfo
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models.llms import LLM
from langchain_core.structured_query import Comparator, Comparison, Operation, Operator, StructuredQuery, Visitor

from qtie.errors import LlmError
from qtie.interval import TimeInterval
from qtie.llm.chat import ChatOptions
from qtie.llm.llama_cpp import LlamaCppChat

CONTENT = "Articles, one event or person each"
YEAR = AttributeInfo(name="year", type="integer", description="The year that the article is of")
COMPARATORS = (Comparator.EQ, Comparator.NE, Comparator.GT, Comparator.GTE, Comparator.LT, Comparator.LTE)
OPERATORS = (Operator.AND, Operator.OR, Operator.NOT)
MAX_TOKENS = 160
"""Three times as long as an answer with two comparisons."""
STOP = ("}\n```", "<< Example")
"""What follows is no part of the answer; LangChain's parser closes the object."""


class GgufLlm(LLM):
    """A `LlamaCppChat` as LangChain wants it."""

    chat: Any

    @property
    def _llm_type(self) -> str:
        return "gguf"

    def _call(self, prompt: str, stop: list[str] | None = None, run_manager: Any = None, **_: Any) -> str:
        options = ChatOptions(max_tokens=MAX_TOKENS, stop=(*(stop or ()), *STOP))
        answer: str = self.chat.complete(prompt, options)
        return answer


class YearFilter(Visitor):
    """A structured query as a condition on a store's `time_start` and `time_end`, which are days.

    Raises:
        ValueError: what the model wrote compares something else than a year.
    """

    allowed_comparators = COMPARATORS
    allowed_operators = OPERATORS

    def visit_operation(self, operation: Operation) -> str:
        parts = [f"({argument.accept(self)})" for argument in operation.arguments]
        return f"NOT {parts[0]}" if operation.operator == Operator.NOT else f" {operation.operator.name} ".join(parts)

    def visit_comparison(self, comparison: Comparison) -> str:
        if comparison.attribute != "year":
            raise ValueError(f"no such attribute: {comparison.attribute}")
        year = TimeInterval.year(int(comparison.value))
        during = f"time_start <= {year.end} AND time_end >= {year.start}"
        return {
            Comparator.EQ: during,
            Comparator.NE: f"NOT ({during})",
            Comparator.GT: f"time_end > {year.end}",
            Comparator.GTE: f"time_end >= {year.start}",
            Comparator.LT: f"time_start < {year.start}",
            Comparator.LTE: f"time_start <= {year.end}",
        }[comparison.comparator]

    def visit_structured_query(self, structured_query: StructuredQuery) -> tuple[str, str | None]:
        return structured_query.query, structured_query.filter.accept(self) if structured_query.filter else None


class SelfQuery:
    """Turns queries into text and filter; counts those for which the model's answer is none.

    Args:
        model: a GGUF file.
    """

    def __init__(self, model: Path) -> None:
        self.n_asked, self.n_failed, self.n_unfiltered = 0, 0, 0
        llm = GgufLlm(chat=LlamaCppChat(model, n_context=4096))
        self._constructor = load_query_constructor_runnable(
            llm, CONTENT, [YEAR], allowed_comparators=COMPARATORS, allowed_operators=OPERATORS
        )

    def read(self, query: str) -> tuple[str, str | None]:
        """What to search for, and the condition; the query as it is, and no condition, where the answer is none."""
        self.n_asked += 1
        try:
            structured = self._constructor.invoke({"query": query})
            text, where = YearFilter().visit_structured_query(structured)
        except (OutputParserException, LlmError, ValueError, TypeError, OverflowError):
            self.n_failed += 1
            return query, None
        self.n_unfiltered += where is None
        return text.strip() or query, where
