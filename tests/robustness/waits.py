"""How long Ctrl-C takes to end each call that may be slow, in each family.

    python tests/robustness/waits.py --rounds 5

Each call runs in an interpreter of its own, which gets a SIGINT some time later. What does not end
within the deadline hangs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from helpers import PREAMBLE, run_python

DEADLINE_S = 60

SETUP = """
from envpool.tasks.gymnasium_makers import make_vector_env
def make_task(task, num_envs=1, **options):
    return envpool.make(task, "gymnasium", num_envs=num_envs, **options)
def reset(task, num_envs=1, **options):
    pool = make_task(task, num_envs, **options)
    pool.reset()
    return pool
def actions(pool):
    sample = pool.action_space.sample()
    return np.stack([sample] * pool.num_envs)
def played(task, num_envs, steps, **options):
    pool = reset(task, num_envs, **options)
    for _ in range(steps):
        pool.step(actions(pool))
    return pool
def for_ever(call):
    while True:
        call()
"""

SLOW_HUMANOID = 'pool = reset("Humanoid-v5", 2, frame_skip=10**6)'
SLOW_PONG = 'pool = reset("Pong-v5", 2, frame_skip=10**6, noop_max=1)'
CARS = 'pool = played("CarRacing-v3", {}, {}, max_episode_steps=10**6)'

# By family and call: what goes before it, and the call. All take a second or longer.
CASES: dict[tuple[str, str], tuple[str, str]] = {
    ("MuJoCo", "make"): ("", 'for_ever(lambda: make_task("Humanoid-v5", 64))'),
    ("MuJoCo", "make_spec"): ("", 'for_ever(lambda: envpool.make_spec("Humanoid-v5"))'),
    ("MuJoCo", "reset"): ('pool = make_task("Humanoid-v5", 256)', "for_ever(pool.reset)"),
    ("MuJoCo", "step"): (SLOW_HUMANOID, "pool.step(actions(pool))"),
    ("MuJoCo", "recv"): (SLOW_HUMANOID + "; pool.send(actions(pool))", "pool.recv()"),
    ("MuJoCo", "close"): (SLOW_HUMANOID + "; pool.send(actions(pool))", "pool.close()"),
    ("MuJoCo", "get_state, set_state"): (
        'pool = reset("Humanoid-v5", 512)',
        "for_ever(lambda: pool.set_state(pool.get_state()))",
    ),
    ("MuJoCo", "set_attr"): (
        'env = make_vector_env("Humanoid-v5", 64); env.reset()',
        'for_ever(lambda: env.set_attr("frame_skip", 4))',
    ),
    ("MuJoCo", "render"): (
        'pool = reset("Humanoid-v5", 8, render_mode="rgb_array", render_width=1920,'
        " render_height=1080)",
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("Box2D", "make"): ("", 'for_ever(lambda: make_task("CarRacing-v3", 256))'),
    ("Box2D", "reset"): ('pool = make_task("CarRacing-v3", 256)', "for_ever(pool.reset)"),
    ("Box2D", "step"): (CARS.format(256, 1), "for_ever(lambda: pool.step(actions(pool)))"),
    ("Box2D", "set_state"): (
        CARS.format(1, 900) + '\nmany = make_task("CarRacing-v3", 400, max_episode_steps=10**6)',
        "for_ever(lambda: many.set_state(pool.get_state() * 400))",
    ),
    ("Box2D", "set_state, one long episode"): (
        CARS.format(1, 20_000) + "\nstates = pool.get_state()",
        "for_ever(lambda: pool.set_state(states))",
    ),
    ("Box2D", "set_attr"): (
        'env = make_vector_env("CarRacing-v3", 16, max_episode_steps=10**6); env.reset()\n'
        "for _ in range(900): env.step(env.action_space.sample())",
        'for_ever(lambda: env.set_attr("lap_complete_percent", 0.9))',
    ),
    ("Box2D", "render"): (
        'pool = reset("CarRacing-v3", 64, render_mode="rgb_array")',
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("Box2D", "render, by Gymnasium"): (
        'pool = played("LunarLander-v3", 8, 100, render_mode="rgb_array")',
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("Atari", "make"): ("", 'for_ever(lambda: make_task("Pong-v5", 64))'),
    ("Atari", "reset"): ('pool = make_task("Pong-v5", 64)', "for_ever(pool.reset)"),
    ("Atari", "step"): (SLOW_PONG, "for_ever(lambda: pool.step(actions(pool)))"),
    ("Atari", "get_state, set_state"): (
        'pool = reset("Pong-v5", 64)',
        "for_ever(lambda: pool.set_state(pool.get_state()))",
    ),
    ("Atari", "set_attr"): (
        'env = make_vector_env("Pong-v5", 16); env.reset()',
        'for_ever(lambda: env.set_attr("repeat_action_probability", 0.5))',
    ),
    ("Atari", "render"): (
        'pool = reset("Pong-v5", 64, render_mode="rgb_array", render_width=1600,'
        " render_height=2100)",
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("toy text", "make"): ("", 'for_ever(lambda: make_task("FrozenLake-v1", 10**5))'),
    ("toy text", "make, a large lake"): (
        "lake = ['S' + 'F' * 999] + ['F' * 1000] * 998 + ['F' * 999 + 'G']",
        'for_ever(lambda: make_task("FrozenLake-v1", 2, desc=lake))',
    ),
    ("toy text", "render"): (
        'pool = reset("Taxi-v3", 64, render_mode="rgb_array")',
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("classic control", "make"): ("", 'for_ever(lambda: make_task("CartPole-v1", 3 * 10**5))'),
    ("classic control", "step"): (
        'pool = reset("CartPole-v1", 10**5)',
        "for_ever(lambda: pool.step(actions(pool)))",
    ),
    ("classic control", "get_state, set_state"): (
        'pool = reset("CartPole-v1", 10**5)',
        "for_ever(lambda: pool.set_state(pool.get_state()))",
    ),
    ("classic control", "render"): (
        'pool = reset("CartPole-v1", 64, render_mode="rgb_array")',
        "for_ever(lambda: pool.render(pool.all_env_ids))",
    ),
    ("classic control", "render, large"): (
        'pool = reset("Pendulum-v1", render_mode="rgb_array", render_width=4000,'
        " render_height=4000)",
        "for_ever(pool.render)",
    ),
    ("classic control", "render, large and smooth"): (
        'pool = reset("Pendulum-v1", render_mode="rgb_array", render_width=4000,'
        " render_height=3999)",
        "for_ever(pool.render)",
    ),
}


def latency_of(case: tuple[str, str], after: float = 0.7) -> float:
    """How long Ctrl-C takes in seconds; infinite if the call hangs.

    Args:
        case: A key of ``CASES``.
        after: When Ctrl-C comes, seconds from the call's beginning.

    Raises:
        RuntimeError: If the program fails otherwise, or does not exit.
    """
    prepare, call = CASES[case]
    program = (
        f"{PREAMBLE}{SETUP}{prepare}\n"
        f"print(latency_of_ctrl_c(lambda: {call}, after={after}), flush=True)\n"
    )
    try:
        done = run_python(program, timeout=DEADLINE_S)
    except subprocess.TimeoutExpired as hang:
        if hang.stdout:
            raise RuntimeError(f"{case}: does not exit") from hang
        return float("inf")
    if done.returncode or done.stderr:
        raise RuntimeError(f"{case}: rc {done.returncode}\n{done.stderr}")
    return float(done.stdout)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each call is interrupted.")] = 5,
    only: Annotated[str, typer.Option(help="The cases whose family or call has this text.")] = "",
) -> None:
    """Interrupts each call some times and prints the median and the longest latency."""
    table = Table("family", "call", "median, ms", "longest, ms")
    cases = [case for case in CASES if only in " ".join(case)]
    longest = 0.0
    for case in track(cases, console=Console(stderr=True), disable=not sys.stderr.isatty()):
        # At different times, so that it comes at different places.
        latencies = [latency_of(case, 0.5 + 0.13 * i) for i in range(rounds)]
        worst = max(latencies)
        longest = max(longest, worst)
        table.add_row(*case, f"{1e3 * statistics.median(latencies):.0f}", f"{1e3 * worst:.0f}")
    Console().print(table)
    Console().print(f"the longest of all: {1e3 * longest:.0f} ms")


if __name__ == "__main__":
    typer.run(main)
