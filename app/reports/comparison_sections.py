"""The parts of the page that need the reader's own files: a reference, and systems."""

from nextpair.app.html_markup import Content, Html, table
from nextpair.app.reports.reference import listed
from nextpair.app.reports.sections import paragraph, section
from nextpair.app.reports.statements import count, figure, share
from nextpair.app.reports.svg_plots import draw_scatter
from nextpair.app.schemas.reports import ConcordanceOut, MeasureOut, ReferenceOut, SystemsOut


def reference(found: ReferenceOut) -> Html:
    """Show how far the study agrees with the reference."""
    missing = [
        paragraph(f"{count(len(names), 'topic')} only in the {where}, left out: {listed(names)}.")
        for names, where in (
            (found.only_in_study, "study"),
            (found.only_in_reference, "reference"),
        )
        if names
    ]
    heads = ["topic", "documents", "alike", "opposite", "tied", "tau-b", "of ordered", "AUC"]
    rows: list[list[Content]] = [
        [
            one.topic,
            f"{one.documents:,}",
            f"{one.pairs.agree:,}",
            f"{one.pairs.disagree:,}",
            f"{one.pairs.unknown:,}",
            figure(one.tau),
            share(one.ordered_agreement),
            share(one.auc),
        ]
        for one in found.topics
    ]
    shown = table(heads, rows, "Topics against the reference")
    title = "Does the study agree with the reference?"
    return section(title, *map(paragraph, _about_reference(found)), *missing, shown)


def _about_reference(found: ReferenceOut) -> tuple[str, str]:
    whole = found.pairs
    pairs = whole.agree + whole.disagree + whole.unknown
    return (
        f"{count(found.documents, 'document')} of {count(len(found.topics), 'topic')} have both a"
        f" score and a grade. Of their {count(pairs, 'pair')}, study and reference order"
        f" {_part(whole.agree, pairs)} alike and {_part(whole.disagree, pairs)} the other way"
        f" round; {_part(whole.unknown, pairs)} are tied by at least one of them, so nothing can be"
        f" said of these.",
        f"Over topics, the mean tau-b is {figure(found.tau)}. Of the pairs the reference orders,"
        f" the study orders {share(found.ordered_agreement)} alike (of all pairs, as Roitero et"
        f" al. count, {share(found.agreement)}). A document with a grade above 0 has a higher"
        f" score than one with 0 with a chance of {share(found.auc)} (AUC).",
    )


def _part(number: int, whole: int) -> str:
    return share(number / whole if whole else None)


def systems(found: SystemsOut) -> Html:
    """Show what study and reference make of the systems."""
    heads = ["system", "RBP, reference", "RBP, study", "nDCG, reference", "nDCG, study"]
    rows: list[list[Content]] = [
        [
            one.system,
            figure(one.rbp_reference, 4),
            figure(one.rbp_study, 4),
            figure(one.ndcg_reference, 4),
            figure(one.ndcg_study, 4),
        ]
        for one in found.systems
    ]
    points = [(one.system, one.rbp_reference, one.rbp_study) for one in found.systems]
    picture = draw_scatter(
        points, "RBP by the reference (across) and by the study (up)", "Systems by RBP"
    )
    told = [paragraph(_about(one)) for one in found.measures]
    first = paragraph(
        f"{count(len(found.systems), 'system')} on {count(len(found.topics), 'topic')}, means over"
        " topics. A document's gain is its grade divided by the highest, and by the study its score"
        " from 0, the worst of the topic, to 1, the best; a document without either has none."
    )
    title = "Would systems be ranked the same?"
    return section(title, first, *told, picture, table(heads, rows, "Systems"))


def _about(one: MeasureOut) -> str:
    ordered = f"By {one.measure}, tau-b between the two rankings of systems is {figure(one.tau)}"
    ordered += f" ({_pairs(one.pairs)})."
    if one.discrimination is None:
        return f"{ordered} Which differences are significant needs two topics at least."
    told = one.discrimination
    return (
        f"{ordered} Of the pairs of systems, a paired t-test (5 %) tells {told.true_positive:,}"
        f" apart by both (TP), {told.false_positive:,} by the study alone (FP),"
        f" {told.false_negative:,} by the reference alone (FN), {told.true_negative:,} by neither"
        f" (TN)."
    )


def _pairs(pairs: ConcordanceOut) -> str:
    return f"{pairs.agree:,} pairs alike, {pairs.disagree:,} opposite, {pairs.unknown:,} tied"
