"""Numbers as a researcher reads them, each with what it means."""

from collections.abc import Mapping, Sequence

from nextpair.app.enums import ENDINGS
from nextpair.app.schemas.reports import AgreementOut, PointOut, PredictionOut, ReportOut
from nextpair.selectors.base import End

NONE = "–"  # noqa: RUF001 - a dash, for there is no number
AT_REST = 0.9


def share(value: float | None) -> str:
    """Put a share in percent."""
    return NONE if value is None else f"{value:.1%}"


def figure(value: float | None, digits: int = 2) -> str:
    """Put a number with a few digits."""
    return NONE if value is None else f"{value:.{digits}f}"


def count(number: int, noun: str) -> str:
    """Count something: 1 topic, 1,200 topics."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def about_ends(ended: Mapping[End, int]) -> str:
    """Say after a number of topics why nothing is left to ask of them."""
    told = ", ".join(f"{ENDINGS[end]} in {number:,}" for end, number in ended.items())
    return f": {told}" if told else ""


def about_audits(audits: PredictionOut, in_sample: PredictionOut) -> str:
    """Say how far the scores can be relied on."""
    if in_sample.answers == 0:
        return "Nothing has been compared yet, so there is nothing to foretell."
    if not audits.preferring or audits.interval is None:
        return (
            f"The scores foretell {share(in_sample.accuracy)} of the answers they were made from."
            " How well they foretell others is not known: no audit pair has been answered with a"
            " preference. Set the study's quality.audits to keep some pairs out of the scores."
        )
    low, high = audits.interval
    return (
        f"Of {count(audits.preferring, 'answer')} that prefer one document of a pair drawn at"
        f" random and kept out of the scores, the scores foretell {share(audits.accuracy)}"
        f" (95 % interval {share(low)} to {share(high)}); ties, {share(audits.tie_share)} of all"
        f" audit answers, are left aside. On the pairs the scores were made from it is"
        f" {share(in_sample.accuracy)}, a figure that says little: these pairs were chosen because"
        f" of what was known, and the scores were fitted to their answers."
    )


def about_agreement(agreement: AgreementOut, adaptive: bool) -> str:
    """Say how far workers agree."""
    if not agreement.questions:
        return "No question has been answered by two workers, so there is no agreement to measure."
    if agreement.alpha is None:
        told = "All answers were the same, so agreement beyond chance cannot be told."
    else:
        told = (
            f"Krippendorff's alpha ({agreement.level}) is {agreement.alpha:.2f}:"
            f" {_strength(agreement.alpha)}. It is 1 where all agree, and 0 where they agree as"
            f" often as chance would have it."
        )
    more = (
        " A selector asks several workers mostly where the answer is in doubt, so on all pairs they"
        " would agree more."
        if adaptive and agreement.votes is None
        else ""
    )
    common = f"{count(agreement.questions, 'question')} had answers of several workers. "
    return common + told + more


def _strength(alpha: float) -> str:
    if alpha >= 0.8:
        return "good agreement by the usual mark of 0.80"
    if alpha >= 0.667:
        return "enough for tentative conclusions by the usual marks (0.67 and 0.80)"
    return "below the usual mark of 0.67 for even tentative conclusions"


def about_convergence(points: Sequence[PointOut]) -> str:
    """Say when the ranking came to rest."""
    known = [point for point in points if point.tau is not None]
    if not known:
        return "There are too few judgments, or too many, to see how the ranking came to rest."
    rest = len(known)
    while rest and (known[rest - 1].tau or 0.0) >= AT_REST:
        rest -= 1
    if rest == len(known):
        return "The ranking has not come to rest."
    first, last = known[rest], points[-1]
    return (
        f"From {first.judgments:,} of {count(last.judgments, 'judgment')} on, the ranking stayed at"
        f" a tau-b of {AT_REST} or more with the final one. If the curve still climbs at its end,"
        f" more judgments would change the ranking; where it is flat they would not."
    )


def about_reliability(report: ReportOut) -> str:
    """Say what a worker's reliability is."""
    told = {
        "selector": "the share of right answers the selector expects of the worker",
        "bradley-terry": "how far the worker answers by the scores (Bradley-Terry with workers):"
        " 1 always, 0 at random, below 0 reversed",
        "dawid-skene": "the share of right answers by Dawid and Skene's model",
    }
    known = told.get(report.weighed_by or "")
    return f"Reliability: {known}. " if known else ""
