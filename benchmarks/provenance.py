"""Where, when and with what a run was made; nothing that names the host or its user."""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent


NAMES = {
    "gymnasium": "Gymnasium",
    "mujoco": "MuJoCo",
    "dm_control": "dm_control",
    "gymnasium-robotics": "gymnasium-robotics",
    "metaworld": "metaworld",
    "box2d": "pybox2d",
    "ale-py": "ale-py",
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
            f"ours: commit {self.commit}, {listing({'envpool': 'envpool'} | NAMES, self.ours)}",
        ]
        if self.reference:
            lines.append(f"reference: {listing({'envpool': 'EnvPool'} | NAMES, self.reference)}")
        return lines


def listing(names: dict[str, str], versions: dict[str, str | None]) -> str:
    """The packages that are there, in words."""
    return ", ".join(f"{name} {versions[key]}" for key, name in names.items() if versions[key])


def collect(ours: dict[str, str | None], reference: dict[str, str | None]) -> Provenance:
    return Provenance(
        processor=processor(),
        cores=cores(),
        load=os.getloadavg()[0],
        system=system(),
        commit=commit(),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        ours=ours,
        reference=reference,
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
