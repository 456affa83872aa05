"""Notices that something which libraries and the core share was changed without a new SDK version.

    python .ci/abi.py         compares the SDK's headers with what is kept in cpp/sdk/abi.txt
    python .ci/abi.py --keep  keeps what they are now; refuses unless kSdkVersion was raised

Kept are the fingerprint, which the compiler computes of sizes and offsets, and what it cannot see:
the order and the signatures of virtual functions, the data members, and the values of enums, as the
headers have them; and of the components' headers a digest. Comments and functions that are not
virtual do not count. After a change of C++, build first: the fingerprint is the core's.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path("cpp/sdk/abi.txt")
HEADERS = Path("cpp/sdk/include")
DOOR = "envpool/abi.h"  # includes all types that cross the border

_TYPE = re.compile(r"\b(?:class|struct|enum(?: class)?)\s+(\w+)[^(]*$")
_NAMESPACE = re.compile(r"(\bnamespace\b[\s\w:]*|\bextern \"C\"\s*)$")
_FUNCTION = re.compile(r"\)[^;=]*$")  # what is before a function's body
_ACCESS = re.compile(r"\b(?:public|protected|private):")
_NO_MEMBER = re.compile(r"^(?:using|typedef|static|friend|template)\b|\boperator\b")


def plain(code: str) -> str:
    """Code without comments and preprocessor's lines, each run of white space as one space."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", code, flags=re.DOTALL)
    return " ".join(re.sub(r"^\s*#.*$", "", code, flags=re.MULTILINE).split())


def crossing(headers: Path) -> list[str]:
    """The headers whose types cross the border: those that DOOR includes, and those include."""
    names = [DOOR]
    for name in names:  # which grows
        included = re.findall(r'#include "([^"]+)"', (headers / name).read_text())
        names += [header for header in included if header not in names]
    return names


def end_of_braces(code: str, begin: int) -> int:
    """Where the brace at ``begin`` is closed."""
    depth = 0
    for place in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"a brace is not closed: {code[begin : begin + 40]}")


def declarations(code: str, scope: str = "") -> Iterator[str]:
    """What counts of plain code: lines such as ``Env: virtual int NumPlayers() const``.

    Args:
        code: What is between the braces of a class or a namespace.
        scope: The name of the class, or nothing.
    """
    statement, place = "", 0
    while place < len(code):
        if code[place] == ";":
            yield from counting(statement, scope)
            statement = ""
        elif code[place] != "{":
            statement += code[place]
        else:
            end = end_of_braces(code, place)
            inner, place = code[place + 1 : end], end
            kind = _TYPE.search(statement)
            if kind and "enum" in statement:
                yield f"{statement.strip()} {{{inner.strip()}}}"
            elif kind:
                yield _ACCESS.sub("", statement).strip()
                yield from declarations(inner, kind[1])
            elif _NAMESPACE.search(statement):
                yield from declarations(inner, scope)
            elif _FUNCTION.search(statement):
                yield from counting(statement, scope)
            else:  # the braces of a value, which a semicolon follows
                statement += "{}"
                place += 1
                continue
            statement = ""
        place += 1


def counting(statement: str, scope: str) -> Iterator[str]:
    """A virtual function or a data member of a class, or an alias outside of classes, if it is one.

    Args:
        statement: A declaration, without the body of a function.
        scope: The name of the class, or nothing.
    """
    statement = _ACCESS.sub("", statement).strip()
    if not scope:
        if statement.startswith("using "):
            yield statement
    elif not _NO_MEMBER.search(statement):
        statement = statement.partition("=")[0].strip()
        without_templates = statement
        while without_templates != (shorter := re.sub(r"<[^<>]*>", "", without_templates)):
            without_templates = shorter
        if statement.startswith("virtual ") or (statement and "(" not in without_templates):
            yield f"{scope}: {statement}"


def state_of(root: Path, version: int, fingerprint: str) -> str:
    """What is kept of a tree.

    Args:
        root: The repository.
        version: Of its SDK.
        fingerprint: The ``sdk_fingerprint`` of a core that was built from it.
    """
    layouts = re.search(r"layouts (\w+)", fingerprint)
    lines = [f"version {version}", f"layouts {layouts[1] if layouts else None}"]
    for name in crossing(root / HEADERS):
        lines += declarations(plain((root / HEADERS / name).read_text()))
    for path in sorted(root.glob("cpp/envs/*/include/envpool/*/*.h")):
        digest = hashlib.sha256(plain(path.read_text()).encode()).hexdigest()
        lines.append(f"component {path.parent.name}/{path.name} {digest}")
    return "\n".join(lines) + "\n"


def version_of(root: Path) -> int:
    """The headers' kSdkVersion."""
    found = re.search(r"kSdkVersion = (\d+);", (root / HEADERS / DOOR).read_text())
    if found is None:
        raise ValueError(f"{HEADERS / DOOR} has no kSdkVersion")
    return int(found[1])


def complaint(kept: str, now: str) -> str:
    """What differs, and what to do about it; empty if nothing does.

    Args:
        kept: What :func:`state_of` said when it was kept.
        now: What it says.
    """
    if kept == now:
        return ""
    changes = difflib.unified_diff(
        kept.splitlines(), now.splitlines(), str(KEPT), "now", lineterm="", n=0
    )
    advice = "kSdkVersion is another: if all of that is meant, python .ci/abi.py --keep"
    if same_version(kept, now):
        advice = (
            "Libraries that were built before would misread this. Raise kSdkVersion in "
            f"{HEADERS / DOOR}, build, and then python .ci/abi.py --keep"
        )
    return "\n".join([*changes, advice])


def same_version(kept: str, now: str) -> bool:
    """Whether two states are of the same version of the SDK."""
    return kept.partition("\n")[0] == now.partition("\n")[0]


def main(arguments: list[str]) -> int:
    """Compares, or keeps."""
    from envpool import _core

    version = version_of(ROOT)
    if _core.sdk_version != version:
        print(f"the core is of version {_core.sdk_version}, the headers of {version}: .ci/rebuild")
        return 1
    now = state_of(ROOT, version, _core.sdk_fingerprint)
    kept = (ROOT / KEPT).read_text() if (ROOT / KEPT).exists() else ""
    problem = complaint(kept, now)
    if arguments == ["--keep"] and not same_version(kept, now):
        (ROOT / KEPT).write_text(now)
        print(f"kept in {KEPT}")
        return 0
    print(problem or "the SDK is what its version says")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
