"""The page, end to end in a browser: what a reader types, drags and reads, and that nothing in a text ever runs."""

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from commands import output_of
from pages import CHROMIUM, HOSTILE, needs_browser

from qtie import Document, TemporalReranker
from qtie.retrieval.bm25 import Bm25Retriever
from qtie.retrieval.search import TemporalSearcher
from qtie.tie.grammar import GrammarExtractor

pytest.importorskip("fastapi", reason="needs qtie[serve]")
pytest.importorskip("playwright", reason="needs playwright")

import httpx
import uvicorn
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from qtie.service.app import create_app
from qtie.service.engine import Engine, Source
from qtie.service.options import ServiceOptions
from qtie.service.server import bind

pytestmark = needs_browser
expect.set_options(timeout=15_000)
RECORDS: list[dict[str, Any]] = [
    {"_id": "brandt", "text": "Elke Brandt leads the ministry", "date": "2019-05-06"},
    {"_id": "weber", "text": "Jonas Weber takes over the ministry", "date": "2016-03-14"},
    {"_id": "move", "text": "The ministry moves to the river", "date": "2011"},
    {"_id": "vogt", "text": "Vogt is minister in the ministry of trade", "valid_from": "2018-02-01"},
    {"_id": "undated", "text": "What the ministry is for"},
    {"_id": "hostile", "text": f"The ministry {HOSTILE}", "title": f"Ministry {HOSTILE}", "date": "2014-01-01"},
]
QUERY = "who led the ministry in 2016"
FOCUSED = "(({ariaLabel, name, textContent}) => (ariaLabel || name || textContent).trim())(document.activeElement)"


DOCUMENTS = [Document.from_record(record) for record in RECORDS]
RERANKER = TemporalReranker(GrammarExtractor())


@contextmanager
def service(source: Source | None, *, token: str | None = None) -> Iterator[str]:
    """The address of a service that searches the source, answering from a thread."""
    app = create_app(Engine(RERANKER, source=source, today=lambda: date(2020, 6, 1)), ServiceOptions(token=token))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    with bind("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def corpus() -> Source:
    searcher = TemporalSearcher(DOCUMENTS, Bm25Retriever(DOCUMENTS), reranker=RERANKER)
    return Source(kind="corpus", name="notes", n_documents=len(DOCUMENTS), searcher=searcher)


@pytest.fixture(scope="module")
def address(corpus: Source) -> Iterator[str]:
    with service(corpus) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens an address; whatever the page does meanwhile, it asks no other host and logs no error."""
    problems: list[str] = []
    opened: list[Page] = []

    def opening(address: str, *, expected: str = "", **options: Any) -> Page:
        page = browser.new_context(viewport={"width": 1200, "height": 900}, **options).new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on("console", lambda said: (expected and expected in said.text) or problems.append(said.text))
        page.on("request", lambda asked: asked.url.startswith((address, "data:")) or problems.append(asked.url))
        page.goto(address)
        opened.append(page)
        return page

    yield opening
    for page in opened:
        page.context.close()
    assert problems == []


@pytest.fixture
def page(open_page: Callable[..., Page], address: str) -> Page:
    return open_page(address)


def ask(page: Page, query: str = QUERY) -> None:
    """Types the query and waits for what it asks for."""
    page.get_by_label("Query", exact=True).fill(query)
    expect(page.locator("#results.ready[aria-busy=false]")).to_be_visible()
    expect(page.locator("#marks")).to_have_text(query)


def ids(page: Page, ranking: str) -> list[str]:
    return [str(button.get_attribute("data-doc-id")) for button in page.locator(f"#{ranking} .document").all()]


def first(page: Page, ranking: str) -> Locator:
    return page.locator(f"#{ranking} .document").first


def test_words_about_time_are_marked_and_the_band_is_drawn(page: Page) -> None:
    ask(page)
    expect(page.locator("#marks mark")).to_have_text(["in 2016"])
    expect(page.locator("#reading .chip")).to_have_text(["in 2016 → 2016"])
    expect(page.locator("#status")).to_contain_text("asked: 2016")
    expect(page.locator("#timeline rect.band")).to_have_count(1)
    expect(page.locator("#timeline .row")).to_have_count(6)
    expect(page.locator("#timeline .bar.undated")).to_have_count(1)
    expect(page.locator("#timeline .bar.coarse")).to_have_count(1)
    expect(first(page, "after")).to_contain_text("Jonas Weber")
    expect(first(page, "after")).to_contain_text("S_temp 1.000")


def test_letters_beyond_the_first_plane_shift_no_mark(page: Page) -> None:
    ask(page, "𝒲ho led 🏛 the ministry in 2016?")
    expect(page.locator("#marks mark")).to_have_text(["in 2016"])


def test_an_open_end_fades(page: Page) -> None:
    ask(page, "ministry since 2016")
    expect(page.locator("#reading .chip")).to_have_text(["since 2016 → 2016-01-01 – …"])
    fill = page.locator("#timeline rect.band").get_attribute("fill") or ""
    stops = page.locator(f"[id='{fill[5:-1]}'] stop")
    assert [stop.get_attribute("stop-opacity") for stop in stops.all()] == ["1", "1", "1", "0"]
    expect(page.locator("#timeline .band-edge")).to_have_count(1)


def test_the_weight_ranks_anew(page: Page) -> None:
    ask(page)
    weight = page.get_by_role("slider", name="Weight of time")
    weight.press("Home")
    expect(page.locator("#method")).to_contain_text("S_temp^0;")
    assert ids(page, "after") == ids(page, "before")
    weight.press("End")
    expect(page.locator("#method")).to_contain_text("S_temp^1;")
    assert ids(page, "after")[0] == "weber"
    expect(weight).to_have_attribute("aria-valuetext", "1.00 for time, 0.00 for the topic")


def test_the_weight_can_be_dragged(page: Page) -> None:
    ask(page)
    box = page.get_by_role("slider", name="Weight of time").bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.locator("#method")).to_contain_text("S_temp^1;")


def test_movement_is_that_between_the_lists(page: Page) -> None:
    ask(page)
    before, after = ids(page, "before"), ids(page, "after")
    assert sorted(before) == sorted(after)
    for rank, doc_id in enumerate(after):
        moved = before.index(doc_id) - rank
        shown = f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved < 0 else "="
        expect(page.locator(f"#after [data-doc-id={doc_id}] .move")).to_have_text(shown)


def test_days_are_chosen_by_dragging_over_the_axis(page: Page) -> None:
    ask(page)
    area = page.locator("#timeline .brush-area").bounding_box()
    tick = page.locator("#timeline text.quiet", has_text="2012").first.bounding_box()
    assert area
    assert tick
    middle, y = tick["x"] + tick["width"] / 2, area["y"] + 3
    page.mouse.move(area["x"] + 0.08 * area["width"], y)
    page.mouse.down()
    page.mouse.move(middle - 4, y, steps=6)
    page.mouse.up()
    chosen = page.get_by_role("button", name="Your days")
    expect(chosen).to_be_visible()
    expect(first(page, "after")).to_contain_text("moves to the river")
    expect(page.locator("#reading .overruled")).to_have_count(1)
    chosen.click()
    expect(first(page, "after")).to_contain_text("Jonas Weber")
    expect(chosen).to_have_count(0)


def test_a_side_dragged_to_the_end_of_the_axis_is_open(page: Page) -> None:
    ask(page)
    handle, area = page.get_by_role("slider", name="Last day"), page.locator("#timeline .brush-area").bounding_box()
    box = handle.bounding_box()
    assert area
    assert box
    page.mouse.move(box["x"] + 3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] + 30, box["y"] + 5, steps=6)
    page.mouse.up()
    expect(page.get_by_role("button", name="Your days: 2016-01-01 – …")).to_be_visible()
    expect(page.get_by_role("slider", name="Last day")).to_have_attribute("aria-valuetext", "open")


def test_a_document_explains_its_place(page: Page) -> None:
    ask(page)
    page.locator("#after [data-doc-id=brandt]").click()
    explanation = page.locator("#after .explanation:visible")
    expect(explanation).to_contain_text("Its time: 2019-05-06. Asked: 2016. It lies after what is asked.")
    topic, time, product = [cell.inner_text() for cell in explanation.locator("td").all()]
    (semantic, topic_share), (temporal, time_share) = (cell.split(" = ") for cell in (topic, time))
    assert float(semantic.split("^")[0]) ** 0.6 == pytest.approx(float(topic_share), abs=0.002)
    assert float(temporal.split("^")[0]) ** 0.4 == pytest.approx(float(time_share), abs=0.002)
    assert product.startswith(f"{topic_share} · {time_share} = ")
    assert float(product.split(" = ")[1]) == pytest.approx(float(topic_share) * float(time_share), abs=0.002)
    expect(page.locator("#timeline .row.chosen")).to_have_attribute("data-doc-id", "brandt")


def test_time_can_be_ignored(page: Page) -> None:
    ask(page)
    page.get_by_role("switch", name="Ignore time").check()
    expect(page.locator("#status")).to_contain_text("asked: no time; 0 moved")
    expect(page.locator("#reading .overruled")).to_have_count(1)
    expect(page.locator("#timeline rect.band")).to_have_count(0)
    assert ids(page, "after") == ids(page, "before")


def test_a_query_without_time_says_so(page: Page) -> None:
    ask(page, "driver of the ministry")
    expect(page.locator("#reading")).to_have_text("asks for no time: the order stays as it is")
    expect(page.locator("#marks mark")).to_have_count(0)
    first(page, "after").click()
    expect(page.locator("#after .explanation:visible")).to_contain_text("the topic alone decides")


def test_last_year_counts_from_the_picked_day(page: Page) -> None:
    ask(page, "ministry last year")
    expect(page.locator("#reading .chip")).to_have_text(["last year → 2019"])
    page.get_by_label("Asked on").fill("2017-03-01")
    expect(page.locator("#reading .chip")).to_have_text(["last year → 2016"])
    expect(first(page, "after")).to_contain_text("Jonas Weber")


def test_hostile_text_stays_text(page: Page) -> None:
    ask(page, f"ministry in 2014 {HOSTILE}")
    expect(page.locator("#after [data-doc-id=hostile]")).to_contain_text(HOSTILE)
    page.get_by_label("pasted").check()
    page.get_by_label("Documents as JSON").fill(json.dumps([{"text": HOSTILE, "title": HOSTILE, "timestamp": "2014"}]))
    expect(page.locator("#after .document")).to_have_count(1)
    first(page, "after").click()
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.locator("#snippet")).to_contain_text("onerror")
    assert page.title() == "qtie"
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1


def test_pasted_documents_and_what_is_wrong_with_them(page: Page) -> None:
    ask(page)
    page.get_by_label("pasted").check()
    expect(first(page, "after")).to_contain_text("Jonas Weber takes over the ministry.")
    pasted = page.get_by_label("Documents as JSON")
    pasted.fill('{"text": "one", "timestamp": "2016"}\n{"text": ')
    expect(page.get_by_role("alert")).to_contain_text("Line 2 of the documents is no JSON")
    pasted.fill('["one", {"text": "two", "timestamp": "2016"}]')
    expect(page.get_by_role("alert")).to_have_text("")
    expect(first(page, "after")).to_contain_text("two")


def test_what_the_service_refuses_is_said(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, expected="422")
    ask(page)
    page.get_by_label("pasted").check()
    page.get_by_label("Documents as JSON").fill('[{"title": "no text"}]')
    expect(page.get_by_role("alert")).to_contain_text("documents[0]")


def test_the_keyboard_is_enough(page: Page) -> None:
    expect(page.locator("#results")).to_be_attached()
    seen, press = [], page.keyboard.press

    def tab_to(name: str) -> None:
        for _ in range(40):
            press("Tab")
            focused = page.evaluate(FOCUSED)
            seen.append(focused)
            if focused.startswith(name):
                return
        pytest.fail(f"{name} is not reached: {seen}")

    tab_to("Skip to")
    tab_to("query")
    page.keyboard.type(QUERY)
    expect(page.locator("#marks mark")).to_have_text(["in 2016"])
    tab_to("ignore_time")
    press("Space")
    expect(page.locator("#reading .overruled")).to_have_count(1)
    press("Space")
    expect(page.locator("#reading .overruled")).to_have_count(0)
    tab_to("temporal_weight")
    press("ArrowRight")
    expect(page.locator("#method")).to_contain_text("S_temp^0.45")
    tab_to("First day")
    press("Shift+ArrowLeft")
    expect(page.get_by_role("button", name="Your days: 2015 – 2016")).to_be_visible()
    press("Shift+ArrowLeft")  # the handle still has the focus, though the timeline was drawn anew
    expect(page.get_by_role("button", name="Your days: 2014 – 2016")).to_be_visible()
    tab_to("1. ")
    press("ArrowDown")
    press("Enter")
    expect(page.locator("#after .explanation:visible")).to_have_count(1)
    tab_to("Copy as cURL")
    press("Enter")
    expect(page.locator("#snippet")).to_contain_text("curl -sS")


def results_of(output: str) -> list[str]:
    return [result["doc_id"] for result in json.loads(output)["results"]]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_copied_requests_give_what_is_shown(page: Page, tmp_path: Path) -> None:
    ask(page, "who's led the ministry in 2016")
    page.get_by_role("slider", name="Weight of time").press("End")
    expect(page.locator("#method")).to_contain_text("S_temp^1;")
    shown = ids(page, "after")
    page.get_by_role("button", name="Copy as cURL").click()
    expect(page.locator("#snippet")).to_contain_text("curl")
    command = page.locator("#snippet").inner_text()
    output = output_of("bash", "-c", command)
    assert results_of(output) == shown
    page.get_by_role("button", name="Copy as Python").click()
    expect(page.locator("#snippet")).to_contain_text("httpx")
    script = tmp_path / "request.py"
    script.write_text(page.locator("#snippet").inner_text(), encoding="utf-8")
    lines = output_of(sys.executable, script).splitlines()
    assert [line.split("'")[3] for line in lines] == shown


def test_a_store_is_searched(open_page: Callable[..., Page], tmp_path: Path) -> None:
    pytest.importorskip("lancedb", reason="needs qtie[store]")
    from qtie.retrieval.store import Store, StoreSearcher

    store = Store.create(str(tmp_path / "notes.store"))
    store.write(DOCUMENTS)
    searcher = StoreSearcher(store, reranker=RERANKER)
    with service(Source(kind="store", name="notes.store", n_documents=6, searcher=searcher)) as address:
        page = open_page(address)
        ask(page)
        expect(page.get_by_label("notes.store (6)")).to_be_checked()
        expect(first(page, "after")).to_contain_text("Jonas Weber")


def test_without_documents_of_its_own_it_takes_pasted_ones(open_page: Callable[..., Page]) -> None:
    with service(None) as address:
        page = open_page(address)
        ask(page)
        expect(page.get_by_label("of the service")).to_be_disabled()
        expect(first(page, "after")).to_contain_text("Jonas Weber takes over the ministry.")


def test_a_token_is_asked_for_and_never_shown(open_page: Callable[..., Page], corpus: Source) -> None:
    with service(corpus, token="s3cret-token") as address:
        page = open_page(address, expected="401")
        entering = page.get_by_label("The service asks for its token")
        expect(entering).to_be_visible()
        entering.fill("s3cret-token")
        ask(page)
        expect(first(page, "after")).to_contain_text("Jonas Weber")
        page.get_by_role("button", name="Copy as cURL").click()
        expect(page.locator("#snippet")).to_contain_text("Bearer $QTIE_TOKEN")
        assert "s3cret" not in page.locator("#snippet").inner_text()


def test_light_and_dark(open_page: Callable[..., Page], address: str) -> None:
    shades = {}
    for scheme in ("light", "dark"):
        page = open_page(address, color_scheme=scheme)
        colours = page.evaluate(
            "(({backgroundColor, color}) => [backgroundColor, color])(getComputedStyle(document.body))"
        )
        shades[scheme] = [sum(map(int, colour[4:-1].split(","))) for colour in colours]
    assert shades["light"][0] > shades["light"][1]
    assert shades["dark"][0] < shades["dark"][1]


def test_a_small_screen_needs_no_sideways_scrolling(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address)
    page.set_viewport_size({"width": 360, "height": 700})
    ask(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_every_control_has_a_name(page: Page) -> None:
    ask(page)
    tree = page.locator("body").aria_snapshot()
    for role in ("combobox", "slider", "switch", "radio", "button", "textbox"):
        for line in tree.splitlines():
            if line.strip().startswith(f"- {role}"):
                assert line.strip().startswith(f'- {role} "'), line


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(open_page: Callable[..., Page], address: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    page = open_page(address, color_scheme=scheme, bypass_csp=True)  # axe is a script of its own
    ask(page, "ministry since 2012")
    first(page, "after").click()
    found = axe.Axe().run(page).response["violations"]
    assert [(barrier["id"], [node["target"] for node in barrier["nodes"]]) for barrier in found] == []


def test_it_is_light_and_under_a_strict_policy(address: str) -> None:
    n_bytes = 0
    for path in ("", "page/page.css", "page/page.js"):
        reply = httpx.get(address + path)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert httpx.get(address + path, headers={"If-None-Match": reply.headers["etag"]}).status_code == 304
        n_bytes += len(reply.content)
    assert n_bytes < 200_000


@pytest.mark.parametrize(
    "path", ["page/", "page/../search", "page/%2e%2e/%2e%2e/etc/passwd", "page/page.py", "page//page.js"]
)
def test_no_other_path_is_answered(address: str, path: str) -> None:
    assert httpx.get(address + path).status_code in (404, 405)
