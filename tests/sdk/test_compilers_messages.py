"""What the compiler says to authors of environments who get something wrong."""

from __future__ import annotations

import re
import subprocess

import pytest

from building import needs_compiler, sdk_folder

STATE = """
#include "envpool/archive.h"

enum class Gear { kFirst, kSecond };
struct Position { float x; };

void Save(envpool::Archive& archive, MEMBER& member) { archive(member); }
"""
LIMITS = "say which values it may have: Index, Range, Count or Any"
SERIALIZE = "give this type a Serialize(Archive&)"


@needs_compiler
@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("float", []),
        ("int", [LIMITS]),
        ("std::vector<int>", [LIMITS]),
        ("Gear", [LIMITS]),
        ("Position", [SERIALIZE]),
    ],
)
@pytest.mark.one_in(3)
def test_a_member_that_no_archive_takes_as_it_is(member: str, said: list[str]) -> None:
    command = ["g++", "-std=c++20", "-fsyntax-only", "-I", str(sdk_folder() / "include"), "-xc++"]
    done = subprocess.run(
        [*command, "-"],
        input=STATE.replace("MEMBER", member),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert re.findall(r"static assertion failed: (.*)", done.stderr) == said
    assert (done.returncode == 0) == (not said)
