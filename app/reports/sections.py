"""The sections of the report page: a heading, sentences, and a plot or a table each."""

from nextpair.app.enums import END_DESCRIPTIONS
from nextpair.app.html_markup import Content, Html, element, join, table
from nextpair.app.reports.statements import (
    about_agreement,
    about_audits,
    about_convergence,
    about_ends,
    about_reliability,
    decimal,
    percent,
    quantity,
)
from nextpair.app.reports.svg_plots import draw_curve, draw_intervals
from nextpair.app.schemas.reports import (
    PairOfWorkersOut,
    PointOut,
    ReportOut,
    TopicReportOut,
    WorkerReportOut,
)

MAX_ROWS = 500
MAX_CURVES = 60
MAX_PAIRS = 20


def section(title: str, *content: Content) -> Html:
    """Make a section of the page."""
    return element("section", element("h2", title), *content)


def paragraph(*content: Content) -> Html:
    """Make a paragraph."""
    return element("p", *content)


def overview(report: ReportOut) -> Html:
    """Show the key figures as tiles."""
    audits, alpha = report.audits, report.agreement.alpha
    tiles = [
        (f"{report.judgments:,}", "judgments the scores rest on"),
        (f"{len(report.workers):,}", "workers who answered"),
        (
            f"{report.finished:,} of {len(report.topics):,}",
            f"topics with nothing left to ask{about_ends(report.ended)}",
        ),
        (percent(audits.accuracy), "of audit answers predicted: the honest reliability"),
        (decimal(alpha), "Krippendorff's alpha: agreement of workers beyond chance"),
    ]
    divs = [element("div", element("strong", value), " ", caption) for value, caption in tiles]
    return element("div", *divs, class_="tiles")


def reliability(report: ReportOut) -> Html:
    """Show how well the scores predict answers: out of sample (audits) and in sample."""
    rows = [
        (name, prediction.accuracy, prediction.interval)
        for name, prediction in (
            (f"audit pairs ({report.audits.preferring:,})", report.audits),
            (f"pairs of the fit ({report.in_sample.preferring:,})", report.in_sample),
        )
        if prediction.accuracy is not None and prediction.interval is not None
    ]
    label = "Share of preferences the scores predict, with 95 % intervals"
    picture = draw_intervals(rows, label) if rows else None
    undecided = (
        paragraph(
            f"{quantity(report.audits.undecided, 'audit answer')} preferred one of two documents"
            " with the same score; they count as not predicted."
        )
        if report.audits.undecided
        else None
    )
    statement = paragraph(about_audits(report.audits, report.in_sample))
    return section("How far can the scores be relied on?", statement, picture, undecided)


def agreement(report: ReportOut) -> Html:
    """Show the agreement between workers."""
    measured = report.agreement
    statements = [paragraph(about_agreement(measured, report.selector is not None))]
    if measured.percentage is not None:
        fleiss = (
            f" Each of them had {measured.votes} answers, so Fleiss' kappa is defined, too:"
            f" {decimal(measured.fleiss)}."
            if measured.votes and measured.fleiss is not None
            else ""
        )
        same = percent(measured.percentage)
        statements.append(
            paragraph(
                f"Two answers to the same question were the same {same} of the time, chance"
                f" included.{fleiss}"
            )
        )
    pairs = _pairs_of_workers(measured.pairs[:MAX_PAIRS])
    return section("Do the workers agree?", *statements, pairs)


def _pairs_of_workers(pairs: list[PairOfWorkersOut]) -> Html | None:
    if not pairs:
        return None
    rows: list[list[Content]] = [
        [
            f"{pair.one} and {pair.other}",
            f"{pair.questions:,}",
            percent(pair.percentage),
            decimal(pair.kappa),
        ]
        for pair in pairs
    ]
    heads = ["workers", "questions in common", "same answer", "weighted kappa"]
    legend = paragraph("Workers with most questions in common, and Cohen's kappa of each:")
    return join(legend, table(heads, rows, "Agreement of pairs of workers"))


def convergence(report: ReportOut) -> Html:
    """Show how the ranking came to rest."""
    statement = paragraph(about_convergence(report.convergence))
    curves = [
        _defined_points(topic.convergence)
        for topic in report.topics[:MAX_CURVES]
        if topic.convergence
    ]
    if not any(curves):
        return section("When did the ranking converge?", statement)
    whole = max(point.judgments for point in report.convergence)
    # Topics differ in length: each is drawn over the share of its own judgments.
    thin = [[(100 * x / points[-1][0], y) for x, y in points] for points in curves if points]
    thick = [(100 * x / whole, y) for x, y in _defined_points(report.convergence)]
    label = "Tau-b with the final ranking, against the share of judgments"
    picture = draw_curve(thin if len(thin) > 1 else [], thick, "% of the judgments", label)
    caption = "Tau-b with the final ranking; the thick line is the mean over topics."
    return section("When did the ranking converge?", statement, picture, _caption(caption))


def _defined_points(points: list[PointOut]) -> list[tuple[float, float]]:
    return [(float(point.judgments), point.tau) for point in points if point.tau is not None]


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
    rows = [_worker(worker) for worker in report.workers[:MAX_ROWS]]
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


def _worker(worker: WorkerReportOut) -> list[Content]:
    return [
        worker.worker,
        worker.status.value,
        f"{worker.judgments:,}",
        f"{worker.checks:,}",
        f"{worker.retracted:,}",
        _of(worker.gold_accuracy, worker.gold),
        _of(worker.intransitivity, worker.triads),
        _of(worker.self_consistency, worker.repeated),
        decimal(worker.reliability),
        decimal(worker.median_seconds, 1),
        f"{worker.passed} / {worker.failed}",
    ]


def _of(value: float | None, number: int) -> Content:
    if value is None:
        return percent(value)
    return join(percent(value), " ", element("small", f"of {number:,}"))


def topics(report: ReportOut) -> Html:
    """Show the topics."""
    if not report.topics:
        return section("Topics", paragraph("The study has no topics yet."))
    heads = ["topic", "documents", "judgments", "workers", "pairs judged", "inferred", "open"]
    heads += ["left", "alpha", "audits"]
    in_pairs = report.selector is not None
    rows = [_topic(topic, in_pairs=in_pairs) for topic in report.topics[:MAX_ROWS]]
    legend = paragraph(
        "Pairs: those people were asked about, others whose relation is known, and the rest;"
        " together all pairs of documents. Left: what is still to be asked, where the selector can"
        " tell, or why nothing is. Alpha: agreement of the topic's workers. Audits:"
        " preferences on audit pairs that the topic's scores predict."
    )
    return section(
        "Topics",
        legend,
        table([*heads, "best"], rows, "Topics", "wide"),
        _left_out(len(report.topics)),
    )


def _topic(topic: TopicReportOut, *, in_pairs: bool) -> list[Content]:
    progress = topic.progress
    pairs = (progress.judged_pairs, progress.inferred_pairs, progress.unknown_pairs)
    left = "some"
    if progress.ended is not None:
        left = f"none: {END_DESCRIPTIONS[progress.ended]}"
    elif progress.forecast is not None:
        left = f"{progress.forecast.expected:,.0f}"
    name = join(topic.topic, element("small", topic.title)) if topic.title else topic.topic
    return [
        name,
        f"{progress.documents:,}",
        f"{progress.judgments:,}",
        f"{topic.workers:,}",
        *(f"{number:,}" if in_pairs else percent(None) for number in pairs),
        left,
        decimal(topic.alpha),
        _of(topic.audits.accuracy, topic.audits.preferring),
        ", ".join(topic.best),
    ]


def _left_out(number: int) -> Html | None:
    if number <= MAX_ROWS:
        return None
    return _caption(f"{number - MAX_ROWS:,} more are in the report as JSON.")
