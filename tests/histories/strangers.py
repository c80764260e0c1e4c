"""People whom no platform has sent, and who come all the same."""

from contextlib import suppress

from histories.simulated_platform import Visit
from histories.simulation import QUESTIONS, Simulation


def stranger(simulation: Simulation) -> None:
    """Let someone come whom the platform has not sent, with names they have made up or seen."""
    known = simulation.chance.choice(simulation.visits).query if simulation.visits else {}
    query = {name: f"X{simulation.chance.randint(0, 99)}" for name in _names(simulation)}
    query |= {name: known[name] for name in known if simulation.chance.random() < 0.5}
    token = simulation.enter(query)
    if token:
        visit = Visit("stranger", "", query, True, None, token)
        with suppress(AssertionError):
            simulation.answer(visit, QUESTIONS)
        simulation.finish(visit)


def _names(simulation: Simulation) -> tuple[str, ...]:
    return {
        "mturk": ("assignmentId", "hitId", "workerId"),
        "prolific": ("PROLIFIC_PID", "SESSION_ID", "STUDY_ID"),
        "figure-eight": ("slot", "code", "offer"),
    }[simulation.platform.name]
