"""How fast the page is there: first paint, first results, and what is sent, over the sample corpus.

Each visit has a cache of its own. The clock is that of the browser, so other programs on the machine count: its load
stands beside the figures. Needs `qtie[serve]`, playwright and Chromium.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from report import parser, print_table, write_record

FIRST_PAINT = "performance.getEntriesByName('first-paint')[0].startTime"
SENT = "performance.getEntries().reduce((sum, {transferSize}) => sum + (transferSize || 0), 0)"
LIMITS = {"first paint, ms": 500, "bytes sent": 200_000}


def main() -> None:
    arguments = parser(__doc__ or "")
    arguments.add_argument("--visits", type=int, default=15)
    chosen = arguments.parse_args()
    load = os.getloadavg()[0]
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        visit(browser, address)  # Chromium starts its processes
        visits = [visit(browser, address) for _ in range(chosen.visits)]
        browser.close()
    rows = [
        {
            "figure": name,
            "median": statistics.median(one[name] for one in visits),
            "best": min(one[name] for one in visits),
            "worst": max(one[name] for one in visits),
            "limit": LIMITS.get(name, ""),
        }
        for name in visits[0]
    ]
    print_table(rows, title=f"{chosen.visits} visits; load of the machine {load:.1f} on {os.cpu_count()} cores")
    write_record("page", {"visits": chosen.visits, "load": load, "figures": rows}, chosen, data=[])


@contextmanager
def served() -> Iterator[str]:
    """The address of `qtie serve` in a process of its own."""
    command = [sys.executable, "-c", "from qtie.cli import main; main()", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            for line in process.stderr:
                if found := re.search(r"http://\S+", line):
                    Thread(target=process.stderr.read, daemon=True).start()  # its log must not fill the pipe
                    yield found[0] + "/"
                    return
            raise SystemExit("qtie serve did not start")
        finally:
            process.terminate()


def visit(browser: Browser, address: str) -> dict[str, Any]:
    """The figures of one visit."""
    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    page.goto(address)
    page.wait_for_selector("#results.ready", timeout=60_000)
    figures = {
        "first paint, ms": page.evaluate(FIRST_PAINT),
        "first results, ms": page.evaluate("performance.now()"),
        "bytes sent": page.evaluate(SENT),
    }
    page.context.close()
    return figures


if __name__ == "__main__":
    main()
