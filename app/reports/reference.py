"""Agreement of a study's scores with the grades of a reference: qrels."""

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

MAX_LISTED = 5
"""Names in a message."""


def compare_with_reference(grades: Grades, scores: Scores, name: str) -> ReferenceOut:
    """Compare scores with grades, over the documents that have both.

    Parameters
    ----------
    name
        The name of the reference in error messages.
    """
    compared = _shared_topics(grades, scores, name)
    pairs = sum((pairs for _, pairs in compared), Concordance(0, 0, 0))
    topics = [per_topic for per_topic, _ in compared]
    return ReferenceOut(
        topics=topics,
        documents=sum(per_topic.documents for per_topic in topics),
        pairs=concordance_out(pairs),
        agreement=_mean([per_topic.agreement for per_topic in topics]),
        ordered_agreement=_mean([per_topic.ordered_agreement for per_topic in topics]),
        tau=_mean([per_topic.tau for per_topic in topics]),
        auc=_mean([per_topic.auc for per_topic in topics]),
        only_in_study=[topic for topic in scores if topic not in grades],
        only_in_reference=[topic for topic in grades if topic not in scores],
    )


def _shared_topics(
    grades: Grades, scores: Scores, name: str
) -> list[tuple[TopicReferenceOut, Concordance]]:
    common = [topic for topic in scores if topic in grades]
    if not common:
        raise BadInput(
            f"{name}: no topic of the study is in it; the study has {list_some(list(scores))},"
            f" the file {list_some(list(grades))}"
        )
    compared = [_topic(topic, scores[topic], grades[topic]) for topic in common]
    if not any(topic_out.documents for topic_out, _ in compared):
        raise BadInput(f"{name}: no document of the study has a grade in it")
    return compared


def list_some(names: Sequence[str]) -> str:
    """List the first few of many names."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return (", ".join(names[:MAX_LISTED]) + more) or "none"


def concordance_out(pairs: Concordance) -> ConcordanceOut:
    """Present the counts of concordant, discordant and tied pairs."""
    return ConcordanceOut(agree=pairs.agree, disagree=pairs.disagree, unknown=pairs.unknown)


def _topic(
    topic: str, scores: Mapping[str, float], grades: Mapping[str, float]
) -> tuple[TopicReferenceOut, Concordance]:
    shared = [document for document in scores if document in grades]
    reference_grades = [float(grades[document]) for document in shared]
    scored = [scores[document] for document in shared]
    pairs, whole = (
        concordance(reference_grades, scored),
        all(grade == int(grade) for grade in reference_grades),
    )
    out = TopicReferenceOut(
        topic=topic,
        documents=len(shared),
        pairs=concordance_out(pairs),
        agreement=pairwise_agreement(reference_grades, scored),
        ordered_agreement=pairwise_agreement(reference_grades, scored, only_ordered=True),
        tau=tau_b(reference_grades, scored),
        # AUC needs binary relevance, which is only defined for integer grades.
        auc=auc([float(grade > 0) for grade in reference_grades], scored) if whole else None,
    )
    return out, pairs


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None
