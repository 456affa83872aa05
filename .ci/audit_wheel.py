"""Finds what is wrong with a wheel that is to be released: python .ci/audit_wheel.py WHEEL.

The wheel is one that auditwheel has repaired. Run this in the checkout that it was built from, by a
Python where the wheel is installed: the families' records are its own.
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

from envpool.families.record import licence, records

FAMILIES = records()
CORE_BYTES = 1_500_000  # of the core and of MuJoCo's second version; each family adds some
# What every Linux has (manylinux).
SYSTEM = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|ld-linux-[\w-]+)\.so\.\d+")
# What is built or written on the way, beside the files of the repository.
BUILT = re.compile(
    r"envpool/_core\.cpython-\d+-[\w-]+\.so|envpool/families/(\w+/)+_\w+\.so"
    r"|envpool/(commit|left_out)\.txt"
    r"|[\w.-]+\.dist-info/(METADATA|WHEEL|RECORD|entry_points\.txt|licenses/.+)"
)
TEXTS = {  # the files of licences, and something that only each one says
    "LICENSE": "The licence above is that of all files",
    "numpy.txt": "The ziggurat methods were derived from Julia",
    "pybind11.txt": "Wenzel Jakob",
}
for record in FAMILIES.values():
    TEXTS |= record.contents.texts


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
    robots = {f"src/mujoco/{name}" for name in tracked("cpp/engines/mujoco")}
    sdk |= {name for name in robots if not name.endswith(("/CMakeLists.txt", "/README.md"))}
    for example in ("walkenv", "robotenv"):
        sdk |= {f"cli/{example}/{name}" for name in tracked(f"examples/{example}")}
    return python | {f"envpool/{name}" for name in sdk}


def folder_of(family: str) -> str:
    """The folder of a family in a wheel."""
    return f"envpool/families/{family}/"


def left_out(names: set[str]) -> set[str]:
    """The families that this build lacks, and may lack."""
    optional = {name for name, record in FAMILIES.items() if record.wheel.is_optional}
    return {each for each in optional if f"{folder_of(each)}_{each}.so" not in names}


def is_built(name: str) -> bool:
    """True if a build makes a file of this name."""
    return bool(BUILT.fullmatch(name)) or any(
        name.startswith(folder_of(family))
        and re.fullmatch(record.wheel.files, name.removeprefix(folder_of(family)))
        for family, record in FAMILIES.items()
    )


def check_files(names: set[str]) -> list[str]:
    """Everything that must be in it is, and nothing else."""
    families = {Path(name).parent.name for name in tracked("cpp/envs") if "/CMakeLists" in name}
    libraries = {f"_{name}.so" for name in families - left_out(names) - {"testing"}} | {"_core.so"}
    # Less Python's version, or MuJoCo's.
    libraries -= {re.sub(r"(\.cpython-.*|(_\d+){3})\.so", ".so", Path(name).name) for name in names}
    expected = copied()
    stray = {name for name in names - expected if not is_built(name)}
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
    if said != licence():
        faults.append(f"its licence is said to be {said}, expected {licence()}")
    if set(texts) != set(TEXTS):
        faults.append(f"it has licences {sorted(texts)}, expected {sorted(TEXTS)}")
    for name, text in texts.items():
        if TEXTS.get(name, "") not in text:
            faults.append(f"{name} does not say {TEXTS[name]!r}")
    return faults


def is_linked(name: str, library: str) -> bool:
    """True if what a file of a wheel needs comes in a package that its family needs."""
    return any(
        name.startswith(folder_of(family)) and re.fullmatch(record.wheel.links, library)
        for family, record in FAMILIES.items()
    )


def check_library(path: Path, name: str) -> list[str]:
    """It is stripped, and needs nothing that may be missing."""
    faults = []
    with path.open("rb") as file:
        elf = ELFFile(file)
        for section in elf.iter_sections():
            if section.name == ".symtab" or section.name.startswith(".debug"):
                faults.append(f"{name} is not stripped: it has {section.name}")
        for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED"):
            if not (SYSTEM.fullmatch(tag.needed) or is_linked(name, tag.needed)):
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
    built = FAMILIES.keys() - left_out(names)
    most = CORE_BYTES + sum(FAMILIES[family].wheel.most_bytes for family in built)
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
