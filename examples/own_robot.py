r"""A robot of one's own: an arm reaches for targets, and no two of its episodes are alike.

    pip install "envpool-next[examples,mujoco]"
    python examples/own_robot.py                  # trains PPO for a minute or two
    python examples/own_robot.py --film arm.gif   # and shows what it has learned

The arm is a model for MuJoCo, as text or in a file; the task says in Python what is observed of it,
how masses, friction, servos and targets differ from episode to episode, and what is rewarded.
Physics runs in envpool's threads, for all environments at once, and the reward is one call of NumPy
for the whole batch. PPO is that of ppo.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import ppo  # beside this file
import typer

import envpool

OWN = envpool.mujoco

MODEL = """
<mujoco model="arm">
  <option timestep="0.01" integrator="implicitfast"/>
  <default>
    <joint type="hinge" axis="0 0 1" damping="0.1" armature="0.01" range="-150 150"/>
    <geom type="capsule" size="0.02" rgba="0.3 0.5 0.7 1" contype="0" conaffinity="0"/>
    <motor ctrlrange="-1 1" gear="1"/>
  </default>
  <worldbody>
    <light pos="0 0 2"/>
    <geom name="table" type="plane" size="0.6 0.6 0.1" pos="0 0 -0.05" rgba="0.9 0.9 0.85 1"/>
    <camera name="top" pos="0 0 1.6"/>
    <body name="upper">
      <joint name="shoulder"/>
      <geom name="upper" fromto="0 0 0 0.2 0 0" mass="0.4"/>
      <body name="lower" pos="0.2 0 0">
        <joint name="elbow"/>
        <geom name="lower" fromto="0 0 0 0.15 0 0" mass="0.3"/>
        <body name="hand" pos="0.15 0 0">
          <joint name="wrist"/>
          <geom name="hand" fromto="0 0 0 0.08 0 0" mass="0.1"/>
          <site name="tip" pos="0.08 0 0" size="0.02" rgba="0.1 0.7 0.3 1"/>
        </body>
      </body>
    </body>
    <body name="target" mocap="true" pos="0.3 0 0">
      <site name="target" size="0.025" rgba="0.85 0.2 0.3 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor joint="shoulder"/> <motor joint="elbow" gear="0.6"/> <motor joint="wrist" gear="0.3"/>
  </actuator>
</mujoco>
"""
REACH = 0.03  # m


class Reach(OWN.Task):
    """Hold the tip of the hand where the target is."""

    model = MODEL
    frame_skip = 4
    observation = ("qpos", "qvel", "site_xpos:tip[:2]", "site_xpos:target[:2]")
    watch = ("site_xpos:tip", "site_xpos:target", "ctrl")
    randomise = {
        "body_mass": OWN.Uniform(0.7, 1.4, scale=True),
        "dof_damping": OWN.Uniform(0.5, 2.0, scale=True),
        "actuator_gear": OWN.Uniform(0.8, 1.2, scale=True),
        "qpos": OWN.Normal(0.5),
        "mocap_pos:target[:2]": OWN.Uniform([0.1, -0.3], [0.3, 0.3], absolute=True),
    }
    max_episode_steps = 75

    def reward(self, batch: OWN.Batch) -> OWN.Outcome:
        """The nearer the better, with little force."""
        distance = np.linalg.norm(batch["site_xpos:tip"] - batch["site_xpos:target"], axis=-1)
        force = np.square(batch["ctrl"]).sum(axis=-1)
        reward = 1.0 - np.tanh(8.0 * distance) - 0.01 * force
        return OWN.Outcome(reward, info={"distance": distance, "reached": distance < REACH})


TASK = "own/Reach-v0"
envpool.mujoco.register(TASK, Reach, reward_threshold=59.0)


def main(
    total_steps: Annotated[int, typer.Option(help="Stop after this many.")] = 600_000,
    seed: int = 1,
    film: Annotated[Path | None, typer.Option(help="Film what was learned, train nothing.")] = None,
    output: Annotated[Path, typer.Option(help="The curve; beside it .csv, .pt.")] = Path(
        "runs/own_robot.png"
    ),
) -> None:
    """Trains PPO on the arm until its task is solved, or films it."""
    if film is None:
        ppo.main(task=TASK, total_steps=total_steps, seed=seed, output=output)
    else:
        policy = ppo.load(str(output.with_suffix(".pt")))
        view: dict[str, Any] = {
            "num_envs": 4,
            "render_camera_id": 0,
            "render_width": 240,
            "render_height": 240,
        }
        envpool.film(TASK, policy, path=film, steps=225, **view)


if __name__ == "__main__":
    typer.run(main)
