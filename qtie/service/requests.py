"""Requests: what clients may send, in the dialects of Cohere, Jina, vLLM and TEI, and how it is checked."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import from_json
from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from qtie.errors import IntentParseError, IntervalError, ServiceError
from qtie.intent import TemporalIntent
from qtie.interval import TimeInterval
from qtie.normalization import NORMALIZATIONS
from qtie.service.options import Limits

__all__ = [
    "DocumentObject",
    "HowToRank",
    "IntentRequest",
    "RerankRequest",
    "SearchRequest",
    "TextsRequest",
    "checked",
    "json_of",
    "parse",
]

Missing = Literal["neutral", "penalize", "drop", "estimate"]


def _day(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("should be a day as YYYY-MM-DD")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("should be a day as YYYY-MM-DD") from None


def _interval(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("should be an interval such as 2019-01-01/2020-06-30")
    try:
        return TimeInterval.parse(value)
    except IntervalError as error:
        raise ValueError(str(error)) from None


def _intent(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError("should be an object as /intent gives it")
    try:
        return TemporalIntent.from_dict(value)
    except IntentParseError as error:
        raise ValueError(str(error)) from None


def _known_normalization(value: str) -> str:
    if value not in _NORMALIZATIONS:
        raise ValueError(f"should be one of {', '.join(_NORMALIZATIONS)}")
    return value


_NORMALIZATIONS = ("auto", *NORMALIZATIONS)
Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
Interval = Annotated[Any, BeforeValidator(_interval), WithJsonSchema({"type": "string", "examples": ["2019/2020"]})]
Intent = Annotated[Any, BeforeValidator(_intent), WithJsonSchema({"type": "object"})]
Normalization = Annotated[
    str, AfterValidator(_known_normalization), WithJsonSchema({"type": "string", "enum": list(_NORMALIZATIONS)})
]
Time = Annotated[
    Any,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "examples": ["2019", "2019-03-05T10:00:00Z"]},
                {"type": "number"},
                {"type": "null"},
            ]
        }
    ),
]
"""As `parse_time` reads it."""
_Ignored = Annotated[Any, Field(default=None, description="Taken from clients of other re-rankers, and not used.")]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class IntentRequest(_Request):
    """A query whose time is asked for."""

    query: str
    reference_date: Day | None = Field(None, description="The day of asking; by default the service's today.")


class HowToRank(IntentRequest):
    """What a ranking may be told besides the query; what is absent is as the service was started."""

    interval: Interval | None = Field(None, description="Days to ask for besides what the query says, as EDTF.")
    intent: Intent | None = Field(None, description="As /intent gave it, or changed; the query is then not read.")
    ignore_time: bool | None = Field(None, description="Rank by topic alone.")
    temporal_weight: float | None = Field(None, ge=0, le=1, description="0 keeps the semantic order.")
    mode: Literal["soft", "strict"] | None = Field(None, description="strict removes what lies outside.")
    missing: Missing | None = Field(None, description="What documents without a time get.")
    explain: bool | None = Field(None, description="Add meta.explanation, a table for people.")


class DocumentObject(TypedDict):
    """A document with its times; other fields count as metadata, where times are found too."""

    __pydantic_config__ = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)  # type: ignore[misc]

    text: str
    title: NotRequired[str | None]
    score: NotRequired[float | None]
    timestamp: NotRequired[Time]
    valid_from: NotRequired[Time]
    valid_to: NotRequired[Time]
    times: NotRequired[dict[str, Any] | None]
    metadata: NotRequired[dict[str, Any] | None]


_TEXT, _OBJECT = "a text", "a document"
_DocumentInput = Annotated[
    Annotated[str, Tag(_TEXT)] | Annotated[DocumentObject, Tag(_OBJECT)],
    Discriminator(
        lambda value: _TEXT if isinstance(value, str) else _OBJECT if isinstance(value, dict) else None,
        custom_error_type="document",
        custom_error_message="should be a text, or an object with a text",
    ),
]


class _Candidates(HowToRank):
    scores: list[float] | None = Field(None, description="One a document, higher is better.")
    timestamps: list[Time] | None = Field(None, description="One a document, null where unknown.")
    normalization: Normalization | None = Field(None, description="What the scores are.")
    truncate: _Ignored
    truncation_direction: _Ignored


class RerankRequest(_Candidates):
    """Documents to re-rank, as Cohere, Jina and vLLM take them, and more."""

    documents: list[_DocumentInput]
    top_n: int | None = Field(None, ge=1)
    return_documents: bool | None = None
    model: str | None = None
    max_tokens_per_doc: _Ignored
    max_chunks_per_doc: _Ignored
    rank_fields: _Ignored
    priority: _Ignored
    truncation: _Ignored
    truncate_prompt_tokens: _Ignored
    return_embeddings: _Ignored
    user: _Ignored


class TextsRequest(_Candidates):
    """Texts to re-rank, as text-embeddings-inference takes them, and more."""

    texts: list[str]
    return_text: bool | None = None
    raw_scores: _Ignored


class SearchRequest(HowToRank):
    """A query to the service's own documents."""

    k: int = Field(10, ge=1, description="How many documents to return.")


Model = TypeVar("Model", bound=IntentRequest)


def parse(model: type[Model], body: bytes, limits: Limits) -> Model:
    """The request that a body holds.

    Raises:
        ServiceError: no JSON (400), too many or too long texts (413), or a field that is wrong (422); has its path.

    Example:
        >>> parse(IntentRequest, b'{"query": 1}', Limits())
        Traceback (most recent call last):
        qtie.errors.ServiceError: query: Input should be a valid string
    """
    return checked(model, json_of(body), limits)


def checked(model: type[Model], fields: Any, limits: Limits) -> Model:
    """As `parse`, of what the JSON holds."""
    if not isinstance(fields, dict):
        raise ServiceError("the body should be a JSON object", status=422)
    for name in ("documents", "texts", "scores", "timestamps"):
        n_items = len(fields[name]) if isinstance(fields.get(name), list) else 0
        if n_items > limits.max_documents:  # before each of a million is looked at
            raise ServiceError(f"{n_items:,} of them; at most {limits.max_documents:,}", status=413, path=name)
    try:
        request = model.model_validate(fields)
    except ValidationError as error:
        raise _field_error(error) from None
    _check_lengths(request, limits)
    return request


def json_of(body: bytes) -> Any:
    """What the body holds.

    Raises:
        ServiceError: it is not JSON (400).
    """
    try:
        return from_json(body)
    except ValueError as error:
        raise ServiceError(f"the body is not JSON: {error}", status=400) from None


def _field_error(error: ValidationError) -> ServiceError:
    first, *others = error.errors(include_url=False, include_context=False, include_input=False)
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown field"
    more = f" (and {len(others)} more)" if others else ""
    return ServiceError(f"{message}{more}", status=422, path=_path(first["loc"]))


def _path(location: Sequence[str | int]) -> str:
    """A field's place as JavaScript and Python write it.

    Example:
        >>> _path(("documents", 3, "a document", "text"))
        'documents[3].text'
    """
    path = ""
    for position, part in enumerate(location):
        if isinstance(part, int):
            path += f"[{part}]"
        elif not (part in (_TEXT, _OBJECT) and position == 2):
            path += f".{part}" if path else part
    return path


def _check_lengths(request: IntentRequest, limits: Limits) -> None:
    texts: Sequence[Any] = ()
    name = "documents"
    if isinstance(request, RerankRequest):
        texts = request.documents
    elif isinstance(request, TextsRequest):
        name, texts = "texts", request.texts
    elif isinstance(request, SearchRequest) and request.k > limits.max_k:
        raise ServiceError(f"at most {limits.max_k:,}", status=413, path="k")
    if len(request.query) > limits.max_query_chars:
        raise ServiceError(f"longer than {limits.max_query_chars:,} characters", status=413, path="query")
    for position, text in enumerate(texts):
        if len(text if isinstance(text, str) else text["text"]) > limits.max_text_chars:
            where = f"{name}[{position}]" + ("" if isinstance(text, str) else ".text")
            raise ServiceError(f"longer than {limits.max_text_chars:,} characters", status=413, path=where)
    if isinstance(request, _Candidates):
        for field in ("scores", "timestamps"):
            values = getattr(request, field)
            if values is not None and len(values) != len(texts):
                raise ServiceError(f"{len(values)} of them for {len(texts)} {name}", status=422, path=field)
