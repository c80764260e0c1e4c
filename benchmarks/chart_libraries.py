"""Chart libraries whose JavaScript comes in a wheel, tried under the dashboard's policy.

Each wheel is fetched by pip into a folder that is gone afterwards, and draws one chart in Chromium.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from browsers import launched
from playwright.sync_api import Browser
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from benchmarks.section import Section, main
from nextpair.app.pages.headers import dashboard_headers

WATCH = """window.found = [];
document.addEventListener('securitypolicyviolation', event => found.push(event.violatedDirective));
addEventListener('error', event => { window.failed ||= event.message; });"""
PATIENCE = 10_000


@dataclass(frozen=True, slots=True)
class Library:
    """A wheel, the script in it, and a chart with an error bar or the like."""

    wheel: str
    script: str
    draw: str
    also: str = ""


LIBRARIES = (
    Library(
        "plotly",
        "plotly/package_data/plotly.min.js",
        "Plotly.newPlot('c', [{x: [1, 2], y: [2, 1], error_y: {type: 'data', array: [1, 1]}}])"
        ".then(() => { window.drawn = true; });",
    ),
    Library(
        "bokeh",
        "bokeh/server/static/js/bokeh.min.js",
        "const p = Bokeh.Plotting.figure(); p.line([1, 2], [2, 1]);"
        "Bokeh.Plotting.show(p, document.getElementById('c'))"
        ".then(() => { window.drawn = true; });",
        "bokeh/server/static/js/bokeh-api.min.js",
    ),
    Library(
        "mpld3",
        "mpld3/js/d3.v5.min.js",
        "d3.select('#c').append('svg').append('g')"
        ".call(d3.axisBottom(d3.scaleLinear([0, 1], [0, 400]))); window.drawn = true;",
    ),
    Library(
        "uplot-python",
        "uplot/static/uPlot.iife.js",
        "new uPlot({width: 400, height: 200, series: [{}, {stroke: 'teal'}]}, [[1, 2], [2, 1]],"
        " document.getElementById('c')); window.drawn = true;",
    ),
)


class Guarded(SimpleHTTPRequestHandler):
    """Serves a folder with the dashboard's headers, and quietly."""

    def end_headers(self) -> None:
        """Add the policy."""
        for name, value in dashboard_headers().items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def fetch(library: Library, folder: Path) -> tuple[Path, str]:
    """Unpack a wheel; return where, and what it needs besides."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", library.wheel]
    subprocess.run([*words, "--dest", str(folder)], check=True, stderr=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    (metadata,) = folder.glob("*.dist-info/METADATA")
    needs = [
        line.removeprefix("Requires-Dist: ").split(";")[0].split(">")[0].strip(" (")
        for line in metadata.read_text(encoding="utf-8").splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    ]
    return wheel, ", ".join(needs)


def attempt(browser: Browser, library: Library, folder: Path) -> tuple[str, int]:
    """Draw a chart; say what came of it, and how often the policy was broken."""
    names = [name for name in (library.script, library.also, "draw.js") if name]
    scripts = "".join(f'<script src="/{name}"></script>' for name in names)
    (folder / "page.html").write_text(f'<!doctype html><div id="c"></div>{scripts}')
    (folder / "draw.js").write_text(library.draw)
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *given: Guarded(*given, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(f"http://127.0.0.1:{server.server_port}/page.html")
    with suppress(PlaywrightTimeout):
        page.wait_for_function("() => window.drawn", timeout=PATIENCE)
    page.wait_for_timeout(1000)
    told = page.evaluate("[window.drawn ? 'drawn' : 'not drawn', window.found.length]")
    page.close()
    server.shutdown()
    server.server_close()
    return told[0], told[1]


def measure(given: argparse.Namespace) -> Section:
    """Try all libraries."""
    section = Section(
        "Chart libraries",
        "python -m benchmarks.chart_libraries",
        "One chart with each library whose JavaScript ships in its wheel, under the dashboard's"
        " Content-Security-Policy: what came of it, how often the policy was broken, the size of"
        " wheel and script in kB, and which packages the wheel needs besides.",
        ("wheel", "chart", "violations", "wheel kB", "script kB", "needs"),
    )
    with launched() as browser:
        for library in LIBRARIES:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                wheel, needs = fetch(library, folder)
                result, violations = attempt(browser, library, folder)
                sizes = [wheel.stat().st_size, (folder / library.script).stat().st_size]
                told = [f"{size / 1000:,.0f}" for size in sizes]
                section.rows.append(
                    (wheel.stem.rsplit("-py", 1)[0], result, str(violations), *told, needs)
                )
    return section


if __name__ == "__main__":
    main(measure)
