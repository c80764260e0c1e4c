"""What `import nextpair` gives: pinned, typed, and loaded when it is used.

A name that is missing here or new is a change of the interface: say so in the changelog.
"""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from wheels import installed

import nextpair

NAMES = """
    BadInput BadOption Client ConflictPolicy CrowdSettings Document DocumentIn End GoldIn GoldsIn
    Idle Judges Judgment Lease NextpairError Outcome Refused Settings Simulation Topic TopicIn
    UnderstandingRule UnknownDocument UnknownSelector Unreachable __version__ simulate
""".split()
HEAVY = "numpy scipy sklearn sqlalchemy alembic psycopg fastapi starlette uvicorn".split()
FOLDERS = ("app", "selectors", "storage")
ROOT = Path(__file__).resolve().parent.parent


def test_the_names_are_what_they_were() -> None:
    assert sorted(nextpair.__all__) == NAMES


def test_every_name_is_there_and_comes_from_inside() -> None:
    assert {*nextpair.__all__} <= {*dir(nextpair)}
    for name in {*NAMES} - {"__version__"}:
        assert getattr(nextpair, name).__module__.startswith("nextpair.")
    assert nextpair.__version__ == version("nextpair")
    with pytest.raises(AttributeError, match="'nextpair' has no attribute 'Cilent'"):
        _ = nextpair.Cilent  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="cannot import name 'Cilent'"):
        exec("from nextpair import Cilent")


def test_type_checkers_and_programs_import_a_name_from_the_same_module() -> None:
    text = Path(str(nextpair.__file__)).read_text(encoding="utf-8")
    imports = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.ImportFrom)]
    read = {
        str(one.module): tuple(alias.name for alias in one.names)
        for one in imports
        if str(one.module).startswith("nextpair.")
    }
    assert read == nextpair._MODULES
    assert {name for names in read.values() for name in names} == {*NAMES} - {"__version__"}


def test_the_tree_of_errors_is_as_drawn() -> None:
    drawn = re.findall(r"^    ([│├└─ ]*)(\w+)(?=  )", str(nextpair.__doc__), re.MULTILINE)
    above: list[type[BaseException]] = [Exception]
    for branch, name in drawn:
        depth = len(branch) // 4 + 1
        kind = getattr(nextpair, name)
        assert kind.__base__ is above[depth - 1] and "code" in vars(kind), name
        above[depth:] = [kind]
    errors = {name for name in NAMES if _is_error(getattr(nextpair, name))}
    assert {name for _, name in drawn} == errors


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def loaded_by(program: str, python: Path = Path(sys.executable)) -> set[str]:
    """Return the modules that a program has loaded when it ends."""
    words = [str(python), "-c", f"{program}\nimport sys; print(*sys.modules)"]
    ran = subprocess.run(words, cwd="/", check=True, capture_output=True, text=True)
    return set(ran.stdout.split())


def test_the_door_itself_loads_nothing_of_ours() -> None:
    found = loaded_by("import nextpair; dir(nextpair)")
    assert {one for one in found if one.startswith("nextpair")} == {"nextpair"}


def test_a_client_and_its_errors_load_nothing_heavy() -> None:
    names = "Client, TopicIn, DocumentIn, GoldIn, Refused, Unreachable, NextpairError, BadInput"
    found = loaded_by(f"from nextpair import {names}\nClient('http://127.0.0.1:1', 'key').close()")
    assert found.isdisjoint(HEAVY)


def test_nothing_inside_imports_from_the_door() -> None:
    through = re.compile(r"^\s*(from nextpair import |import nextpair$)")
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*.py"):
            lines = file.read_text(encoding="utf-8").splitlines()
            assert not [line for line in lines if through.match(line)], file


GOOD = """
from nextpair import (
    Client, Document, DocumentIn, GoldIn, GoldsIn, Idle, Judgment, NextpairError, Outcome, Settings,
    Simulation, Topic, TopicIn, UnderstandingRule, simulate,
)


def classes(url: str, key: str) -> list[list[str]]:
    rule = UnderstandingRule(question="Is it hot?", choices=["yes", "no"], right="yes")
    documents = [DocumentIn(id="a", text="Tea"), DocumentIn(id="b", text="Milk", prior=0.5)]
    with Client(url, key) as client:
        client.create_study("drinks", votes=3)
        client.add_topic("drinks", TopicIn(id="hot", documents=documents, understanding=rule))
        trap = GoldIn(documents=["a", "b"], answer={"preference": "left"})
        client.add_golds("drinks", "hot", GoldsIn(golds=[trap]))
        return client.ranking("drinks", "hot").classes


def judged() -> list[tuple[str, ...]]:
    topic = Topic([Document("a"), Document("b")], Settings("uniform"))
    topic.absorb(Judgment(0, "a", "b", Outcome.BETTER, worker="ann"))
    return topic.classes()


def code(error: NextpairError) -> str:
    return error.code


if __name__ == "__main__":
    measured: Simulation = simulate({"t": {"a": 1, "b": 0}}, "uniform", baseline=False)
    selectors: list[object] = [row["selector"] for row in measured.rows()]
    print(judged(), selectors, Idle.DONE)
"""
BAD = """
from nextpair import Client, Cilent, simulate

simulate({"t": {"a": 1}}, repeat="twice")
Client("http://127.0.0.1:8000", 7)
"""
MISTAKES = [
    (2, "attr-defined", 'Module "nextpair" has no attribute "Cilent"'),
    (4, "arg-type", 'Argument "repeat" to "simulate"'),
    (5, "arg-type", 'Argument 2 to "Client"'),
]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has a wheel of this tree, and two scripts of a user."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    return installed(folder)


def test_a_wheel_has_the_door_and_all_behind_it(python: Path) -> None:
    folder = python.parents[2]
    ran = subprocess.run([python, "good.py"], cwd=folder, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("[('a',), ('b',)] ['uniform'] done\n", "")
    (package,) = folder.glob("env/lib/python*/site-packages/nextpair")
    where = "import nextpair.app as a, nextpair.selectors.base as b, nextpair.storage as c"
    asked = f"{where}; print(a.__file__, b.__file__, c.__file__)"
    told = subprocess.run([python, "-c", asked], cwd=folder, capture_output=True, text=True)
    assert [Path(one).parent for one in told.stdout.split()] == [package / one for one in FOLDERS]
    assert (package / "py.typed").exists()


def test_mypy_accepts_a_users_script_and_finds_the_mistakes_in_another(python: Path) -> None:
    words = ["mypy", "--strict", "--config-file=", "--no-pretty", f"--python-executable={python}"]
    ran = subprocess.run(
        [sys.executable, "-m", *words, "good.py", "bad.py"],
        cwd=python.parents[2],
        capture_output=True,
        text=True,
    )
    told = re.findall(r"^(\S+?):(\d+): error: (.*?)  \[(\S+)\]$", ran.stdout, re.MULTILINE)
    assert len(told) == len(MISTAKES), ran.stdout + ran.stderr
    for (file, line, text, kind), mistake in zip(told, MISTAKES, strict=True):
        assert (file, int(line), kind) == ("bad.py", *mistake[:2])
        assert text.startswith(mistake[2])
