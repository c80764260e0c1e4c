"""The cache of projections: what it keeps, and what it evicts or invalidates."""

import pytest

from nextpair.app.errors import UnknownAssignment, WorkerBlocked
from nextpair.app.runtime.projection import TopicProjection
from nextpair.app.runtime.topic_cache import TopicCache
from nextpair.app.studies.study import Study, StudySettings
from nextpair.selectors.state.documents import Document
from nextpair.storage.rows import TopicRow


def _projection() -> TopicProjection:
    row = TopicRow(1, 1, "topic", "", "", "", 0, 2, "", "open", 0, 0, 0, 0.0)
    study = Study(1, "study", StudySettings(), "open", 0, 0.0)
    return TopicProjection(row, [Document("a"), Document("b")], study)


def test_a_refusal_does_not_invalidate_the_projection() -> None:
    cache, projection = TopicCache(10**6, 1.0), _projection()
    with pytest.raises(WorkerBlocked), cache.hold(1) as slot:
        slot.projection = projection
        raise WorkerBlocked()

    with cache.hold(1) as slot:
        assert slot.projection is projection


def test_an_error_within_an_update_invalidates_the_projection() -> None:
    cache = TopicCache(10**6, 1.0)
    with pytest.raises(ZeroDivisionError), cache.hold(1) as slot, slot.invalidated_on_error():
        slot.projection = _projection()
        raise ZeroDivisionError

    with cache.hold(1) as slot:
        assert slot.projection is None


def test_topics_that_do_not_exist_take_no_memory() -> None:
    cache = TopicCache(10**6, 1.0)
    for topic_id in range(100):
        with pytest.raises(UnknownAssignment), cache.hold(topic_id):
            raise UnknownAssignment()

    assert len(cache) == 0
    assert cache.bytes == 0


def test_a_topic_in_use_is_not_evicted_however_little_memory_there_is() -> None:
    cache = TopicCache(1, 1.0)
    with cache.hold(1) as slot:
        slot.projection = _projection()
        with cache.hold(2) as other:
            other.projection = _projection()
        assert len(cache) == 1

    assert len(cache) == 0
    assert cache.bytes == 0
