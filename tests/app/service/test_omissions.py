"""What no worker will see is said when documents are added, over HTTP and by the command line."""

import json
from pathlib import Path

import pytest
from in_process import AT, InProcess, installed
from installations import new_key, serving

from nextpair.app.cli import main
from nextpair.app.pages import omissions
from nextpair.app.pages.omissions import DocumentBody, find_omissions

PICTURE = '<p>See <img src="https://example.org/a.png"></p>'
INLINE = '<p>See <img src="data:image/png;base64,AAAA"></p>'
HTML = {
    "a": PICTURE,
    "b": PICTURE * 2,
    "c": INLINE,
    "d": "<p>Hear</p><audio src='x.mp3'></audio><video></video>",
    "e": '<iframe src="https://example.org"><img></iframe><p>Words</p>',
    "f": "<form><input><p>Words</p></form>",
    "g": "<script>if (a < b) document.write('<img src=x>')</script><p>Words</p>",
}
TOLD = {
    omissions.REMOTE_IMAGES: (3, ["a", "b"]),
    omissions.INLINE_IMAGES: (1, ["c"]),
    omissions.MEDIA: (2, ["d"]),
    omissions.FRAMES: (1, ["e"]),
    omissions.SCRIPTS: (1, ["g"]),
    omissions.FORMS: (2, ["f"]),
}


def documents() -> list[dict[str, str]]:
    return [{"id": name, "html": html} for name, html in HTML.items()]


def lines() -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in documents())


def told(not_shown: list[dict[str, object]]) -> dict[object, object]:
    return {one["what"]: (one["count"], one["first"]) for one in not_shown}


def test_a_topic_that_is_added_says_what_will_not_be_shown(light: InProcess) -> None:
    light.make_study()
    body = {"id": "t", "documents": documents()}
    added = light.send("POST", f"{AT}/topics", body).json()
    # Of the form nothing is left at all.
    assert told(added["not_shown"]) == {**TOLD, omissions.NOTHING: (1, ["f"])}
    light.clock.move(1)
    again = light.send("POST", f"{AT}/topics", body)
    assert (again.status_code, again.json()["not_shown"]) == (200, added["not_shown"])
    sent = light.send("POST", f"{AT}/topics.jsonl", content=b'{"id": "u"}\n' + lines())
    assert sent.json()["not_shown"] == added["not_shown"]


def test_files_are_told_of_before_they_are_stored(light: InProcess) -> None:
    light.make_study()
    files = [("documents", ("d.jsonl", lines()))]
    answer = light.send(
        "POST", f"{AT}/imports", files=files, data={"topic": "t", "dry_run": "true"}
    ).json()
    named = {
        what: (count, [f"t/{name}" for name in first]) for what, (count, first) in TOLD.items()
    }
    assert told(answer["not_shown"]) == {**named, omissions.NOTHING: (1, ["t/f"])}
    assert [one for one in answer["warnings"] if omissions.REMOTE_IMAGES in one] == [
        f"not shown: images at web addresses, 3 in 2 documents (t/a, t/b):"
        f" {omissions.REASONS[omissions.REMOTE_IMAGES]}"
    ]
    assert light.get(f"{AT}/topics")["items"] == []


def test_documents_of_checks_are_told_of_too(light: InProcess) -> None:
    light.make_study()
    light.make_topic(2, topic="t")
    golds = {
        "documents": [{"id": "x", "html": PICTURE}, {"id": "y", "text": "words"}],
        "golds": [{"documents": ["x", "y"], "answer": {"preference": "left"}}],
    }
    answer = light.send("POST", f"{AT}/topics/t/golds", golds).json()
    assert told(answer["not_shown"]) == {omissions.REMOTE_IMAGES: (1, ["x"])}


def test_images_are_shown_where_the_installation_loads_them(sqlite_url: str) -> None:
    with installed(sqlite_url, remote_images=True) as service:
        service.make_study()
        body = {"id": "t", "documents": documents()}
        added = service.send("POST", f"{AT}/topics", body).json()
    assert omissions.REMOTE_IMAGES not in told(added["not_shown"])
    assert omissions.INLINE_IMAGES in told(added["not_shown"])


def test_the_import_command_warns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'nextpair.db'}"
    monkeypatch.setenv("NEXTPAIR_KEY", new_key(url))
    paths = []
    for topic in ("tea", "milk"):
        paths.append(tmp_path / f"{topic}.jsonl")
        shown = [{**one, "topic": topic} for one in documents()]
        paths[-1].write_text("\n".join(map(json.dumps, shown)), encoding="utf-8")
    with serving(url) as (address, _):
        words = ["--url", address, "--study", "s", "--selector", "placement", "--documents"]
        assert main(["import", *words, *map(str, paths)]) == 0
    warnings = capsys.readouterr().err.splitlines()
    (images,) = [line for line in warnings if omissions.REMOTE_IMAGES in line]
    assert images.startswith(
        "warning: not shown: images at web addresses, 6 in 4 documents (milk/a, milk/b, tea/a, …): "
    ) or images.startswith(
        "warning: not shown: images at web addresses, 6 in 4 documents (tea/a, tea/b, milk/a, …): "
    )
    assert "NEXTPAIR_REMOTE_IMAGES" in images
    assert len(warnings) == len(TOLD) + 1


def kinds(html: str, text: str = "", url: str | None = None) -> dict[str, int]:
    found = find_omissions([DocumentBody("d", text, html, url)], images=False)
    return {one.what: one.count for one in found}


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Words <a href='https://example.org'>there</a> <a href='#x'>here</a></p>", {}),
        ("<p>Words</p><!-- <img src=x> -->", {}),
        ("a < b, <img and more", {}),
        ("<p>Words<img src='pictures/a.png'></p>", {omissions.OTHER_IMAGES: 1}),
        ("<p>Words<img data-src='https://example.org/a.png'></p>", {omissions.OTHER_IMAGES: 1}),
        ("<IMG SRC='HTTPS://example.org/a.png'>Words", {omissions.REMOTE_IMAGES: 1}),
        ("<p>Words<a href='page.html'>x</a><a href='javascript:x'>y</a>", {omissions.LINKS: 2}),
        ("<style>p { color: red }</style><p>Words</p>", {omissions.STYLES: 1}),
        (
            "<svg><image href='x'/></svg><p>Words</p><math><mi>x</mi></math>",
            {omissions.DRAWINGS: 2},
        ),
        (
            "<img src='data:image/png;base64,AA'>",
            {omissions.INLINE_IMAGES: 1, omissions.NOTHING: 1},
        ),
        ("<p>&nbsp;</p>", {omissions.NOTHING: 1}),
    ],
)
def test_every_kind_is_found_and_nothing_else(html: str, expected: dict[str, int]) -> None:
    assert kinds(html) == expected


def test_html_beside_text_is_not_shown() -> None:
    assert kinds("<p>Words<img></p>", text="Words") == {omissions.SECOND_BODY: 1}


def test_an_address_is_something_to_show() -> None:
    assert kinds("<p></p>", url="https://example.org") == {}
