"""Invariants of a history at every step, and at rest in the end."""

from histories.simulation import Simulation
from in_process import AT

UNCERTAIN = "may have been paid"
STOPPED_BY_PERSON = "Hiring has stopped: "


class Violation(AssertionError):
    """A violated invariant."""


def check_budget(simulation: Simulation) -> None:
    """Spent and reserved stay within the budget, except for rejections a person overturned."""
    committed, budget = simulation.committed()
    bound = max(budget, simulation.floor)
    overturned = simulation.platform.overturned * simulation.platform.each
    if committed > bound + overturned:
        raise Violation(f"committed {committed} of {bound} after {simulation.moves} moves")
    simulation.floor = min(simulation.floor, max(budget, committed))


def waits(simulation: Simulation) -> bool:
    """Say whether a session is undecided, or a command pending."""
    states = simulation.hiring["submissions"]
    open_sessions = any(states.get(name) for name in ("working", "finished", "submitted", "held"))
    return open_sessions or any(one["state"] == "intended" for one in simulation.activity())


def violations_at_rest(simulation: Simulation) -> list[str]:
    """List the violations of a history that is over."""
    about, platform = simulation.hiring, simulation.platform
    items = simulation.activity()
    uncertain = [one for one in items if one["state"] == "failed" and UNCERTAIN in one["message"]]
    violations = []
    most = sum(one["cost"] for one in uncertain)
    unbooked = about["spent"] - platform.paid()
    if not (0 <= unbooked <= most) or (unbooked and not uncertain):
        violations.append(f"booked {about['spent']}, paid {platform.paid()}, uncertain {most}")
    if about["reserved"]:
        violations.append(f"reserved {about['reserved']} at rest")
    if waits(simulation):
        violations.append(f"waiting at rest: {about['state']}, {about['submissions']}")
    if set(about["offers"]) - {"expired", "failed"}:
        violations.append(f"offers at rest: {about['offers']}")
    # That a person has ended an offer there is shown until somebody publishes again.
    odd = [one for one in about["warnings"] if not one.startswith(STOPPED_BY_PERSON)]
    if odd:
        violations.append(f"warnings at rest: {odd}")
    paid = simulation.service.get(f"{AT}/pace")["paid"]
    if round(paid["spent"] * 100) != about["spent"]:
        violations.append(f"told {paid['spent']} on the dashboard, {about['spent']} in hiring")
    twice = {who: count for who, count in platform.payments().items() if count > 1}
    if twice:
        violations.append(f"paid more than once: {twice}")
    return violations + _unpaid_workers(simulation)


def _unpaid_workers(simulation: Simulation) -> list[str]:
    """List workers who did everything that was asked and were not paid."""
    payments = simulation.platform.payments()
    violations = []
    for visit in simulation.visits:
        # A place that names no worker is one worker to us, whoever takes it.
        before = [one for one in simulation.visits if one.session == visit.session]
        good = all(one.honest and one.careful for one in before)
        good = good and bool(visit.finished) and visit.handed_in
        paid = payments["reward", visit.worker]
        if good and not paid and not visit.by_hand:
            violations.append(f"{visit.worker} was not paid: {simulation.platform.status(visit)}")
    return violations
