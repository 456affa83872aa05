r"""PPO to copy and to change: one file with checkpoints, TensorBoard, normalisation, evaluation.

    pip install "envpool-next[examples]"
    python ppo_single_file.py                                                # CartPole-v1
    python ppo_single_file.py --task HalfCheetah-v5 --normalize --total-steps 1000000
    python ppo_single_file.py --task Breakout-v5 --option episodic_life=True \
        --total-steps 10000000 --device cuda --track
    python ppo_single_file.py --help

The task's spaces choose the network and the settings: a convolutional one for images (Atari), one
with normally distributed actions for Boxes of actions (MuJoCo), and else one with discrete actions.

Every ``--checkpoint-every`` iterations, everything goes to ``runs/NAME/checkpoint.pt``. The same
command with ``--resume runs/NAME/checkpoint.pt`` goes on from there, and ends with the same
weights, bit for bit, as a run that was not interrupted. (For this the pool is synchronous;
examples/ppo.py has an asynchronous one. The bits also depend on PyTorch's version, the device and
the number of threads.)
``--total-steps`` may be larger then, as the learning rate is constant. The agent can be watched:

    python -m envpool film CartPole-v1 --policy ppo_single_file.py:load:runs/NAME/checkpoint.pt

The algorithm is Proximal Policy Optimization (Schulman et al. 2017, arXiv:1707.06347) with
generalized advantage estimation (Schulman et al. 2016, arXiv:1506.02438). The style and most of the
settings are CleanRL's (Huang et al. 2022, https://docs.cleanrl.dev).
"""

from __future__ import annotations

import ast
import dataclasses
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from gymnasium import spaces
from numpy.typing import NDArray

import envpool
from envpool.normalize import Normalizer

try:
    import torch
    from torch import nn
    from torch.distributions import Categorical, Distribution, Independent, Normal
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[examples]"') from error

CHECKPOINT_VERSION = 1  # to be raised when you change what a checkpoint has
GAE_LAMBDA = 0.95
MAX_GRADIENT_NORM = 0.5
VALUE_WEIGHT = 0.5
LINE_SECONDS = 5  # between lines of progress


@dataclasses.dataclass(frozen=True)
class Settings:
    """The hyper-parameters that depend on the task's kind."""

    num_envs: int
    num_steps: int  # of each environment, per iteration
    learning_rate: float
    minibatches: int
    epochs: int
    clip: float
    entropy_bonus: float
    gamma: float = 0.99  # discount per step
    normalize: bool = False  # observations and returns


IMAGES = Settings(8, 128, 2.5e-4, minibatches=4, epochs=4, clip=0.1, entropy_bonus=0.01)
CONTINUOUS = Settings(8, 256, 3e-4, minibatches=32, epochs=10, clip=0.2, entropy_bonus=0.0)
DISCRETE = Settings(8, 128, 1e-3, minibatches=4, epochs=4, clip=0.2, entropy_bonus=0.01)


def initialized(layer: nn.Linear | nn.Conv2d, gain: float = 2**0.5) -> nn.Module:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return layer


def mlp(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    first, second = initialized(nn.Linear(inputs, 64)), initialized(nn.Linear(64, 64))
    last = initialized(nn.Linear(64, outputs), last_gain)
    return nn.Sequential(nn.Flatten(), first, nn.Tanh(), second, nn.Tanh(), last)


def cnn(image_shape: tuple[int, ...]) -> nn.Sequential:
    convolutions = nn.Sequential(
        initialized(nn.Conv2d(image_shape[0], 32, kernel_size=8, stride=4)),
        nn.ReLU(),
        initialized(nn.Conv2d(32, 64, kernel_size=4, stride=2)),
        nn.ReLU(),
        initialized(nn.Conv2d(64, 64, kernel_size=3)),
        nn.ReLU(),
        nn.Flatten(),
    )
    features = convolutions(torch.zeros(1, *image_shape)).shape[1]
    return nn.Sequential(*convolutions, initialized(nn.Linear(features, 512)), nn.ReLU())


class Agent(nn.Module):
    """A policy and a value function for a task's spaces."""

    def __init__(self, observation_space: spaces.Space[Any], action_space: spaces.Space[Any]):
        super().__init__()
        if not isinstance(observation_space, spaces.Box):
            raise typer.BadParameter(
                f"no network here observes {observation_space}, but a Box: "
                "gymnasium.wrappers.FlattenObservation makes one"
            )
        if not isinstance(action_space, spaces.Box | spaces.Discrete):
            raise typer.BadParameter(f"no policy here acts in {action_space}")
        self.action_space = action_space
        shape, outputs = observation_space.shape, spaces.flatdim(action_space)
        self.sees_images = observation_space.dtype == np.uint8 and len(shape) == 3
        if self.sees_images:
            self.torso: nn.Module = cnn(shape)
            self.actor: nn.Module = initialized(nn.Linear(512, outputs), 0.01)
            self.critic: nn.Module = initialized(nn.Linear(512, 1), 1.0)
        else:
            self.torso = nn.Identity()
            self.actor = mlp(int(np.prod(shape)), outputs, last_gain=0.01)
            self.critic = mlp(int(np.prod(shape)), 1, last_gain=1.0)
        self.log_std = nn.Parameter(torch.zeros(outputs))  # of continuous actions only

    def forward(self, observation: torch.Tensor) -> tuple[Distribution, torch.Tensor]:
        """The distribution of actions, and the discounted return to expect."""
        features = self.torso(observation / 255 if self.sees_images else observation)
        output, value = self.actor(features), self.critic(features).squeeze(-1)
        if isinstance(self.action_space, spaces.Discrete):
            return Categorical(logits=output, validate_args=False), value
        return Independent(Normal(output, self.log_std.exp(), validate_args=False), 1), value

    def for_pool(self, action: torch.Tensor) -> NDArray[Any]:
        """Actions as the pool takes them; where there are bounds, [-1, 1] spans them."""
        space, array = self.action_space, action.cpu().numpy()
        if isinstance(space, spaces.Discrete):
            return np.asarray(array + space.start)
        array = array.reshape(-1, *space.shape)
        if space.is_bounded():
            array = space.low + (array + 1) / 2 * (space.high - space.low)
        return np.asarray(array.clip(space.low, space.high))


class Rollout(NamedTuple):
    """What happened in an iteration: tensors of shape (num_steps, num_envs, ...)."""

    observation: torch.Tensor
    action: torch.Tensor
    log_prob: torch.Tensor
    value: torch.Tensor
    reward: torch.Tensor
    terminated: torch.Tensor
    done: torch.Tensor
    is_step: torch.Tensor  # False where an episode was over: the pool ignored the action


class Trainer:
    """All that changes during training, and so all that a checkpoint has."""

    def __init__(
        self, pool: envpool.GymnasiumEnvPool, agent: Agent, settings: Settings, device: str
    ) -> None:
        self.pool, self.agent, self.settings, self.device = pool, agent.to(device), settings, device
        rate = settings.learning_rate
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=rate, eps=1e-5)
        self.normalizer = Normalizer(pool, settings.gamma)
        self.iteration = 0
        self.returns: deque[float] = deque(maxlen=100)  # of the last episodes
        self.observation = self.prepared(pool.reset()[0])
        self.done = torch.zeros(pool.num_envs, dtype=torch.bool)

    def prepared(self, observation: NDArray[Any]) -> torch.Tensor:
        """Observations as the networks take them."""
        if not self.agent.sees_images:  # whose bytes the network itself divides by 255
            if self.settings.normalize:
                observation = self.normalizer.observations(observation).clip(-10, 10)
            observation = observation.astype(np.float32)
        return torch.from_numpy(observation).to(self.device)

    @torch.no_grad()
    def play(self) -> Rollout:
        """Plays num_steps steps in all environments."""
        rows = []
        for _ in range(self.settings.num_steps):
            policy, value = self.agent(self.observation)
            action = policy.sample()
            results = self.pool.step(self.agent.for_pool(action))
            observation, reward, terminated, truncated, info = results
            self.returns.extend(info["episode"]["r"][info["_episode"]].tolist())
            if self.settings.normalize:
                reward = self.normalizer.rewards(reward, terminated, truncated, info)
                reward = reward.clip(-10, 10)
            elif self.agent.sees_images:
                reward = np.sign(reward)  # games differ in how much they count
            done = torch.from_numpy(terminated | truncated)
            gain = torch.from_numpy(reward).float()
            outcome = (gain, torch.from_numpy(terminated), done, ~self.done)
            decision = (self.observation, action, policy.log_prob(action), value)
            rows.append((*decision, *(column.to(self.device) for column in outcome)))
            self.observation, self.done = self.prepared(observation), done
        return Rollout(*(torch.stack(column) for column in zip(*rows, strict=True)))

    @torch.no_grad()
    def advantages(self, rollout: Rollout) -> torch.Tensor:
        """Generalized advantage estimates, of shape (num_steps, num_envs)."""
        advantage, gamma = torch.zeros_like(rollout.reward), self.settings.gamma
        next_value = self.agent(self.observation)[1]
        following = torch.zeros_like(next_value)
        for step in reversed(range(len(advantage))):
            # The row after an episode's end has its last observation, whose value stands in for
            # the steps that a truncation has cut off.
            future = next_value * ~rollout.terminated[step]
            surprise = rollout.reward[step] + gamma * future - rollout.value[step]
            following = surprise + gamma * GAE_LAMBDA * following * ~rollout.done[step]
            advantage[step], next_value = following, rollout.value[step]
        return advantage

    def learn(self, rollout: Rollout, advantage: torch.Tensor) -> dict[str, float]:
        """Improves the agent by what it did; returns the last minibatch's losses."""
        settings, is_step = self.settings, rollout.is_step
        observation, action, old_log_prob, old_value = (part[is_step] for part in rollout[:4])
        advantage = advantage[is_step]
        target = old_value + advantage
        for _ in range(settings.epochs):
            for rows in torch.randperm(len(advantage)).chunk(settings.minibatches):
                policy, value = self.agent(observation[rows])
                gain = advantage[rows]
                gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
                ratio = (policy.log_prob(action[rows]) - old_log_prob[rows]).exp()
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                value_loss = 0.5 * (value - target[rows]).square().mean()
                entropy = policy.entropy().mean()
                bonus = settings.entropy_bonus * entropy
                self.optimizer.zero_grad()
                torch.autograd.backward(policy_loss + VALUE_WEIGHT * value_loss - bonus)
                nn.utils.clip_grad_norm_(self.agent.parameters(), MAX_GRADIENT_NORM)
                self.optimizer.step()
        losses = {"policy": policy_loss, "value": value_loss, "entropy": entropy}
        return {f"losses/{name}": loss.item() for name, loss in losses.items()}

    def save(self, path: Path, setup: dict[str, Any]) -> None:
        """Writes a checkpoint. No other random generators than PyTorch's are used here."""
        statistics = self.normalizer.state_dict()
        saved = {
            "version": CHECKPOINT_VERSION,
            "setup": setup,
            "agent": self.agent.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "normalizer": {name: torch.from_numpy(array) for name, array in statistics.items()},
            "random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state_all(),
            "pool": self.pool.get_state(),  # with the environments' random generators
            "observation": self.observation,  # which no environment repeats
            "done": self.done,
            "iteration": self.iteration,
            "returns": list(self.returns),
        }
        partial = path.with_suffix(".part")  # so that there is a whole one at any time
        torch.save(saved, partial)
        partial.replace(path)

    def resume(self, path: Path, setup: dict[str, Any]) -> None:
        """Goes on from a checkpoint of a run with the same setup."""
        saved = read_checkpoint(path)
        old = saved["setup"]
        different = [name for name in setup if old.get(name) != setup[name]]
        if different:
            told = ", ".join(f"{name}={old.get(name)!r}, not {setup[name]!r}" for name in different)
            raise typer.BadParameter(f"{path} was trained with {told}: repeat its run's options")
        try:
            self.pool.set_state(saved["pool"])
        except (ValueError, RuntimeError) as error:  # of another version of the environment
            raise typer.BadParameter(f"{path}: {error}") from error
        self.take_agent(saved)
        self.optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["random"])
        torch.cuda.set_rng_state_all(saved["cuda_random"])
        self.observation, self.done = saved["observation"].to(self.device), saved["done"]
        self.iteration = saved["iteration"]
        self.returns.extend(saved["returns"])

    def take_agent(self, saved: dict[str, Any]) -> None:
        """Takes what decides how a checkpoint's agent acts."""
        self.agent.load_state_dict(saved["agent"])
        self.normalizer.load_state_dict(saved["normalizer"])

    @torch.no_grad()
    def best_actions(self, observation: NDArray[Any]) -> NDArray[Any]:
        """The most probable actions, as the pool takes them."""
        policy, _ = self.agent(self.prepared(observation))
        return self.agent.for_pool(policy.mode)

    def evaluate(self, pool: envpool.GymnasiumEnvPool) -> NDArray[np.float64]:
        """Returns of each environment's first episode, with the most probable actions."""
        updates, self.normalizer.update_running_mean = self.normalizer.update_running_mean, False
        returns = np.full(pool.num_envs, np.nan)
        observation, _ = pool.reset()
        while np.isnan(returns).any():
            observation, _, _, _, info = pool.step(self.best_actions(observation))
            ended = info["_episode"] & np.isnan(returns)
            returns[ended] = info["episode"]["r"][ended]
        self.normalizer.update_running_mean = updates
        return returns


def read_checkpoint(path: str | Path) -> dict[str, Any]:
    """What `Trainer.save` has written."""
    try:
        saved: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
        version = saved["version"]
    except Exception as error:
        raise typer.BadParameter(f"{path} is no checkpoint of this script: {error}") from error
    if version != CHECKPOINT_VERSION:
        raise typer.BadParameter(
            f"{path} is of version {version}, expected {CHECKPOINT_VERSION}: only the script that "
            "wrote it goes on with it"
        )
    return saved


def load(path: str) -> Callable[[NDArray[Any], dict[str, Any]], NDArray[Any]]:
    """The agent of a checkpoint as a policy for ``film`` and ``play``."""
    saved = read_checkpoint(path)
    setup = dict(saved["setup"])
    task, options, seed = (setup.pop(name) for name in ("task", "options", "seed"))
    settings = Settings(**setup)
    pool = make_pool(task, settings.num_envs, seed, options)
    agent = Agent(pool.observation_space, pool.action_space)
    trainer = Trainer(pool, agent, settings, "cpu")
    trainer.take_agent(saved)
    trainer.normalizer.update_running_mean = False
    return lambda observation, info: trainer.best_actions(observation)


def make_pool(task: str, num_envs: int, seed: int, options: dict[str, Any]) -> Any:
    """A synchronous pool; what Rollout says of ends of episodes holds for this autoreset_mode."""
    try:
        fixed: Any = {"autoreset_mode": "NEXT_STEP", "record_episode_statistics": True}
        fixed |= {"num_envs": num_envs, "batch_size": num_envs, "seed": seed}
        return envpool.make(task, env_type="gymnasium", **fixed, **options)
    except (envpool.UnknownTaskError, ImportError, TypeError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error


def usual_settings(agent: Agent) -> Settings:
    """Those of the task's kind."""
    if agent.sees_images:
        return IMAGES
    return DISCRETE if isinstance(agent.action_space, spaces.Discrete) else CONTINUOUS


def require_states(pool: envpool.GymnasiumEnvPool) -> None:
    """Sees to it that there can be checkpoints."""
    try:
        pool.get_state([0])
    except RuntimeError as error:  # not all environments written in Python can
        raise typer.BadParameter(f"a checkpoint needs environments' states: {error}") from error


def make_writer(folder: Path, first_step: int) -> Any:
    """TensorBoard's writer, which drops what came after the checkpoint that is resumed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise SystemExit(f"{error}: --track needs pip install tensorboard") from error
    make: Any = SummaryWriter  # it has no types
    return make(str(folder), purge_step=first_step)


def parse_option(text: str) -> tuple[str, Any]:
    """The name and the value of ``NAME=VALUE``: a Python literal, or else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"--option is {text!r}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def evaluate(trainer: Trainer, pool: envpool.GymnasiumEnvPool, steps: int, writer: Any) -> None:
    """Tells the returns of an episode in each environment."""
    returns = trainer.evaluate(pool)
    mean = float(returns.mean())
    print(f"Evaluation: {mean:.1f} +- {returns.std():.1f} in {len(returns)} episodes")
    if writer:
        writer.add_scalar("evaluation", mean, steps)


def require_iterations(first: int, last: int, per_iteration: int) -> None:
    """Sees to it that there is something to do."""
    if last <= first:
        raise typer.BadParameter(
            f"--total-steps leaves no iteration to do: each has {per_iteration:,} steps, and "
            f"{first * per_iteration:,} steps are done"
        )


def tell_interruption(steps: int, checkpoint: Path) -> None:
    """Says how to go on after Ctrl-C: from the last checkpoint, as an iteration has no half."""
    found = f"--resume {checkpoint}" if checkpoint.exists() else "there is no checkpoint yet"
    print(f"Interrupted after {steps:,} steps: {found}")


def main(
    task: str = "CartPole-v1",
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="For make(); repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    total_steps: Annotated[int, typer.Option(min=1, help="Of all environments.")] = 200_000,
    num_envs: Annotated[int | None, typer.Option(min=1, show_default="by the task")] = None,
    num_steps: Annotated[int | None, typer.Option(min=2, show_default="by the task")] = None,
    learning_rate: Annotated[float | None, typer.Option(show_default="by the task")] = None,
    gamma: float = 0.99,
    normalize: Annotated[bool, typer.Option("--normalize", help="Observations, returns.")] = False,
    checkpoint_every: Annotated[int, typer.Option(min=1, help="Iterations.")] = 50,
    resume: Annotated[Path | None, typer.Option(help="A checkpoint to go on from.")] = None,
    track: Annotated[bool, typer.Option("--track", help="Write for TensorBoard.")] = False,
    evaluation_episodes: Annotated[int, typer.Option(min=0)] = 10,
    evaluation_option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Other than in training; repeatable."),
    ] = None,
    evaluate_every: Annotated[
        int, typer.Option(min=1, help="Iterations.", show_default="only at the end")
    ] = sys.maxsize,
    device: str = "cpu",
    torch_threads: Annotated[int, typer.Option(min=1)] = 1,
    output: Annotated[
        Path | None, typer.Option(help="A folder.", show_default="runs/TASK_SEED_TIME")
    ] = None,
) -> None:
    """Trains PPO, and evaluates what it has learned."""
    sys.path.append("")  # a task's module may be in the working directory
    torch.set_num_threads(torch_threads)  # more than one slow down small networks
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True
    options = dict(map(parse_option, option or ()))
    spec = make_pool(task, 1, seed, options).spec
    agent = Agent(spec.observation_space, spec.action_space)
    given = {"num_envs": num_envs, "num_steps": num_steps, "learning_rate": learning_rate}
    changes: Any = {name: value for name, value in given.items() if value is not None}
    settings = dataclasses.replace(
        usual_settings(agent), gamma=gamma, normalize=normalize, **changes
    )
    setup = {"task": task, "options": options, "seed": seed} | dataclasses.asdict(settings)
    # Other seeds than in training. Of games of several lives, these are whole games.
    judge = make_pool(
        task,
        max(evaluation_episodes, 1),
        seed + 10_000,
        options | dict(map(parse_option, evaluation_option or ())),
    )

    pool = make_pool(task, settings.num_envs, seed, options)
    trainer = Trainer(pool, agent, settings, device)
    name = f"{task}_{seed}_{time.strftime('%Y%m%d-%H%M%S')}".replace("/", "_").replace(":", "_")
    folder = output or (resume.parent if resume else Path("runs") / name)
    require_states(pool)
    if resume:
        trainer.resume(resume, setup)
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint, per_iteration = folder / "checkpoint.pt", settings.num_envs * settings.num_steps
    writer = make_writer(folder, trainer.iteration * per_iteration + 1) if track else None

    first, last = trainer.iteration, total_steps // per_iteration
    require_iterations(first, last, per_iteration)
    start, next_line = time.perf_counter(), 0.0
    try:
        for iteration in range(first + 1, last + 1):
            rollout = trainer.play()
            losses = trainer.learn(rollout, trainer.advantages(rollout))
            trainer.iteration, steps = iteration, iteration * per_iteration
            speed = (iteration - first) * per_iteration / (time.perf_counter() - start)
            mean = float(np.mean(trainer.returns)) if trainer.returns else float("nan")
            if time.perf_counter() >= next_line or iteration == last:
                print(f"{steps:,} steps  {speed:,.0f} steps/s  return {mean:.1f}", flush=True)
                next_line = time.perf_counter() + LINE_SECONDS
            if writer:
                for label, value in {"return": mean, "steps_per_second": speed, **losses}.items():
                    writer.add_scalar(label, value, steps)
            if iteration % checkpoint_every == 0:
                trainer.save(checkpoint, setup)
            if iteration % evaluate_every == 0 and iteration < last:
                evaluate(trainer, judge, steps, writer)
    except KeyboardInterrupt:
        tell_interruption(trainer.iteration * per_iteration, checkpoint)
        raise typer.Exit(130) from None
    trainer.save(checkpoint, setup)
    print(f"Go on with more --total-steps: --resume {checkpoint}")
    if evaluation_episodes:
        evaluate(trainer, judge, steps, writer)
    if writer:
        writer.close()


if __name__ == "__main__":
    typer.run(main)
