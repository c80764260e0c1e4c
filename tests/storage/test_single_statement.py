"""Questions and answers in one statement each: all of it happens, or nothing."""

from dataclasses import replace

from installations import new_key

from nextpair.storage import assignments, judgments, single_statement, studies, topics
from nextpair.storage.database import Database
from nextpair.storage.rows import AssignmentRow, DocumentRow, JudgmentRow, State

TOPIC = {
    "name": "t",
    "title": "",
    "description": "",
    "narrative": "",
    "seed": 1,
    "documents": 2,
    "fingerprint": "",
    "version": 0,
    "position": 0,
    "asked": 0,
    "created_at": 0.0,
}


def set_up(url: str) -> tuple[Database, AssignmentRow]:
    new_key(url)
    database = Database(url)
    with database.write() as connection:
        study = studies.add_study(connection, "s", {}, 0.0)
        pool = [DocumentRow(n, f"d{n}", "", "", None, None, None, None) for n in range(2)]
        topic_id = topics.add_topic(connection, study.id, TOPIC, pool)
        worker = studies.enlist_worker(connection, study.id, "ann", 0.0)
    row = AssignmentRow(topic_id, 1, worker.id, 0, 1, True, State.OPEN, 1, 1, 9.0, None, 0.0)
    return database, row


def judgment_of(row: AssignmentRow) -> JudgmentRow:
    answer = {"preference": "left"}
    return JudgmentRow(row.topic_id, 1, 1, 1, row.worker_id, 0, 1, "worse", answer, None, 2.0)


def test_an_assignment_and_its_answer_are_committed_by_one_statement_each(
    postgresql_url: str,
) -> None:
    database, row = set_up(postgresql_url)
    with database.autocommit() as connection:
        seen = topics.topic_head(connection, row.topic_id)
        asked = replace(seen, version=1, asked=1)
        assert single_statement.insert_assignment(connection, seen, asked, row) is None
        answered = replace(row, state=State.ANSWERED, version=2)
        judged = replace(asked, version=2, position=1)
        assert (
            single_statement.insert_judgment(connection, asked, judged, judgment_of(row), answered)
            is None
        )
    with database.read() as connection:
        assert topics.topic_head(connection, row.topic_id) == judged
        assert assignments.find_assignment(connection, row.topic_id, 1) == answered
        assert judgments.answers_to(connection, row.topic_id, 1) == [judgment_of(row)]
    database.close()


def test_a_failed_compare_and_swap_returns_what_others_have_committed(postgresql_url: str) -> None:
    database, row = set_up(postgresql_url)
    with database.autocommit() as connection:
        seen = topics.topic_head(connection, row.topic_id)
        asked = replace(seen, version=1, asked=1)
        assert single_statement.insert_assignment(connection, seen, asked, row) is None
        answered = replace(row, state=State.ANSWERED, version=2)
        judged = replace(asked, version=2, position=1)
        assert (
            single_statement.insert_judgment(connection, asked, judged, judgment_of(row), answered)
            is None
        )
        concurrent = single_statement.insert_assignment(
            connection, seen, asked, replace(row, number=2)
        )
    record = judgments.record_of(judgment_of(row))
    assert concurrent == single_statement.ConcurrentDelta(judged, [answered], [record], [])
    database.close()


def test_nothing_is_written_if_the_topic_or_its_study_has_changed(postgresql_url: str) -> None:
    database, row = set_up(postgresql_url)
    with database.autocommit() as connection:
        seen = topics.topic_head(connection, row.topic_id)
        to = replace(seen, version=seen.version + 1, asked=1)
        topics.set_topic_status(connection, row.topic_id, "paused")
        concurrent = single_statement.insert_assignment(connection, seen, to, row)
        assert concurrent is not None
        assert (concurrent.head.status, concurrent.head.version, concurrent.changed) == (
            "paused",
            to.version,
            [],
        )
        seen = topics.topic_head(connection, row.topic_id)
        to = replace(seen, version=seen.version + 1, asked=1)
        studies.touch_study(connection, seen.study_id)
        assert single_statement.insert_assignment(connection, seen, to, row)
        now = topics.topic_head(connection, row.topic_id)
        to = replace(now, version=now.version + 1, asked=1)
        assert single_statement.insert_assignment(connection, now, to, row) is None
        answered = replace(row, state=State.ANSWERED, version=to.version + 1)
        judged = replace(to, version=to.version + 1, position=1)
        assert single_statement.insert_judgment(connection, now, judged, judgment_of(row), answered)
        found = assignments.find_assignment(connection, row.topic_id, 1)
        assert found is not None
        assert found.state == State.OPEN
        assert judgments.answers_to(connection, row.topic_id, 1) == []
    database.close()
