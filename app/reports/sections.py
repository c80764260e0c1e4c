"""The parts of the page: a heading, sentences, and a picture or a table each."""

from nextpair.app.enums import ENDINGS
from nextpair.app.html_markup import Content, Html, element, join, table
from nextpair.app.reports.statements import (
    about_agreement,
    about_audits,
    about_convergence,
    about_ends,
    about_reliability,
    count,
    figure,
    share,
)
from nextpair.app.reports.svg_plots import draw_curve, draw_intervals
from nextpair.app.schemas.reports import (
    PairOfWorkersOut,
    PointOut,
    ReportOut,
    TopicReportOut,
    WorkerReportOut,
)

MOST_ROWS = 500
MOST_CURVES = 60
MOST_PAIRS = 20


def section(title: str, *content: Content) -> Html:
    """Make a part of the page."""
    return element("section", element("h2", title), *content)


def paragraph(*content: Content) -> Html:
    """Make a paragraph."""
    return element("p", *content)


def glance(report: ReportOut) -> Html:
    """Show the figures everyone asks for first."""
    audits, alpha = report.audits, report.agreement.alpha
    tiles = [
        (f"{report.judgments:,}", "judgments the scores rest on"),
        (f"{len(report.workers):,}", "workers who answered"),
        (
            f"{report.finished:,} of {len(report.topics):,}",
            f"topics with nothing left to ask{about_ends(report.ended)}",
        ),
        (share(audits.accuracy), "of audit answers foretold: the honest reliability"),
        (figure(alpha), "Krippendorff's alpha: agreement of workers beyond chance"),
    ]
    shown = [element("div", element("strong", top), " ", below) for top, below in tiles]
    return element("div", *shown, class_="tiles")


def reliability(report: ReportOut) -> Html:
    """Show how well the scores foretell answers, honestly and naively."""
    rows = [
        (name, one.accuracy, one.interval)
        for name, one in (
            (f"audit pairs ({report.audits.preferring:,})", report.audits),
            (f"pairs of the fit ({report.in_sample.preferring:,})", report.in_sample),
        )
        if one.accuracy is not None and one.interval is not None
    ]
    label = "Share of preferences the scores foretell, with 95 % intervals"
    picture = draw_intervals(rows, label) if rows else None
    undecided = (
        paragraph(
            f"{count(report.audits.undecided, 'audit answer')} preferred one of two documents with"
            " the same score; they count as not foretold."
        )
        if report.audits.undecided
        else None
    )
    told = paragraph(about_audits(report.audits, report.in_sample))
    return section("How far can the scores be relied on?", told, picture, undecided)


def agreement(report: ReportOut) -> Html:
    """Show how far workers agree."""
    found = report.agreement
    told = [paragraph(about_agreement(found, report.selector is not None))]
    if found.percentage is not None:
        fleiss = (
            f" Each of them had {found.votes} answers, so Fleiss' kappa can be told, too:"
            f" {figure(found.fleiss)}."
            if found.votes and found.fleiss is not None
            else ""
        )
        told.append(
            paragraph(
                f"Two answers to the same question were the same {share(found.percentage)} of the"
                f" time, chance included.{fleiss}"
            )
        )
    return section("Do the workers agree?", *told, _pairs_of_workers(found.pairs[:MOST_PAIRS]))


def _pairs_of_workers(pairs: list[PairOfWorkersOut]) -> Html | None:
    if not pairs:
        return None
    rows: list[list[Content]] = [
        [
            f"{pair.one} and {pair.other}",
            f"{pair.questions:,}",
            share(pair.percentage),
            figure(pair.kappa),
        ]
        for pair in pairs
    ]
    heads = ["workers", "questions in common", "same answer", "weighted kappa"]
    told = paragraph("Workers with most questions in common, and Cohen's kappa of each:")
    return join(told, table(heads, rows, "Agreement of pairs of workers"))


def convergence(report: ReportOut) -> Html:
    """Show how the ranking came to rest."""
    told = paragraph(about_convergence(report.convergence))
    curves = [_known(one.convergence) for one in report.topics[:MOST_CURVES] if one.convergence]
    if not any(curves):
        return section("When did the ranking come to rest?", told)
    whole = max(point.judgments for point in report.convergence)
    # Topics differ in length: each is drawn over the share of its own judgments.
    thin = [[(100 * x / points[-1][0], y) for x, y in points] for points in curves if points]
    thick = [(100 * x / whole, y) for x, y in _known(report.convergence)]
    label = "Tau-b with the final ranking, against the share of judgments"
    picture = draw_curve(thin if len(thin) > 1 else [], thick, "% of the judgments", label)
    caption = "Tau-b with the final ranking; the thick line is the mean over topics."
    return section("When did the ranking come to rest?", told, picture, _caption(caption))


def _known(points: list[PointOut]) -> list[tuple[float, float]]:
    return [(float(one.judgments), one.tau) for one in points if one.tau is not None]


def _caption(text: str) -> Html:
    return element("p", text, class_="caption")


def workers(report: ReportOut) -> Html:
    """Show the worker table."""
    if not report.workers:
        return section("Workers", paragraph("Nobody has answered yet."))
    heads = [
        "worker",
        "status",
        "judgments",
        "checks",
        "retracted",
        "known answers right",
        "intransitive triads",
        "repeats alike",
        "reliability",
        "median seconds",
        "verdicts passed / failed",
    ]
    rows = [_worker(one) for one in report.workers[:MOST_ROWS]]
    legend = (
        "Known answers: traps and the quiz, also those of batches that did not pass. Intransitive"
        " triads: of three documents a worker compared all with one another, how often no order"
        " explains the answers. Repeats: questions asked again, and answered exactly alike. "
    )
    return section(
        "Workers",
        paragraph(legend + about_reliability(report), "Behind a share stands of how many."),
        table(heads, rows, "Workers"),
        _left_out(len(report.workers)),
    )


def _worker(one: WorkerReportOut) -> list[Content]:
    return [
        one.worker,
        one.status.value,
        f"{one.judgments:,}",
        f"{one.checks:,}",
        f"{one.retracted:,}",
        _of(one.gold_accuracy, one.gold),
        _of(one.intransitivity, one.triads),
        _of(one.self_consistency, one.repeated),
        figure(one.reliability),
        figure(one.median_seconds, 1),
        f"{one.passed} / {one.failed}",
    ]


def _of(value: float | None, number: int) -> Content:
    if value is None:
        return share(value)
    return join(share(value), " ", element("small", f"of {number:,}"))


def topics(report: ReportOut) -> Html:
    """Show the topics."""
    if not report.topics:
        return section("Topics", paragraph("The study has no topics yet."))
    heads = ["topic", "documents", "judgments", "workers", "pairs judged", "inferred", "open"]
    heads += ["left", "alpha", "audits"]
    in_pairs = report.selector is not None
    rows = [_topic(one, in_pairs=in_pairs) for one in report.topics[:MOST_ROWS]]
    legend = paragraph(
        "Pairs: those people were asked about, others whose relation is known, and the rest;"
        " together all pairs of documents. Left: what is still to be asked, where the selector can"
        " tell, or why nothing is. Alpha: agreement of the topic's workers. Audits:"
        " preferences on audit pairs that the topic's scores foretell."
    )
    return section(
        "Topics",
        legend,
        table([*heads, "best"], rows, "Topics", "wide"),
        _left_out(len(report.topics)),
    )


def _topic(one: TopicReportOut, *, in_pairs: bool) -> list[Content]:
    progress = one.progress
    pairs = (progress.judged_pairs, progress.inferred_pairs, progress.unknown_pairs)
    left = "some"
    if progress.ended is not None:
        left = f"none: {ENDINGS[progress.ended]}"
    elif progress.forecast is not None:
        left = f"{progress.forecast.expected:,.0f}"
    name = join(one.topic, element("small", one.title)) if one.title else one.topic
    return [
        name,
        f"{progress.documents:,}",
        f"{progress.judgments:,}",
        f"{one.workers:,}",
        *(f"{number:,}" if in_pairs else share(None) for number in pairs),
        left,
        figure(one.alpha),
        _of(one.audits.accuracy, one.audits.preferring),
        ", ".join(one.best),
    ]


def _left_out(number: int) -> Html | None:
    if number <= MOST_ROWS:
        return None
    return _caption(f"{number - MOST_ROWS:,} more are in the report as JSON.")
