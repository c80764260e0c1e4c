"""Studies and topics: added once, changed where they may, listed by pages."""

import pytest
from in_process import InProcess, refusal


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "limt=5", "after=%00"])
def test_a_page_that_cannot_be_meant_is_refused(service: InProcess, query: str) -> None:
    refusal(service.send("GET", f"/v1/studies?{query}"), 422, "invalid")
