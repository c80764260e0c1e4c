"""What a process keeps of topics in memory, and when it forgets."""

import pytest

from nextpair.app.errors import UnknownAssignment, WorkerBlocked
from nextpair.app.runtime.projection import LiveTopic
from nextpair.app.runtime.topic_cache import TopicCache
from nextpair.app.studies.study import Study, StudySettings
from nextpair.selectors.state.documents import Document
from nextpair.storage.rows import TopicRow


def _live() -> LiveTopic:
    row = TopicRow(1, 1, "topic", "", "", "", 0, 2, "", "open", 0, 0, 0, 0.0)
    study = Study(1, "study", StudySettings(), "open", 0, 0.0)
    return LiveTopic(row, [Document("a"), Document("b")], study)


def test_a_refusal_does_not_make_a_process_read_the_topic_again() -> None:
    cache, live = TopicCache(10**6, 1.0), _live()
    with pytest.raises(WorkerBlocked), cache.hold(1) as slot:
        slot.live = live
        raise WorkerBlocked()

    with cache.hold(1) as slot:
        assert slot.live is live


def test_a_topic_is_read_again_when_an_error_stops_it_half_way() -> None:
    cache = TopicCache(10**6, 1.0)
    with pytest.raises(ZeroDivisionError), cache.hold(1) as slot, slot.moving():
        slot.live = _live()
        raise ZeroDivisionError

    with cache.hold(1) as slot:
        assert slot.live is None


def test_topics_that_do_not_exist_take_no_memory() -> None:
    cache = TopicCache(10**6, 1.0)
    for topic_id in range(100):
        with pytest.raises(UnknownAssignment), cache.hold(topic_id):
            raise UnknownAssignment()

    assert len(cache) == 0
    assert cache.bytes == 0


def test_a_topic_in_use_is_not_forgotten_however_little_memory_there_is() -> None:
    cache = TopicCache(1, 1.0)
    with cache.hold(1) as slot:
        slot.live = _live()
        with cache.hold(2) as other:
            other.live = _live()
        assert len(cache) == 1

    assert len(cache) == 0
    assert cache.bytes == 0
