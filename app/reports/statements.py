"""Statistics as sentences: numbers formatted for a researcher, with their interpretation."""

from collections.abc import Mapping, Sequence

from nextpair.app.enums import END_DESCRIPTIONS
from nextpair.app.schemas.reports import AgreementOut, PointOut, PredictionOut, ReportOut
from nextpair.selectors.base import End

NONE = "–"  # noqa: RUF001 - a dash, where there is no number
CONVERGED_TAU = 0.9


def percent(value: float | None) -> str:
    """Format a share as a percentage."""
    return NONE if value is None else f"{value:.1%}"


def decimal(value: float | None, digits: int = 2) -> str:
    """Format a number with a few digits."""
    return NONE if value is None else f"{value:.{digits}f}"


def quantity(number: int, noun: str) -> str:
    """Format a number with its noun: 1 topic, 1,200 topics."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def about_ends(ended: Mapping[End, int]) -> str:
    """Return why topics have no questions left, to follow the number of such topics."""
    reasons = ", ".join(f"{END_DESCRIPTIONS[end]} in {number:,}" for end, number in ended.items())
    return f": {reasons}" if reasons else ""


def about_audits(audits: PredictionOut, in_sample: PredictionOut) -> str:
    """Describe how well the scores predict audit answers, and answers in the fit."""
    if in_sample.answers == 0:
        return "Nothing has been compared yet, so there is nothing to predict."
    if not audits.preferring or audits.interval is None:
        return (
            f"The scores predict {percent(in_sample.accuracy)} of the answers they were fitted to."
            " How well they predict other answers is unknown: no audit pair has been answered with"
            " a preference. Set the study's quality.audits to keep some pairs out of the fit."
        )
    low, high = audits.interval
    return (
        f"Of {quantity(audits.preferring, 'answer')} that prefer one document of a pair drawn at"
        f" random and kept out of the fit, the scores predict {percent(audits.accuracy)}"
        f" (95 % interval {percent(low)} to {percent(high)}); ties, {percent(audits.tie_share)} of"
        f" all audit answers, are excluded. On the pairs in the fit it is"
        f" {percent(in_sample.accuracy)}, which says little: these pairs were chosen adaptively,"
        f" and the scores were fitted to their answers."
    )


def about_agreement(agreement: AgreementOut, adaptive: bool) -> str:
    """Describe the agreement between workers."""
    if not agreement.questions:
        return "No question has been answered by two workers, so there is no agreement to measure."
    if agreement.alpha is None:
        statement = "All answers were the same, so agreement beyond chance is not defined."
    else:
        statement = (
            f"Krippendorff's alpha ({agreement.level}) is {agreement.alpha:.2f}:"
            f" {_strength(agreement.alpha)}. It is 1 where all agree, and 0 where they agree as"
            f" often as by chance."
        )
    caveat = (
        " A selector asks several workers mostly where the answer is uncertain, so on all pairs"
        " they would agree more."
        if adaptive and agreement.votes is None
        else ""
    )
    shared = f"{quantity(agreement.questions, 'question')} had answers of several workers. "
    return shared + statement + caveat


def _strength(alpha: float) -> str:
    if alpha >= 0.8:
        return "good agreement by the usual threshold of 0.80"
    if alpha >= 0.667:
        return "enough for tentative conclusions by the usual thresholds (0.67 and 0.80)"
    return "below the usual threshold of 0.67 for even tentative conclusions"


def about_convergence(points: Sequence[PointOut]) -> str:
    """Describe after how many judgments the ranking converged."""
    defined = [point for point in points if point.tau is not None]
    if not defined:
        return "There are too few judgments, or too many, to show whether the ranking converged."
    converged = len(defined)
    while converged and (defined[converged - 1].tau or 0.0) >= CONVERGED_TAU:
        converged -= 1
    if converged == len(defined):
        return "The ranking has not converged."
    first, last = defined[converged], points[-1]
    return (
        f"From {first.judgments:,} of {quantity(last.judgments, 'judgment')} on, the ranking stayed"
        f" at a tau-b of {CONVERGED_TAU} or more with the final one. If the curve still climbs at"
        f" its end, more judgments would change the ranking; where it is flat they would not."
    )


def about_reliability(report: ReportOut) -> str:
    """Describe how a worker's reliability is estimated."""
    definitions = {
        "selector": "the share of right answers the selector expects of the worker",
        "bradley-terry": "how closely the worker follows the scores (Bradley-Terry with workers):"
        " 1 always, 0 at random, below 0 reversed",
        "dawid-skene": "the share of right answers by Dawid and Skene's model",
    }
    definition = definitions.get(report.weighed_by or "")
    return f"Reliability: {definition}. " if definition else ""
