"""The JavaScript modules of the pages: which room may import which, and what each page loads."""

import re
from pathlib import Path, PurePosixPath

import pytest

from nextpair.app.pages.files import ROOMS, page, static_files

PAGES = Path(__file__).resolve().parents[3] / "app" / "pages"
IMPORT = re.compile(r'(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"|@import\s+.*?from\s+"([^"]+)"')
STATIC = re.compile(r'^(?:import|export)\b[^;]*?\bfrom\s*"([^"]+)"', re.MULTILINE)
ENTRIES = {
    "judge": ("judge/main.js", "judge/session_prefetch.js"),
    "dashboard": ("dashboard/main.js",),
}
LAZY = {"judge/preview.js"}
"""Loaded by `import()` when it is needed."""


def resolved(module: str, specifier: str) -> str:
    """Return the name of the file that a module imports."""
    assert specifier.startswith(("./", "../")), f"{module} imports {specifier}"
    parts: list[str] = []
    for part in (PurePosixPath(module).parent / specifier).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def imports(module: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the files that a module imports."""
    found = pattern.findall((PAGES / module).read_text(encoding="utf-8"))
    specifiers = ("".join(one) for one in found)
    return {resolved(module, specifier) for specifier in specifiers}


def modules() -> list[str]:
    return sorted(name for name in static_files() if name.endswith(".js"))


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_from_its_own_room_and_from_shared(module: str) -> None:
    room = module.split("/")[0]
    for imported in imports(module, IMPORT):
        assert (PAGES / imported).is_file()
        assert imported.split("/")[0] in {room, "shared"}, f"{module} imports {imported}"


def test_no_file_lies_outside_the_rooms() -> None:
    scripts = {path.parent.name for path in PAGES.rglob("*") if path.suffix in (".js", ".css")}
    assert scripts == set(ROOMS)


@pytest.mark.parametrize("room", ENTRIES)
def test_a_page_preloads_exactly_the_modules_that_it_imports(room: str) -> None:
    html = page(room).content.decode()
    named = re.findall(r'(?:src|href)="/static/([^"]+)"', html)
    assert len(named) == len(set(named))
    assert {name.split("/")[0] for name in named} == {room, "shared"}
    assert set(named) <= static_files().keys()
    reached: set[str] = set()
    waiting = set(ENTRIES[room])
    while waiting:
        module = waiting.pop()
        reached.add(module)
        waiting |= imports(module, STATIC) - reached
    assert {name for name in named if name.endswith(".js")} == reached


def test_every_module_is_loaded_by_a_page() -> None:
    loaded = {
        name
        for room in ENTRIES
        for name in re.findall(r'"/static/([^"]+\.js)"', page(room).content.decode())
    }
    assert set(modules()) == loaded | LAZY


EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.MULTILINE)
IMPORTED = re.compile(r"import\s*\{([^{}]*)\}|\{([^{}]*)\}\s*=\s*await import")


def test_every_export_is_imported_by_another_module() -> None:
    texts = {name: (PAGES / name).read_text(encoding="utf-8") for name in modules()}
    found = (names for text in texts.values() for names in IMPORTED.findall(text))
    imported = {name.strip() for names in found for name in "".join(names).split(",")}
    for module, text in texts.items():
        unused = set(EXPORT.findall(text)) - imported
        assert not unused, f"{module} exports {unused}"
