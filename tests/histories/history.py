"""Random histories of a study that hires: invariants at every step, and at rest in the end.

Only what is visible from outside is checked: the payments in the platform's own ledger, and what
the service reports of its money, offers and sessions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from histories.invariants import Violation, check_budget, violations_at_rest, waits
from histories.simulated_platform import SimulatedPlatform, Visit
from histories.simulation import QUESTIONS, Simulation
from histories.strangers import stranger
from in_process import installed
from platforms.scenarios import PUBLIC

STRANGERS = True
"""Whether people arrive whom no platform has sent."""
STOPPED_OFFERS = True
"""Whether offers run out at the platform, or are stopped there."""
ABANDONED = True
"""Whether workers may leave for good where no platform reports it."""
MOVES = 35
REST = 40
"""After how many ticks everything must have come to rest."""
SECONDS_BETWEEN_TICKS = 4000.0
"""Seconds between the last ticks: leases end, bonuses are listed, sessions lapse."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a history."""

    moves: int
    payments: int
    violations: tuple[str, ...]


def run_history(
    kind: type[SimulatedPlatform], seed: int, database: Path, moves: int = MOVES
) -> Outcome:
    """Run a history on a new database; the same seed gives the same one."""
    url = f"sqlite:///{database}"
    with kind.running_platform() as platform:
        access = {platform.name.replace("-", "_"): platform.access()}
        with installed(url, public_url=PUBLIC, platforms=access, log_level="error") as service:
            simulation = Simulation(platform, service, url, Random(f"{kind.name}:{seed}"))
            try:
                return _run(simulation, moves)
            finally:
                simulation.close()


def _run(simulation: Simulation, moves: int) -> Outcome:
    violations: list[str] = []
    try:
        simulation.tick()
        for _ in range(moves):
            _move(simulation)
            check_budget(simulation)
        _come_to_rest(simulation)
        _overturn(simulation)
    except Violation as error:
        violations.append(str(error))
    else:
        violations += violations_at_rest(simulation)
    return Outcome(
        simulation.moves, sum(simulation.platform.payments().values()), tuple(violations)
    )


# -- moves --------------------------------------------------------------------------------------


def _move(simulation: Simulation) -> None:
    active = bool(simulation.active())
    names = [name for name in _ACTS if active or name not in _OF_THE_ACTIVE]
    (name,) = simulation.chance.choices(names, [_WEIGHTS[name] for name in names])
    _ACTS[name](simulation)
    simulation.moves += 1


def _some_worker(simulation: Simulation, act: Callable[[Simulation, Visit], None]) -> None:
    active = simulation.active()
    if active:
        act(simulation, simulation.chance.choice(active))


def _answer(simulation: Simulation, visit: Visit) -> None:
    simulation.answer(visit, simulation.chance.randint(1, QUESTIONS))


def _skip(simulation: Simulation, visit: Visit) -> None:
    simulation.answer(visit, 1, skip=True)


def _complete(simulation: Simulation, visit: Visit) -> None:
    """Answer everything, and hand in, or forget to for now."""
    simulation.answer(visit, 3 * QUESTIONS)
    if simulation.finish(visit) and simulation.chance.random() < 0.8:
        simulation.hand_in(visit)


def _hand_in(simulation: Simulation, visit: Visit) -> None:
    """Hand in a finished session, perhaps late; some hand in unfinished ones."""
    if visit.finished or (simulation.platform.reports_returns and simulation.chance.random() < 0.3):
        simulation.hand_in(visit)


def _leave(simulation: Simulation, visit: Visit) -> None:
    if simulation.platform.reports_returns or ABANDONED:
        simulation.leave(visit)


def _decide(simulation: Simulation) -> None:
    """Let a person decide at the platform on a submitted or rejected session."""
    waiting = [one for one in simulation.visits if one.handed_in]
    wanted = [
        one for one in waiting if simulation.platform.status(one) in ("submitted", "rejected")
    ]
    if wanted and simulation.platform.reports_returns:
        visit = simulation.chance.choice(wanted)
        rejected = simulation.platform.status(visit) == "rejected"
        _decide_on(simulation, visit, approve=rejected or simulation.chance.random() < 0.7)


def _decide_on(simulation: Simulation, visit: Visit, *, approve: bool) -> None:
    visit.by_hand = True
    simulation.platform.decide(visit, approve=approve)


def _fail(simulation: Simulation) -> None:
    for _ in range(simulation.chance.choice((1, 1, 3))):
        simulation.platform.fail(simulation.chance)


def _wait(simulation: Simulation) -> None:
    simulation.pass_time(simulation.chance.choice((5, 61, 130, 700, 4000)))


def _tick(simulation: Simulation) -> None:
    simulation.pass_time(15)
    simulation.tick()


def _crash(simulation: Simulation) -> None:
    simulation.pass_time(15)
    simulation.tick(crashes=True)


def _owner(simulation: Simulation) -> None:
    simulation.hire(simulation.chance.choice(("paused", "running", "running", "running")))


_ACTS: dict[str, Callable[[Simulation], None]] = {
    "arrive": Simulation.arrive,
    "answer": lambda simulation: _some_worker(simulation, _answer),
    "skip": lambda simulation: _some_worker(simulation, _skip),
    "complete": lambda simulation: _some_worker(simulation, _complete),
    "hand in": lambda simulation: _some_worker(simulation, _hand_in),
    "leave": lambda simulation: _some_worker(simulation, _leave),
    "look": _tick,
    "crash": _crash,
    "another runner": Simulation.replace_runner,
    "fail": _fail,
    "wait": _wait,
    "webhooks": Simulation.deliver,
    "person": _decide,
    "owner": _owner,
    "budget": Simulation.change_budget,
    "stranger": stranger,
    "offer ends": lambda simulation: simulation.platform.stop_offer(simulation.chance),
}
_OF_THE_ACTIVE = ("answer", "skip", "complete", "hand in", "leave")
_WEIGHTS = {
    **dict.fromkeys(_ACTS, 2.0),
    "arrive": 6.0,
    "complete": 8.0,
    "look": 6.0,
    "crash": 4.0,
    "skip": 1.0,
    "owner": 1.0,
    "budget": 1.0,
    "stranger": 3.0 * STRANGERS,
    "offer ends": 1.0 * STOPPED_OFFERS,
}


def _come_to_rest(simulation: Simulation) -> None:
    """Let nothing fail from now on, and everybody end what they have begun."""
    simulation.platform.recover()
    simulation.hire("running")
    _end_visits(simulation)
    for number in range(REST):
        simulation.deliver(all_of_it=True)
        simulation.pass_time(SECONDS_BETWEEN_TICKS)
        simulation.tick()
        check_budget(simulation)
        if number == 5:
            # Sessions that are still undecided wait for a person.
            _decide_all(simulation)
            simulation.hire("stopped")
        elif number > 6:
            about = simulation.hiring
            if about["state"] == "paused":
                simulation.hire("stopped")
            elif not about["reserved"] and not waits(simulation):
                return


def _overturn(simulation: Simulation) -> None:
    """Let a person overturn a rejection, when everything has come to rest."""
    rejected = [one for one in simulation.visits if one.handed_in]
    rejected = [one for one in rejected if simulation.platform.status(one) == "rejected"]
    if not rejected or not simulation.platform.reports_returns:
        return
    _decide_on(simulation, simulation.chance.choice(rejected), approve=True)
    for _ in range(3):
        simulation.pass_time(SECONDS_BETWEEN_TICKS)
        simulation.tick()


def _end_visits(simulation: Simulation) -> None:
    for visit in simulation.active():
        done = visit.finished is not None
        if (
            not done and simulation.chance.random() < 0.7
        ) or not simulation.platform.reports_returns:
            simulation.answer(visit, 3 * QUESTIONS)
            done = simulation.finish(visit)
        if done:
            simulation.hand_in(visit)
        else:
            simulation.leave(visit)


def _decide_all(simulation: Simulation) -> None:
    for visit in simulation.visits:
        if simulation.platform.status(visit) == "submitted":
            _decide_on(simulation, visit, approve=simulation.chance.random() < 0.7)
