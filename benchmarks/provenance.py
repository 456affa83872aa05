"""Where, when and with what a run was made; nothing that names the host or its user."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from envpool.families.record import records
from worker_client import versions

HERE = Path(__file__).parent
# Packages that matter in some suite, as readers know them, in the order of lists. What families are
# compared with matters, too, and is known by its own name.
NAMES = {
    "envpool": "envpool",
    "gymnasium": "Gymnasium",
    "mujoco": "MuJoCo",
    "box2d": "pybox2d",
    "stable-baselines3": "Stable-Baselines3",
    "jax": "JAX",
    "numpy": "NumPy",
    "python": "Python",
}


@dataclass(frozen=True)
class Provenance:
    """What a reader needs to judge or repeat the figures.

    `ours` and `reference` hold the versions of Python and of the packages in the two interpreters;
    the latter is empty where the real EnvPool takes no part.
    """

    processor: str
    cores: int
    load: float
    """How many threads wanted a core in the minute before the run; near 0 on a quiet machine."""
    system: str
    commit: str
    date: str
    ours: dict[str, str | None]
    reference: dict[str, str | None]

    def lines(self) -> list[str]:
        """The same in words, for tables and plots."""
        lines = [
            f"{self.processor}, {self.cores} cores, load {self.load:.1f} before the run; "
            f"{self.system}; {self.date}",
            f"ours: commit {self.commit}, {listing(self.ours)}",
        ]
        if self.reference:
            lines.append(f"reference: {listing(self.reference, envpool='EnvPool')}")
        return lines

    def sentence(self) -> str:
        """The machine, the day and the commit, for a page; the report has the rest."""
        return (
            f"{self.processor}, {self.cores} cores, {self.date.split()[0]}, commit {self.commit}; "
            "`benchmarks/results` has the rest."
        )


def listing(versions: dict[str, str | None], **names: str) -> str:
    """The packages that are there, in words; by these names instead of the usual ones."""
    known = NAMES | names
    return ", ".join(
        f"{known.get(package, package)} {versions[package]}"
        for package in dict.fromkeys([*NAMES, *versions])
        if versions.get(package)
    )


def collect(ours: list[str], reference: list[str]) -> Provenance:
    """What there is to know now.

    Args:
        ours: The command of the interpreter that has our envpool.
        reference: That of the real EnvPool's; empty if it takes no part.
    """
    upstreams = {package for record in records().values() for package in record.upstream}
    packages = [*dict.fromkeys([*NAMES, *sorted(upstreams)])]
    return Provenance(
        processor=processor(),
        cores=cores(),
        load=os.getloadavg()[0],
        system=system(),
        commit=commit(),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        ours=versions(ours, packages),
        reference=versions(reference, packages) if reference else {},
    )


def processor() -> str:
    """The processor's model name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def system() -> str:
    """The operating system and its version."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform(terse=True)


def commit() -> str:
    """The short commit, with "dirty" if anything but the results of earlier runs differs."""
    try:
        revision = git("rev-parse", "--short", "HEAD")
        changes = git("status", "--porcelain", "--", ":/", f":(exclude){HERE}/results")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{revision} dirty" if changes else revision


def git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(HERE), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
