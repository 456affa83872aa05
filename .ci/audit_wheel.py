"""Finds what is wrong with a wheel that is to be released: python .ci/audit_wheel.py WHEEL.

The wheel is one that auditwheel has repaired. Run this in the checkout that it was built from.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from email.parser import Parser
from pathlib import Path

from elftools.elf.elffile import ELFFile

MAX_BYTES = 3_900_000  # a family adds some 200,000, and MuJoCo's second version has 400,000
FOOTBALL_BYTES = 2_000_000  # more, where it is built
# What every Linux has (manylinux), and MuJoCo's library where its package is installed.
SYSTEM = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|ld-linux-[\w-]+)\.so\.\d+")
MUJOCO = re.compile(r"libmujoco\.so\.[\d.]+")
# What is built or written on the way, beside the files of the repository.
BUILT = re.compile(
    r"envpool/_core\.cpython-\d+-[\w-]+\.so|envpool/families/(\w+/)+_\w+\.so"
    r"|envpool/commit\.txt|envpool/families/(mujoco/gym|dm_control|robotics|metaworld)/compile_model-[\d.]+"
    r"|envpool/families/vizdoom/vizdoom_launcher"
    r"|envpool/families/gfootball/data/.+\.(anim|util|ase|object)"
    r"|[\w.-]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/.+)"
)
LICENCE = "MIT AND BSD-3-Clause AND Zlib AND Apache-2.0 AND Unlicense"
TEXTS = {  # the files of licences, and something that only each one says
    "LICENSE": "The licence above is that of all files",
    "box2d.txt": "Erin Catto",
    "gfootball.txt": "This is free and unencumbered software",
    "numpy.txt": "The ziggurat methods were derived from Julia",
    "pybind11.txt": "Wenzel Jakob",
}


def tracked(folder: str) -> set[str]:
    """The files below a folder of the repository, relative to it."""
    command = ["git", "ls-files", folder]
    paths = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return {str(Path(path).relative_to(folder)) for path in paths}


def copied() -> set[str]:
    """The repository's files that belong into a wheel, by their names there."""
    python = {name for name in tracked("python") if "/families/testing/" not in name}
    sdk = {name for name in tracked("cpp/sdk") if name.startswith(("include/", "cmake/"))}
    components = [name for name in tracked("cpp/envs") if re.search("^[^/]*/(include|src)/", name)]
    sdk |= {name.split("/", 1)[1] for name in components}
    return python | {f"envpool/{name}" for name in sdk}


def has_football(names: set[str]) -> bool:
    """Was it built with Google Research Football?"""
    return any(name.startswith("envpool/families/gfootball/data/") for name in names)


def check_files(names: set[str]) -> list[str]:
    """Everything that must be in it is, and nothing else."""
    families = {Path(name).parent.name for name in tracked("cpp/envs") if "/CMakeLists" in name}
    left_out = {"testing"} if has_football(names) else {"testing", "gfootball"}
    libraries = {f"_{name}.so" for name in families - left_out} | {"_core.so"}
    # Less Python's version, or MuJoCo's.
    libraries -= {re.sub(r"(\.cpython-.*|(_\d+){3})\.so", ".so", Path(name).name) for name in names}
    expected = copied()
    stray = {name for name in names - expected if not BUILT.fullmatch(name)}
    stray |= {name for name in names if "/families/testing/" in name}
    return [f"{name} is missing" for name in sorted(expected - names | libraries)] + [
        f"{name} should not be in it" for name in sorted(stray)
    ]


def check_licences(folder: Path) -> list[str]:
    """The metadata name the licences of what is in it, and their texts are there."""
    (info,) = folder.glob("*.dist-info")
    metadata = Parser().parsestr((info / "METADATA").read_text())
    files = [info / "licenses" / name for name in metadata.get_all("License-File", [])]
    texts = {file.name: file.read_text() for file in files if file.exists()}
    said = metadata["License-Expression"]
    faults = []
    if said != LICENCE:
        faults.append(f"its licence is said to be {said}, expected {LICENCE}")
    if set(texts) != set(TEXTS):
        faults.append(f"it has licences {sorted(texts)}, expected {sorted(TEXTS)}")
    for name, text in texts.items():
        if TEXTS.get(name, "") not in text:
            faults.append(f"{name} does not say {TEXTS[name]!r}")
    return faults


def check_library(path: Path, name: str) -> list[str]:
    """It is stripped, and needs nothing that may be missing."""
    faults = []
    with path.open("rb") as file:
        elf = ELFFile(file)
        for section in elf.iter_sections():
            if section.name == ".symtab" or section.name.startswith(".debug"):
                faults.append(f"{name} is not stripped: it has {section.name}")
        for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED"):
            allowed = SYSTEM.fullmatch(tag.needed) or (
                re.search("/(mujoco|dm_control|robotics|metaworld)/", name)
                and MUJOCO.fullmatch(tag.needed)
            )
            if not allowed:
                faults.append(f"{name} needs {tag.needed}")
    return faults


def main(wheel: Path) -> None:
    """Prints sizes, and what is wrong; then the exit status is 1."""
    archive = zipfile.ZipFile(wheel)
    names = {name for name in archive.namelist() if not name.endswith("/")}
    size = wheel.stat().st_size
    faults = check_files(names)
    if "-manylinux" not in wheel.name:
        faults.append("its name does not say which systems it is for: auditwheel repair")
    most = MAX_BYTES + FOOTBALL_BYTES * has_football(names)
    if size > most:
        faults.append(f"it has {size:,} bytes, expected at most {most:,}")
    with tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        faults += check_licences(Path(folder))
        for name in sorted(names):
            path = Path(folder, name)
            if path.read_bytes()[:4] == b"\x7fELF":
                print(f"{path.stat().st_size:>12,}  {name}")
                faults += check_library(path, name)
    print(f"{size:>12,}  {wheel.name}")
    if faults:
        sys.exit(f"{wheel.name}:\n" + "\n".join(faults))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
