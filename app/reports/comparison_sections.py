"""The sections that compare the study with the reader's own files: a reference, and systems."""

from nextpair.app.html_markup import Content, Html, table
from nextpair.app.reports.reference import list_some
from nextpair.app.reports.sections import paragraph, section
from nextpair.app.reports.statements import decimal, percent, quantity
from nextpair.app.reports.svg_plots import draw_scatter
from nextpair.app.schemas.reports import ConcordanceOut, MeasureOut, ReferenceOut, SystemsOut


def reference(out: ReferenceOut) -> Html:
    """Show the agreement between the study and the reference."""
    missing = [
        paragraph(
            f"{quantity(len(names), 'topic')} only in the {where}, left out: {list_some(names)}."
        )
        for names, where in (
            (out.only_in_study, "study"),
            (out.only_in_reference, "reference"),
        )
        if names
    ]
    heads = ["topic", "documents", "alike", "opposite", "tied", "tau-b", "of ordered", "AUC"]
    rows: list[list[Content]] = [
        [
            topic.topic,
            f"{topic.documents:,}",
            f"{topic.pairs.agree:,}",
            f"{topic.pairs.disagree:,}",
            f"{topic.pairs.unknown:,}",
            decimal(topic.tau),
            percent(topic.ordered_agreement),
            percent(topic.auc),
        ]
        for topic in out.topics
    ]
    shown = table(heads, rows, "Topics against the reference")
    title = "Does the study agree with the reference?"
    return section(title, *map(paragraph, _about_reference(out)), *missing, shown)


def _about_reference(out: ReferenceOut) -> tuple[str, str]:
    whole = out.pairs
    pairs = whole.agree + whole.disagree + whole.unknown
    return (
        f"{quantity(out.documents, 'document')} of {quantity(len(out.topics), 'topic')} have"
        f" both a score and a grade. Of their {quantity(pairs, 'pair')}, study and reference order"
        f" {_part(whole.agree, pairs)} alike and {_part(whole.disagree, pairs)} the other way"
        f" round; {_part(whole.unknown, pairs)} are tied by at least one of them and are neither.",
        f"Over topics, the mean tau-b is {decimal(out.tau)}. Of the pairs the reference orders,"
        f" the study orders {percent(out.ordered_agreement)} alike (of all pairs, as Roitero et"
        f" al. count, {percent(out.agreement)}). A document with a grade above 0 has a higher"
        f" score than one with 0 with a chance of {percent(out.auc)} (AUC).",
    )


def _part(number: int, whole: int) -> str:
    return percent(number / whole if whole else None)


def systems(out: SystemsOut) -> Html:
    """Compare the rankings of systems by the study and by the reference."""
    heads = ["system", "RBP, reference", "RBP, study", "nDCG, reference", "nDCG, study"]
    rows: list[list[Content]] = [
        [
            system.system,
            decimal(system.rbp_reference, 4),
            decimal(system.rbp_study, 4),
            decimal(system.ndcg_reference, 4),
            decimal(system.ndcg_study, 4),
        ]
        for system in out.systems
    ]
    points = [(system.system, system.rbp_reference, system.rbp_study) for system in out.systems]
    picture = draw_scatter(
        points, "RBP by the reference (across) and by the study (up)", "Systems by RBP"
    )
    statements = [paragraph(_about(measure)) for measure in out.measures]
    legend = paragraph(
        f"{quantity(len(out.systems), 'system')} on {quantity(len(out.topics), 'topic')}, means"
        " over topics. A document's gain is its grade divided by the highest, and by the study its"
        " score from 0, the worst of the topic, to 1, the best; a document without either has none."
    )
    title = "Would systems be ranked the same?"
    return section(title, legend, *statements, picture, table(heads, rows, "Systems"))


def _about(compared: MeasureOut) -> str:
    tau = decimal(compared.tau)
    ordered = f"By {compared.measure}, tau-b between the two rankings of systems is {tau}"
    ordered += f" ({_pairs(compared.pairs)})."
    if compared.discrimination is None:
        return f"{ordered} A test of significance needs at least two topics."
    confusion = compared.discrimination
    return (
        f"{ordered} Of the pairs of systems, a paired t-test (5 %) separates"
        f" {confusion.true_positive:,} by both (TP), {confusion.false_positive:,} by the study"
        f" alone (FP), {confusion.false_negative:,} by the reference alone (FN),"
        f" {confusion.true_negative:,} by neither (TN)."
    )


def _pairs(pairs: ConcordanceOut) -> str:
    return f"{pairs.agree:,} pairs alike, {pairs.disagree:,} opposite, {pairs.unknown:,} tied"
