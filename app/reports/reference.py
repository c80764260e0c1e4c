"""A study's scores against a reference's grades: qrels that its reader has."""

from collections.abc import Mapping, Sequence

import numpy as np

from nextpair.app.schemas.reports import ConcordanceOut, ReferenceOut, TopicReferenceOut
from nextpair.selectors.agreement.rank_correlation import (
    Concordance,
    auc,
    concordance,
    pairwise_agreement,
    tau_b,
)
from nextpair.selectors.errors import BadInput

Scores = Mapping[str, Mapping[str, float]]
"""Topic, then document, to its score."""
Grades = Mapping[str, Mapping[str, float]]

SHOWN = 5
"""Names in a message."""


def compare_with(grades: Grades, scores: Scores, name: str) -> ReferenceOut:
    """Compare scores with grades, over the documents that have both.

    Parameters
    ----------
    name
        What the reference is called where it does not fit.
    """
    found = _common(grades, scores, name)
    pairs = sum((pairs for _, pairs in found), Concordance(0, 0, 0))
    topics = [one for one, _ in found]
    return ReferenceOut(
        topics=topics,
        documents=sum(one.documents for one in topics),
        pairs=concordance_out(pairs),
        agreement=_mean([one.agreement for one in topics]),
        ordered_agreement=_mean([one.ordered_agreement for one in topics]),
        tau=_mean([one.tau for one in topics]),
        auc=_mean([one.auc for one in topics]),
        only_in_study=[topic for topic in scores if topic not in grades],
        only_in_reference=[topic for topic in grades if topic not in scores],
    )


def _common(
    grades: Grades, scores: Scores, name: str
) -> list[tuple[TopicReferenceOut, Concordance]]:
    common = [topic for topic in scores if topic in grades]
    if not common:
        raise BadInput(
            f"{name}: no topic of the study is in it; the study has {listed(list(scores))},"
            f" the file {listed(list(grades))}"
        )
    found = [_topic(topic, scores[topic], grades[topic]) for topic in common]
    if not any(one.documents for one, _ in found):
        raise BadInput(f"{name}: no document of the study has a grade in it")
    return found


def listed(names: Sequence[str]) -> str:
    """Name a few of many."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (", ".join(names[:SHOWN]) + more) or "none"


def concordance_out(found: Concordance) -> ConcordanceOut:
    """Describe how pairs compare."""
    return ConcordanceOut(agree=found.agree, disagree=found.disagree, unknown=found.unknown)


def _topic(
    topic: str, scores: Mapping[str, float], grades: Mapping[str, float]
) -> tuple[TopicReferenceOut, Concordance]:
    both = [document for document in scores if document in grades]
    given = [float(grades[document]) for document in both]
    scored = [scores[document] for document in both]
    pairs, whole = concordance(given, scored), all(grade == int(grade) for grade in given)
    told = TopicReferenceOut(
        topic=topic,
        documents=len(both),
        pairs=concordance_out(pairs),
        agreement=pairwise_agreement(given, scored),
        ordered_agreement=pairwise_agreement(given, scored, only_ordered=True),
        tau=tau_b(given, scored),
        # Which grade is relevant is known of whole grades only.
        auc=auc([float(grade > 0) for grade in given], scored) if whole else None,
    )
    return told, pairs


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
