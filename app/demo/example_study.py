"""The example study: creates it at a service, and fetches its results."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nextpair.app.client import Client
from nextpair.app.client.uploads import upload_pool
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.trec import Grades
from nextpair.app.schemas.results import ExplanationOut, ProgressOut, RankingOut

STUDY = "everyday"
OWN_STUDY = "your-turn"
"""An unjudged study, for the person who watches the demonstration."""
OWN_TOPIC = "coffee"
OWN_DOCUMENTS = 6
VOTES_PER_PAIR = 2
"""Votes per pair of the exhaustive alternative: two workers who agree."""
INSTRUCTIONS = """\
You see a question and two answers to it. Which answer would help the person who asks more? Judge
what is said, not how long it is. Say that they are equal if you cannot tell.
"""


def add_study(client: Client, pools: Sequence[Pool]) -> None:
    """Add the study with its topics."""
    client.create_study(
        STUDY,
        title="Everyday questions",
        instructions=INSTRUCTIONS,
    )
    for pool in pools:
        upload_pool(client, STUDY, pool)


def add_own_study(client: Client, pools: Sequence[Pool]) -> str:
    """Add a small study for one person to judge, and return its judging URL."""
    client.create_study(
        OWN_STUDY, title="Your turn", instructions=INSTRUCTIONS, options={"risk": 0}
    )
    (pool,) = (candidate for candidate in pools if candidate.topic == OWN_TOPIC)
    upload_pool(client, OWN_STUDY, replace(pool, documents=pool.documents[:OWN_DOCUMENTS]))
    return client.url + client.open_session(OWN_STUDY, "you").url


@dataclass(frozen=True, slots=True)
class JudgedTopic:
    """The results of one topic."""

    pool: Pool
    ranking: RankingOut
    progress: ProgressOut

    @property
    def pairs(self) -> int:
        """The number of pairs of documents."""
        return len(self.pool.documents) * (len(self.pool.documents) - 1) // 2

    def is_as_graded(self, grades: Grades) -> bool:
        """Say whether the classes equal the grades, in their order."""
        graded = grades[self.pool.topic]
        levels = sorted(set(graded.values()), reverse=True)
        wanted = [{name for name in graded if graded[name] == level} for level in levels]
        return [set(names) for names in self.ranking.classes] == wanted


def fetch_judged_topics(client: Client, pools: Sequence[Pool]) -> list[JudgedTopic]:
    """Fetch the results of all topics."""
    return [
        JudgedTopic(pool, client.ranking(STUDY, pool.topic), client.progress(STUDY, pool.topic))
        for pool in pools
    ]


def find_inference(client: Client, judged: JudgedTopic) -> ExplanationOut | None:
    """Find a pair whose relation was inferred, with a short explanation."""
    best, *others = judged.ranking.classes
    for first in best:
        for second in (name for names in reversed(others) for name in names):
            explanation = client.explain(STUDY, judged.pool.topic, first, second)
            if 2 <= len(explanation.because) <= 3:
                return explanation
    return None
