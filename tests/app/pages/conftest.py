"""One browser and one service for all tests of pages; each test has studies of its own."""

import tempfile
from collections.abc import Iterator

import pytest
from browsers import Site, chromium, launched
from installations import new_key, serving
from needs import missing
from playwright.sync_api import Browser

from nextpair.app.client import Client

FRAMES = '["http://localhost:*"]'


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser, which must have ended before other tests run event loops in this thread."""
    if chromium() is None:
        missing("browser", "there is no Chromium here (apt-get install chromium)")
    with launched() as running:
        yield running


@pytest.fixture(scope="package")
def whole_site(browser: Browser) -> Iterator[Site]:
    """A service and a browser."""
    with tempfile.TemporaryDirectory(prefix="nextpair-pages-") as folder:
        url = f"sqlite:///{folder}/nextpair.db"
        key = new_key(url)
        with (
            serving(url, frame_ancestors=FRAMES) as (address, _),
            Client(address, key) as client,
        ):
            yield Site(address, client, browser, key=key)


@pytest.fixture
def site(whole_site: Site) -> Iterator[Site]:
    """A service and a browser without pages of other tests."""
    yield whole_site
    whole_site.close()
