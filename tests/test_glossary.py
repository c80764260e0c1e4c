"""The glossary covers the names of modules and classes: no private word without an entry.

A word of a name must stand in docs/glossary.md, or in tests/data/ordinary_words.txt if every
developer knows it. Record new ordinary words with `python tests/test_glossary.py`, after reading
them: a word that only this project uses belongs into the glossary.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
ORDINARY = ROOT / "tests" / "data" / "ordinary_words.txt"
MAX_TERMS = 80
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z]|[0-9]|$)|[A-Z]?[a-z]+")


def terms() -> list[str]:
    """Return the terms of the glossary in their order."""
    return re.findall(r"^- \*\*(.+?)\*\*", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)


def stem(word: str) -> str:
    """Cut the commonest endings, so that plurals and verbs match."""
    return re.sub(r"(ies|es|s|ing|ed|er|or|ion)$", "", word)


def names() -> Iterator[str]:
    """Yield the names of all modules and public classes of the library and the service."""
    for folder in ("selectors", "app"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield file.parent.name if file.stem == "__init__" else file.stem
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name


def unexplained_words() -> set[str]:
    """Return the words of names that the glossary does not contain."""
    explained = set(re.findall(r"[a-z]+", GLOSSARY.read_text(encoding="utf-8").lower()))
    explained |= {stem(word) for word in explained}
    used = {word.lower() for name in names() for word in WORD.findall(name)}
    return {word for word in used if word not in explained and stem(word) not in explained}


def ordinary_words() -> list[str]:
    """Return the recorded words that need no explanation."""
    return ORDINARY.read_text(encoding="utf-8").split()


def test_every_word_of_a_name_is_in_the_glossary_or_ordinary() -> None:
    assert sorted(unexplained_words() - set(ordinary_words())) == []


def test_no_recorded_word_is_unused() -> None:
    assert sorted(set(ordinary_words()) - unexplained_words()) == []
    assert ordinary_words() == sorted(set(ordinary_words()))


def test_the_glossary_has_each_term_once_and_not_too_many() -> None:
    assert len(terms()) == len(set(terms()))
    assert 40 <= len(terms()) <= MAX_TERMS


def main() -> None:
    """Record the words that the glossary does not contain."""
    ORDINARY.write_text("\n".join(sorted(unexplained_words())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
