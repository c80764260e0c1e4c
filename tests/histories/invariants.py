"""What must be true of a history at every step, and when it is over."""

from histories.simulation import Simulation
from in_process import AT

IN_DOUBT = "may have been paid"
STOPPED_THERE = "Hiring has stopped: "


class Violation(AssertionError):
    """Something that must not be."""


def check_budget(simulation: Simulation) -> None:
    """What is committed stays in the budget, but for what a person there has overturned."""
    committed, budget = simulation.committed()
    bound = max(budget, simulation.floor)
    overturned = simulation.platform.overturned * simulation.platform.each
    if committed > bound + overturned:
        raise Violation(f"committed {committed} of {bound} after {simulation.moves} moves")
    simulation.floor = min(simulation.floor, max(budget, committed))


def waits(simulation: Simulation) -> bool:
    """Say whether a session is undecided, or a deed not done."""
    states = simulation.hiring["submissions"]
    open_sessions = any(states.get(name) for name in ("working", "finished", "submitted", "held"))
    return open_sessions or any(one["state"] == "intended" for one in simulation.activity())


def violations_at_rest(simulation: Simulation) -> list[str]:
    """List what is wrong with a history that is over."""
    about, platform = simulation.hiring, simulation.platform
    items = simulation.activity()
    doubted = [one for one in items if one["state"] == "failed" and IN_DOUBT in one["message"]]
    wrong = []
    most = sum(one["cost"] for one in doubted)
    unbooked = about["spent"] - platform.paid()
    if not (0 <= unbooked <= most) or (unbooked and not doubted):
        wrong.append(f"booked {about['spent']}, paid {platform.paid()}, in doubt {most}")
    if about["reserved"]:
        wrong.append(f"reserved {about['reserved']} at rest")
    if waits(simulation):
        wrong.append(f"waiting at rest: {about['state']}, {about['submissions']}")
    if set(about["offers"]) - {"expired", "failed"}:
        wrong.append(f"offers at rest: {about['offers']}")
    # That a person ended an offer there stays said until somebody publishes again.
    odd = [one for one in about["warnings"] if not one.startswith(STOPPED_THERE)]
    if odd:
        wrong.append(f"warnings at rest: {odd}")
    paid = simulation.service.get(f"{AT}/pace")["paid"]
    if round(paid["spent"] * 100) != about["spent"]:
        wrong.append(f"told {paid['spent']} on the dashboard, {about['spent']} in hiring")
    twice = {who: count for who, count in platform.payments().items() if count > 1}
    if twice:
        wrong.append(f"paid more than once: {twice}")
    return wrong + _wrong_of_workers(simulation)


def _wrong_of_workers(simulation: Simulation) -> list[str]:
    """List who was not paid though they did all that was asked."""
    payments = simulation.platform.payments()
    wrong = []
    for visit in simulation.visits:
        # A place that names no worker is one worker's for us, whoever came to it.
        before = [one for one in simulation.visits if one.session == visit.session]
        good = all(one.honest and one.careful for one in before)
        good = good and bool(visit.finished) and visit.handed_in
        paid = payments["reward", visit.worker]
        if good and not paid and not visit.by_hand:
            wrong.append(f"{visit.worker} was not paid: {simulation.platform.status(visit)}")
    return wrong
