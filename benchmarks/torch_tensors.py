"""What tensors cost: microseconds per step with envpool.torch, and with torch.as_tensor.

    python benchmarks/torch_tensors.py [--device cuda] [--tasks Pong-v5]

Policies' actions are on the device, and results have to get there.
"""

import argparse
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import torch

import envpool
from envpool.spec.fields import map_leaves

CASES = (("CartPole-v1", 64), ("CartPole-v1", 1024), ("Pong-v5", 64))
ROUNDS = 41
SECONDS = 0.05  # of a round


def contenders(task: str, num_envs: int, device: str) -> dict[str, Callable[[], Any]]:
    """What does one step, by name."""
    pool = envpool.make_gymnasium(task, num_envs=num_envs, seed=1)
    pool.reset()
    tensors, actions = envpool.torch(pool, device), np.zeros(num_envs, np.int64)
    on_device = torch.from_numpy(actions).to(device)

    def as_tensor(array: Any) -> torch.Tensor:
        return torch.as_tensor(array, device=device)

    return {
        "arrays": lambda: pool.step(actions),
        "as_tensor of four": lambda: [
            as_tensor(array) for array in pool.step(on_device.cpu().numpy())[:4]
        ],
        "as_tensor of all": lambda: map_leaves(as_tensor, pool.step(on_device.cpu().numpy())),
        "envpool.torch": lambda: tensors.step(on_device),
    }


def timed(step: Callable[[], Any], device: str) -> float:
    """Microseconds per step of a round."""
    count, begin = 0, time.perf_counter()
    while time.perf_counter() < begin + SECONDS:
        for _ in range(10):
            step()
        count += 10
    if device != "cpu":
        torch.cuda.synchronize()
    return 1e6 * (time.perf_counter() - begin) / count


def main() -> None:
    """Prints a table: medians of rounds in alternation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tasks", nargs="*", default=sorted({task for task, _ in CASES}))
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    for task, num_envs in CASES:
        if task not in arguments.tasks:
            continue
        steps = contenders(task, num_envs, arguments.device)
        found: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(ROUNDS):
            for name, step in steps.items():
                found[name].append(timed(step, arguments.device))
        told = ", ".join(f"{name} {median(times):,.1f}" for name, times in found.items())
        print(f"{task} {num_envs} on {arguments.device}: {told}", flush=True)
    print(f"Microseconds per step; {os.cpu_count()} cores, load {load:.1f} before, {ROUNDS} rounds")


if __name__ == "__main__":
    main()
