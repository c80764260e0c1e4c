"""Random histories of a study that hires: what must be true at every step, and when all is at rest.

Only what is seen from outside is looked at: what the platform's own ledger says was paid, and what
the service says of its money, offers and sessions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from histories.checks import Wrong, check_budget, waits, wrong_at_rest
from histories.places import Place, Visit
from histories.strangers import stranger
from histories.world import QUESTIONS, World
from in_process import installed
from platforms.scenes import PUBLIC

STRANGERS = True
"""Whether people come whom no platform has sent."""
STOPPED_OFFERS = True
"""Whether offers run out at the platform, or are stopped there."""
ABANDONED = True
"""Whether workers may go for good where no platform tells that they have gone."""
MOVES = 35
REST = 40
"""After how many looks everything must have come to rest."""
BETWEEN = 4000.0
"""Seconds between the last looks: leases end, bonuses come to be listed, sessions lapse."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a history."""

    moves: int
    payments: int
    wrong: tuple[str, ...]


def play(kind: type[Place], seed: int, database: Path, moves: int = MOVES) -> Outcome:
    """Play a history on a new database; the same seed gives the same one."""
    url = f"sqlite:///{database}"
    with kind.staged() as place:
        given = {place.name.replace("-", "_"): place.access()}
        with installed(url, public_url=PUBLIC, platforms=given, log_level="error") as service:
            world = World(place, service, url, Random(f"{kind.name}:{seed}"))
            try:
                return _play(world, moves)
            finally:
                world.close()


def _play(world: World, moves: int) -> Outcome:
    wrong: list[str] = []
    try:
        world.look()
        for _ in range(moves):
            _move(world)
            check_budget(world)
        _come_to_rest(world)
        _overturn(world)
    except Wrong as error:
        wrong.append(str(error))
    else:
        wrong += wrong_at_rest(world)
    return Outcome(world.moves, sum(world.place.payments().values()), tuple(wrong))


# -- moves --------------------------------------------------------------------------------------


def _move(world: World) -> None:
    active = bool(world.active())
    names = [name for name in _ACTS if active or name not in _OF_THE_ACTIVE]
    (name,) = world.chance.choices(names, [_WEIGHTS[name] for name in names])
    _ACTS[name](world)
    world.moves += 1


def _someone(world: World, act: Callable[[World, Visit], None]) -> None:
    active = world.active()
    if active:
        act(world, world.chance.choice(active))


def _answer(world: World, visit: Visit) -> None:
    world.answer(visit, world.chance.randint(1, QUESTIONS))


def _skip(world: World, visit: Visit) -> None:
    world.answer(visit, 1, skip=True)


def _complete(world: World, visit: Visit) -> None:
    """Answer all, and hand in, or forget to for now."""
    world.answer(visit, 3 * QUESTIONS)
    if world.finish(visit) and world.chance.random() < 0.8:
        world.hand_in(visit)


def _hand_in(world: World, visit: Visit) -> None:
    """Hand in what was finished, perhaps long ago; some hand in what was not."""
    if visit.finished or (world.place.returns and world.chance.random() < 0.3):
        world.hand_in(visit)


def _leave(world: World, visit: Visit) -> None:
    if world.place.returns or ABANDONED:
        world.leave(visit)


def _decide(world: World) -> None:
    """Let a person decide at the platform: what waits there, or what was rejected."""
    waiting = [one for one in world.visits if one.handed_in]
    wanted = [one for one in waiting if world.place.status(one) in ("submitted", "rejected")]
    if wanted and world.place.returns:
        visit = world.chance.choice(wanted)
        rejected = world.place.status(visit) == "rejected"
        _decide_on(world, visit, approve=rejected or world.chance.random() < 0.7)


def _decide_on(world: World, visit: Visit, *, approve: bool) -> None:
    visit.by_hand = True
    world.place.decide(visit, approve=approve)


def _fail(world: World) -> None:
    for _ in range(world.chance.choice((1, 1, 3))):
        world.place.fail(world.chance)


def _wait(world: World) -> None:
    world.pass_time(world.chance.choice((5, 61, 130, 700, 4000)))


def _tick(world: World) -> None:
    world.pass_time(15)
    world.look()


def _die(world: World) -> None:
    world.pass_time(15)
    world.look(dies=True)


def _owner(world: World) -> None:
    world.hire(world.chance.choice(("paused", "running", "running", "running")))


_ACTS: dict[str, Callable[[World], None]] = {
    "arrive": World.arrive,
    "answer": lambda world: _someone(world, _answer),
    "skip": lambda world: _someone(world, _skip),
    "complete": lambda world: _someone(world, _complete),
    "hand in": lambda world: _someone(world, _hand_in),
    "leave": lambda world: _someone(world, _leave),
    "look": _tick,
    "die": _die,
    "another runner": World.replace_runner,
    "fail": _fail,
    "wait": _wait,
    "webhooks": World.deliver,
    "person": _decide,
    "owner": _owner,
    "budget": World.change_budget,
    "stranger": stranger,
    "offer ends": lambda world: world.place.stop_offer(world.chance),
}
_OF_THE_ACTIVE = ("answer", "skip", "complete", "hand in", "leave")
_WEIGHTS = {
    **dict.fromkeys(_ACTS, 2.0),
    "arrive": 6.0,
    "complete": 8.0,
    "look": 6.0,
    "die": 4.0,
    "skip": 1.0,
    "owner": 1.0,
    "budget": 1.0,
    "stranger": 3.0 * STRANGERS,
    "offer ends": 1.0 * STOPPED_OFFERS,
}


def _come_to_rest(world: World) -> None:
    """Let everything go well from now on, and everybody end what they have begun."""
    world.place.calm()
    world.hire("running")
    _end_visits(world)
    for number in range(REST):
        world.deliver(all_of_it=True)
        world.pass_time(BETWEEN)
        world.look()
        check_budget(world)
        if number == 5:
            # Who has handed in and waits, waits for a person by now.
            _decide_all(world)
            world.hire("stopped")
        elif number > 6:
            about = world.hiring
            if about["state"] == "paused":
                world.hire("stopped")
            elif not about["reserved"] and not waits(world):
                return


def _overturn(world: World) -> None:
    """Let a person accept somebody who was rejected, when everything had come to rest."""
    rejected = [one for one in world.visits if one.handed_in]
    rejected = [one for one in rejected if world.place.status(one) == "rejected"]
    if not rejected or not world.place.returns:
        return
    _decide_on(world, world.chance.choice(rejected), approve=True)
    for _ in range(3):
        world.pass_time(BETWEEN)
        world.look()


def _end_visits(world: World) -> None:
    for visit in world.active():
        done = visit.finished is not None
        if (not done and world.chance.random() < 0.7) or not world.place.returns:
            world.answer(visit, 3 * QUESTIONS)
            done = world.finish(visit)
        if done:
            world.hand_in(visit)
        else:
            world.leave(visit)


def _decide_all(world: World) -> None:
    for visit in world.visits:
        if world.place.status(visit) == "submitted":
            _decide_on(world, visit, approve=world.chance.random() < 0.7)
