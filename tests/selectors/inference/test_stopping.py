"""The judgment budget."""

import numpy as np

from nextpair.selectors.inference.stopping import JudgmentBudget


def test_a_budget_is_spent_when_all_its_judgments_are_given() -> None:
    budget = JudgmentBudget(1.5, 4)
    assert not budget.is_spent(5)
    assert budget.is_spent(6)
    assert [budget.remaining(count) for count in (0, 5, 6, 9)] == [6.0, 1.0, 0.0, 0.0]


def test_without_a_limit_a_budget_is_never_spent() -> None:
    budget = JudgmentBudget(0.0, 4)
    assert not budget.is_spent(1_000)
    assert budget.remaining(1_000) == np.inf
