"""The example study at a service: put there, and looked at when it has been judged."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nextpair.app.client import Client
from nextpair.app.client.uploads import upload_pool
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.trec import Grades
from nextpair.app.schemas.results import ExplanationOut, ProgressOut, RankingOut

STUDY = "everyday"
OWN_STUDY = "your-turn"
"""A study that nobody has judged: whoever watches the demonstration may."""
OWN_TOPIC = "coffee"
OWN_DOCUMENTS = 6
FEWEST = 2
"""Workers that asking every pair would take for each: two who agree."""
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
    """Add a small study for one person to judge, and return the address where they do."""
    client.create_study(
        OWN_STUDY, title="Your turn", instructions=INSTRUCTIONS, options={"risk": 0}
    )
    (pool,) = (one for one in pools if one.topic == OWN_TOPIC)
    upload_pool(client, OWN_STUDY, replace(pool, documents=pool.documents[:OWN_DOCUMENTS]))
    return client.url + client.open_session(OWN_STUDY, "you").url


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of one topic."""

    pool: Pool
    ranking: RankingOut
    progress: ProgressOut

    @property
    def pairs(self) -> int:
        """All pairs there are."""
        return len(self.pool.documents) * (len(self.pool.documents) - 1) // 2

    def is_as_graded(self, grades: Grades) -> bool:
        """Say whether the classes are exactly the grades, in their order."""
        graded = grades[self.pool.topic]
        levels = sorted(set(graded.values()), reverse=True)
        wanted = [{name for name in graded if graded[name] == level} for level in levels]
        return [set(names) for names in self.ranking.classes] == wanted


def look(client: Client, pools: Sequence[Pool]) -> list[Judged]:
    """Fetch what is known of all topics."""
    return [
        Judged(pool, client.ranking(STUDY, pool.topic), client.progress(STUDY, pool.topic))
        for pool in pools
    ]


def find_inference(client: Client, judged: Judged) -> ExplanationOut | None:
    """Find two documents nobody was asked about, and how it is known which is better."""
    best, *others = judged.ranking.classes
    for first in best:
        for second in (name for names in reversed(others) for name in names):
            found = client.explain(STUDY, judged.pool.topic, first, second)
            if 2 <= len(found.because) <= 3:
                return found
    return None
