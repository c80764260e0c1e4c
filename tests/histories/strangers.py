"""People whom no platform has sent, and who come all the same."""

from contextlib import suppress

from histories.places import Visit
from histories.world import QUESTIONS, World


def stranger(world: World) -> None:
    """Let someone come whom the platform has not sent, with names they have made up or seen."""
    known = world.chance.choice(world.visits).query if world.visits else {}
    query = {name: f"X{world.chance.randint(0, 99)}" for name in _names(world)}
    query |= {name: known[name] for name in known if world.chance.random() < 0.5}
    token = world.enter(query)
    if token:
        visit = Visit("stranger", "", query, True, None, token)
        with suppress(AssertionError):
            world.answer(visit, QUESTIONS)
        world.finish(visit)


def _names(world: World) -> tuple[str, ...]:
    return {
        "mturk": ("assignmentId", "hitId", "workerId"),
        "prolific": ("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
        "figure-eight": ("slot", "code", "offer"),
    }[world.place.name]
