"""TREC's topics in their three formats."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextpair.app.formats.files import BadFile
from nextpair.app.formats.pools import Pool
from nextpair.app.formats.trec_topics import read_topics

AD_HOC = """
<top>

<num> Number: 901
<title> lighthouse keepers

<desc> Description:
How did lighthouse keepers live
before lamps were automatic?

<narr> Narrative:
A relevant document tells of daily life; R&D of lamps &amp; lenses
is not relevant.

Nor are lists of
lighthouses.

</top>

<top>
<num> Number: 902
<title>
tidal mills
<desc>
Where do tidal mills still work?
</top>
"""
WEB = """<?xml version="1.0" encoding="UTF-8"?>
<webtrack1999>
  <topic number="101" type="faceted">
    <query>rope <b>bridges</b></query>
    <description> Find out how rope
      bridges are made &amp; kept.
    </description>
    <subtopic number="1" type="inf">Who makes rope bridges?</subtopic>
    <subtopic number="2" type="nav"><title>A map</title></subtopic>
  </topic>
  <topic number="102" type="single"><title>salt</title><narrative>Only sea salt.</narrative></topic>
</webtrack1999>
"""


def write(folder: Path, text: str, name: str = "topics") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_topics_of_the_ad_hoc_tracks_are_read(tmp_path: Path) -> None:
    assert read_topics(write(tmp_path, AD_HOC)) == [
        Pool(
            "901",
            "lighthouse keepers",
            "How did lighthouse keepers live before lamps were automatic?",
            "A relevant document tells of daily life; R&D of lamps & lenses is not relevant.\n\n"
            "Nor are lists of lighthouses.",
        ),
        Pool("902", "tidal mills", "Where do tidal mills still work?"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<top> <num> Number: 7 <title> bees <desc> Description: Why? <narr> Narrative: So. </top>",
        "<top><num>7</num><title>bees</title><desc>Why?</desc><narr>So.</narr></top>",
        "<TOP>\n<NUM>7\n<TITLE>bees\n<DESC>\nWhy?\n<NARR>\nSo.\n</TOP>",
        "<top>\n<num> number : 7\n<title> Topic: bees\n<desc> Why?\n<narr> So.\n",
        "<topics>\n<top>\n<num> 7 </num>\n<EN-title> bees </EN-title>\n<EN-desc> Why? </EN-desc>\n"
        "<EN-narr> So. </EN-narr>\n</top>\n</topics>",
        "<top>\n<head> Tipster\n<num> Number: 7\n<dom> Domain: Nature\n<title> Topic: bees\n"
        "<desc> Description:\nWhy?\n<smry> Summary:\nBees.\n<narr> Narrative:\nSo.\n"
        "<con> Concept(s):\n1. bee\n<fac> Factor(s):\n<nat> Nationality: any\n</fac>\n</top>",
        "<top>\r\n<num> Number: 7\r\n<title> bees\r\n<desc>\r\nWhy?\r\n<narr>\r\nSo.\r\n</top>\r\n",
        '<topic number="7"><title>bees</title><desc>Why?</desc><narr>So.</narr></topic>',
        '<?xml version="1.0"?>\n<topics task="t">\n<topic\n number="7">\n<query>bees</query>\n'
        "<question>Why?</question>\n<narrative>So.</narrative>\n</topic>\n</topics>\n",
        "<x><topic><num> 7 </num><title>bees</title><description>Why?</description>"
        "<narrative><![CDATA[So.]]></narrative></topic></x>",
    ],
)
def test_the_many_ways_of_writing_one_topic_are_all_read(tmp_path: Path, text: str) -> None:
    assert read_topics(write(tmp_path, text)) == [Pool("7", "bees", "Why?", "So.")]


def test_a_topic_that_is_not_closed_ends_where_the_next_begins(tmp_path: Path) -> None:
    path = write(tmp_path, "<top>\n<num> 1\n<title> one\n<top>\n<num> 2\n<title> two\n")
    assert read_topics(path) == [Pool("1", "one"), Pool("2", "two")]


def test_a_title_may_be_missing_and_text_that_looks_like_markup_stays(tmp_path: Path) -> None:
    text = "<top>\n<num> 1\n<desc> Description: Is 1 < 2, 3 > 2 and <em>why</em>?\nDescription: x"
    assert read_topics(write(tmp_path, text)) == [
        Pool("1", "", "Is 1 < 2, 3 > 2 and <em>why</em>? Description: x")
    ]


def test_the_xml_of_the_web_tracks_is_read_without_subtopics(tmp_path: Path) -> None:
    assert read_topics(write(tmp_path, WEB)) == [
        Pool("101", "rope bridges", "Find out how rope bridges are made & kept."),
        Pool("102", "salt", "", "Only sea salt."),
    ]


def test_two_columns_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "\n30\twhat is a <top> spin?\r\n4\t  grün & blau \n")
    assert read_topics(path) == [Pool("30", "what is a <top> spin?"), Pool("4", "grün & blau")]


@pytest.mark.parametrize("text", [AD_HOC, WEB, "1\tone\n2\ttwo\n"])
def test_packed_and_marked_files_are_read_like_plain_ones(tmp_path: Path, text: str) -> None:
    plain = read_topics(write(tmp_path, text))
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(text.encode("utf-8-sig")))
    assert read_topics(packed) == plain
    assert len(plain) == 2


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "<top>\n<num> 1\n<title> a\n</top>\n<top>\n<num> 1\n<title> b\n</top>",
            5,
            "topic 1 .*twice",
        ),
        ("<top>\n<num> 1\n<title> a\n<title> b\n</top>", 4, "second <title>"),
        ("\n<top>\n<title> a\n</top>", 2, "a topic needs a number .*''"),
        ("<top>\n<num> Number: 1 2\n<title> a\n</top>", 1, "a topic needs a number .*'1 2'"),
        ("<top>\n<num> 1\n<narr> Narrative: a\n</top>", 1, "topic 1 has neither a title nor"),
        ('<x>\n<topic number="1"><query>a</query></topic>\n<topic number="1"/></x>', 3, "neither"),
        (
            '<x>\n<topic number="1"><query>a</query></topic>\n\n'
            '<topic number="1"><query>b</query></topic></x>',
            4,
            "topic 1 stands in the file twice",
        ),
        ("<x>\n<topic>\n<query>a</query></topic></x>", 2, "a topic needs a number"),
        ('<x>\n<topic number="1">\n<query>a</title></topic></x>', 3, "XML: mismatched tag"),
        ('<x>\n<topic number="1"><query>a &nbsp; b</query></topic></x>', 2, "undefined entity"),
        ('<x>\n<topic number="1"><query>a &#0; b</query></topic></x>', 2, "reference to invalid"),
        ('<x>\n<topic number="1"><query>a</query></topic>\n', 3, "no element found"),
        ('<topic number="1"><query>a</query><query>b</query></topic>', 1, "second <query>"),
        ("1\tone\n2 two\n", 2, "this line has 0 tabs"),
        ("1\tone\n2\ttwo\t\n", 2, "this line has 2 tabs"),
        ("1\tone\n\ttwo\n", 2, "a topic needs a number"),
        ("1\tone\n2\t \n", 2, "topic 2 has neither a title nor a description"),
        ("1\tone\n1\tone\n", 2, "topic 1 stands in the file twice"),
        ("\n<html>\n<p>hello\n", 2, "topics are in <top>, in <topic>, or in two columns"),
        ("1\tone\n2\tt\0wo\n", 2, r"U\+0000"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile, match=f"^{path}:{line}: .*{message}"):
        read_topics(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile, match=f"^{path}: "):
        read_topics(path)


def test_topics_in_latin_1_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<x><topic number="1">\n'
        "<query>grün</query></topic></x>".encode("latin-1")
    )
    with pytest.raises(BadFile, match=f"^{path}:3: the byte 0xfc is not utf-8"):
        read_topics(path)


TOPIC = '<topic number="1"><query>&a;</query></topic>'


@pytest.mark.parametrize(
    "text",
    [
        f"<!DOCTYPE x>\n<x>{TOPIC}</x>",
        f'<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<x>{TOPIC}</x>',
        f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<x>{TOPIC}</x>',
        f'<!DOCTYPE x [<!ENTITY % a SYSTEM "http://localhost/x.dtd">%a;]>\n<x>{TOPIC}</x>',
        '<!DOCTYPE x [<!ENTITY z "ha"><!ENTITY a "' + "&z;" * 100 + f'">]>\n<x>{TOPIC}</x>',
    ],
    ids=["doctype", "external subset", "external entity", "parameter entity", "laughs"],
)
def test_a_document_type_is_refused_before_anything_is_expanded(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(BadFile, match=f"^{path}:1: .*DOCTYPE"):
        read_topics(path)


def test_an_entity_that_stands_in_no_document_type_is_refused_too(tmp_path: Path) -> None:
    path = write(tmp_path, f'<x><!ENTITY a "b">{TOPIC}</x>')
    with pytest.raises(BadFile, match=f"^{path}:1: not well-formed XML"):
        read_topics(path)


WORDS = st.lists(
    st.text(st.characters(codec="utf-8", categories=("L", "N", "S"), exclude_characters="<>&")),
    min_size=1,
).map(lambda words: " ".join(" ".join(words).split()))
TOPICS = st.lists(
    st.builds(
        Pool,
        st.integers(1, 999).map(str),
        WORDS.filter(bool),
        WORDS,
        WORDS,
    ),
    min_size=1,
    unique_by=lambda pool: pool.topic,
)


@given(pools=TOPICS)
def test_what_is_written_is_read_from_sgml_and_from_xml(
    tmp_path_factory: pytest.TempPathFactory, pools: list[Pool]
) -> None:
    folder = tmp_path_factory.mktemp("topics")
    sgml = "".join(
        f"<top>\n<num> Number: {pool.topic}\n<title> Topic: {pool.title}\n<desc> Description:\n"
        f"{pool.description}\n<narr> Narrative:\n{pool.narrative}\n</top>\n"
        for pool in pools
    )
    xml = "".join(
        f'<topic number="{pool.topic}"><query>{pool.title}</query><description>{pool.description}'
        f"</description><narrative>{pool.narrative}</narrative></topic>\n"
        for pool in pools
    )
    assert read_topics(write(folder, sgml)) == pools
    assert read_topics(write(folder, f"<x>{xml}</x>")) == pools
