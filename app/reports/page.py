"""A report as one self-contained page: no script, and no external resource."""

from datetime import UTC, datetime
from importlib.resources import files

from nextpair.app.html_markup import Html, element
from nextpair.app.pages.files import static_files
from nextpair.app.reports import comparison_sections, sections
from nextpair.app.schemas.reports import FullReportOut

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The Content-Security-Policy of the page, also when it is opened from a file."""


def render(report: FullReportOut) -> str:
    """Render the page."""
    title = report.title or report.study
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{title}: report"),
        element("style", Html(_style())),
    )
    parts = [
        sections.overview(report),
        sections.reliability(report),
        sections.agreement(report),
        sections.convergence(report),
        comparison_sections.reference(report.reference) if report.reference else None,
        comparison_sections.systems(report.systems) if report.systems else None,
        sections.workers(report),
        sections.topics(report),
    ]
    main = element("main", element("h1", title), _about(report), *parts)
    return "<!doctype html>\n" + element("html", head, element("body", main), lang="en") + "\n"


def _about(report: FullReportOut) -> Html:
    made = datetime.fromtimestamp(report.made_at, UTC).strftime("%d %B %Y, %H:%M UTC")
    selector = f", pairs chosen by {report.selector}" if report.selector else ""
    scored = f", scored by {report.rating}" if report.rating else ""
    only = f", topic {report.topic} only" if report.topic else ""
    text = f"Study {report.study}{only}: design {report.design}{selector}{scored}. Made {made}."
    return element("p", text, class_="about")


def _style() -> str:
    """Return the report's own style sheet, and the one it shares with the dashboard."""
    own = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    return own + static_files()["dashboard/charts.css"].content.decode()
