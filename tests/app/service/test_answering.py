"""Answering and skipping: once, by whose question it is, and never thrown away."""

from in_process import InProcess, refusal


def test_assignments_that_are_not_there_leave_nothing_in_memory(light: InProcess) -> None:
    for number in range(1, 50):
        refusal(light.judge({"id": f"{number}-1"}), 404, "unknown-assignment")
    assert len(light.app.state.service.topics) == 0
