"""Strangers: people who arrive though no platform has sent them."""

from contextlib import suppress

from histories.simulated_platform import Visit
from histories.simulation import QUESTIONS, Simulation


def stranger(simulation: Simulation) -> None:
    """Let a stranger arrive, with invented or copied parameters."""
    copied = simulation.chance.choice(simulation.visits).query if simulation.visits else {}
    query = {name: f"X{simulation.chance.randint(0, 99)}" for name in _names(simulation)}
    query |= {name: copied[name] for name in copied if simulation.chance.random() < 0.5}
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
