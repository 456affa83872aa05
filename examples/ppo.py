r"""PPO on an asynchronous pool of environments, in one file.

    pip install "envpool-next[examples]"
    python examples/ppo.py                                  # CartPole-v1, until it is solved
    python examples/ppo.py --task Acrobot-v1 --seed 3
    python examples/ppo.py --task Pendulum-v1 --total-steps 300000
    python examples/ppo.py --task python_env:Hummingbird-v0  # a game written in Python
    python examples/ppo.py --help

The agent is saved in the folder runs, every minute and after Ctrl-C, and can be watched, or trained
further, with new episodes:

    python -m envpool play CartPole-v1 --policy examples/ppo.py:load:runs/ppo_CartPole-v1.pt
    python examples/ppo.py --resume runs/ppo_Pendulum-v1.pt --total-steps 600000

For images, the network is convolutional. Atari needs
``pip install "envpool-next[examples,atari]"``. Training takes minutes on two cores if images are
small, episodes are one life each (the returns are still those of whole games) and updates are
frequent; docs/images/ppo_breakout.png is the curve of

    python examples/ppo.py --task Breakout-v5 --option episodic_life=True \
        --option img_height=42 --option img_width=42 --num-envs 32 --rollout-steps 1024 \
        --learning-rate 0.001 --total-steps 300000

The algorithm is Proximal Policy Optimization (Schulman et al. 2017, arXiv:1707.06347) with
generalized advantage estimation (Schulman et al. 2016, arXiv:1506.02438). The style, a single file
to be read from top to bottom, is CleanRL's (Huang et al. 2022, https://docs.cleanrl.dev).

``recv`` returns the environments that are ready; the others go on while the networks compute. Which
ones are ready depends on the threads, so a seed does not repeat a run exactly, unless
``--batch-size`` equals ``--num-envs``: then ``recv`` waits for all of them.
"""

from __future__ import annotations

import ast
import csv
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
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import envpool

try:
    import torch
    from matplotlib.figure import Figure
    from torch import nn
    from torch.distributions import Categorical, Distribution, Independent, Normal
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[examples]"') from error

Array = NDArray[Any]

GAE_LAMBDA = 0.95
MINIBATCHES = 8
MAX_GRADIENT_NORM = 0.5
WINDOW = 100  # a task is solved when the mean return of so many episodes reaches its threshold
LINE_SECONDS = 10  # between lines of progress, where there is no terminal
SAVE_SECONDS = 60
SMALLEST_IMAGE = 36  # of which the convolutions leave one pixel


class Settings(NamedTuple):
    """The hyper-parameters that depend on what is observed."""

    learning_rate: float
    epochs: int
    clip: float


FOR_VECTORS = Settings(learning_rate=1e-3, epochs=8, clip=0.2)
FOR_IMAGES = Settings(learning_rate=2.5e-4, epochs=4, clip=0.1)


def shows_images(space: spaces.Box) -> bool:
    """Whether observations are planes of pixels, one byte each."""
    return space.dtype == np.uint8 and len(space.shape) == 3


def initialized(layer: nn.Linear | nn.Conv2d, gain: float = 2**0.5) -> nn.Module:
    """The layer with orthogonal weights and biases of 0."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return layer


def vector_network(inputs: int, outputs: int, last_gain: float, width: int = 64) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(
        nn.Flatten(),
        initialized(nn.Linear(inputs, width)),
        nn.Tanh(),
        initialized(nn.Linear(width, width)),
        nn.Tanh(),
        initialized(nn.Linear(width, outputs), last_gain),
    )


def image_network(image_shape: tuple[int, ...], outputs: int) -> nn.Sequential:
    """The network of Mnih et al. 2015 (doi:10.1038/nature14236), without its last layer."""
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
    return nn.Sequential(*convolutions, initialized(nn.Linear(features, outputs)), nn.ReLU())


def seen(observation: Any, info: dict[str, Any]) -> tuple[Array, Array | None]:
    """What the network sees, and which actions are allowed, if the environment tells that."""
    mask = info.get("action_mask")
    if isinstance(observation, dict):
        mask = observation.get("action_mask", mask)
        parts = [observation[name] for name in sorted(observation) if name != "action_mask"]
        observation = parts[0] if len(parts) == 1 else joined(parts)
    return observation, None if mask is None else mask.astype(bool)


def joined(parts: list[Array]) -> Array:
    """The parts of Dict observations side by side, one vector for each environment."""
    rows = [part.reshape(len(part), -1) for part in parts]
    return np.concatenate(rows, axis=1, dtype=np.float32, casting="unsafe")


class Agent(nn.Module):
    """A policy and a value function."""

    def __init__(self, observation_space: spaces.Box, action_space: spaces.Box | spaces.Discrete):
        super().__init__()
        self.observation_space, self.action_space = observation_space, action_space
        outputs = spaces.flatdim(action_space)
        # The actor's small last weights make it indifferent at first.
        if shows_images(observation_space):
            self.torso: nn.Module = image_network(observation_space.shape, 512)
            self.actor = initialized(nn.Linear(512, outputs), 0.01)
            self.critic = initialized(nn.Linear(512, 1), 1.0)
        else:
            self.torso = nn.Identity()  # the two share nothing
            inputs = spaces.flatdim(observation_space)
            self.actor = vector_network(inputs, outputs, last_gain=0.01)
            self.critic = vector_network(inputs, 1, last_gain=1.0)
        self.log_std = nn.Parameter(torch.zeros(outputs))  # of continuous actions only

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor | None = None
    ) -> tuple[Distribution, torch.Tensor]:
        """The distribution of actions, and the discounted return to expect.

        What the mask does not allow gets a probability of 0 (Huang & Ontanon 2022,
        arXiv:2006.14171).
        """
        if observation.dtype == torch.uint8:
            observation = observation / 255  # only here, because bytes take a quarter of the memory
        features = self.torso(observation)
        output, value = self.actor(features), self.critic(features).squeeze(-1)
        if isinstance(self.action_space, spaces.Discrete):
            if mask is not None:
                output = output.masked_fill(~mask, -1e8)
            return Categorical(logits=output, validate_args=False), value
        return Independent(Normal(output, self.log_std.exp(), validate_args=False), 1), value

    def for_pool(self, action: Array) -> Array:
        """Sampled actions as the pool takes them; where there are bounds, [-1, 1] spans them."""
        space = self.action_space
        if isinstance(space, spaces.Discrete):
            return action + space.start
        action = action.reshape(-1, *space.shape)
        if space.is_bounded():
            action = space.low + (action + 1) / 2 * (space.high - space.low)
        return action.clip(space.low, space.high)


class RunningScale:
    """Mean and deviation of all rows so far, to bring observations and rewards to size one."""

    def __init__(self, mean: Any = 0.0, variance: Any = 1.0, count: int = 0) -> None:
        self.mean, self.variance, self.count = np.asarray(mean), np.asarray(variance), count

    def saved(self) -> tuple[Any, Any, int]:
        """The arguments of one that goes on from here."""
        return self.mean.tolist(), self.variance.tolist(), self.count

    def add(self, rows: Array) -> None:
        """Merges the moments of these rows into those of all before (Chan et al. 1979)."""
        self.count += len(rows)
        share = len(rows) / self.count
        delta = rows.mean(axis=0) - self.mean
        self.mean = self.mean + share * delta
        self.variance = (1 - share) * (self.variance + share * delta**2) + share * rows.var(axis=0)

    @property
    def deviation(self) -> Array:
        """The standard deviation, never 0."""
        return np.asarray(np.sqrt(self.variance + 1e-8))

    def apply(self, rows: Array) -> Array:
        """The rows with mean 0 and deviation 1, and without outliers."""
        scaled: Array = ((rows - self.mean) / self.deviation).clip(-10, 10).astype(np.float32)
        return scaled


class Decisions(NamedTuple):
    """What the agent saw and did, a row per environment."""

    observation: Array
    mask: Array
    action: Array
    log_prob: Array
    value: Array


class Transitions(NamedTuple):
    """The steps that one ``recv`` completed, a row per environment, none of them twice."""

    env_id: Array
    decision: Decisions
    reward: Array
    next_value: Array
    terminated: Array
    done: Array


class Collector:
    """Plays the agent's policy in the pool."""

    def __init__(self, pool: envpool.GymnasiumEnvPool, agent: Agent, gamma: float) -> None:
        self.pool, self.agent, self.gamma = pool, agent, gamma
        space = agent.observation_space
        self.observation_scale = None if shows_images(space) else RunningScale()
        self.reward_scale = RunningScale()
        self.discounted_return = np.zeros(pool.num_envs)
        self.starts_episode = np.ones(pool.num_envs, bool)  # the next row of each environment
        # The last decision for each environment waits here until the pool returns what came of
        # it, in whatever order. These first ones only give the arrays their shapes.
        dtype = np.uint8 if shows_images(space) else np.float32
        self.last = self._decide(np.zeros((pool.num_envs, *space.shape), dtype))
        pool.async_reset()

    @torch.no_grad()
    def _decide(self, observation: Array, mask: Array | None = None) -> Decisions:
        if mask is None:
            outputs = spaces.flatdim(self.agent.action_space)
            mask = np.ones((len(observation), outputs), bool)
        policy, value = self.agent(torch.from_numpy(observation), torch.from_numpy(mask))
        action = policy.sample()
        log_prob = policy.log_prob(action)
        return Decisions(observation, mask, action.numpy(), log_prob.numpy(), value.numpy())

    def step(self) -> tuple[Transitions, list[float]]:
        """Receives a batch and acts on it; also gives the returns of the episodes it ended."""
        observation, reward, terminated, truncated, info = self.pool.recv()
        env_id = info["env_id"]
        observation, mask = seen(observation, info)
        if self.observation_scale is not None:
            self.observation_scale.add(observation)
            observation = self.observation_scale.apply(observation)
        decision = self._decide(observation, mask)
        self.pool.send(self.agent.for_pool(decision.action), env_id)

        # An episode that is over starts anew on the NEXT step: that step ignores the action and
        # returns the first observation, with reward 0. Nothing was decided there, so it is no
        # transition; nor are the rows of the reset at the very beginning. (elapsed_step does not
        # tell: Atari's episodic_life ends episodes where a life is lost, but counts whole games.)
        stepped = ~self.starts_episode[env_id]
        self.starts_episode[env_id] = terminated | truncated
        discounted = np.where(stepped, reward + self.gamma * self.discounted_return[env_id], 0.0)
        self.discounted_return[env_id] = discounted
        self.reward_scale.add(discounted)
        reward = (reward / self.reward_scale.deviation).clip(-10, 10)
        transitions = Transitions(
            env_id=env_id[stepped],
            decision=Decisions(*(column[env_id[stepped]] for column in self.last)),
            reward=reward[stepped],
            # For the same reason, the row of an episode's end holds its final observation.
            next_value=decision.value[stepped],
            terminated=terminated[stepped],
            done=(terminated | truncated)[stepped],
        )
        for column, new in zip(self.last, decision, strict=True):
            column[env_id] = new
        return transitions, info["episode"]["r"][info["_episode"]].tolist()


def advantages(batches: list[Transitions], num_envs: int, gamma: float) -> torch.Tensor:
    """Generalized advantage estimates of all rows, in the order of the batches.

    The batches hold any environments, so there is no grid of steps by environments. But the way
    back through them meets each environment's transitions from the last to the first, and the
    recursion needs no more: ``following`` has, per environment, the advantage of the next one.
    """
    following = np.zeros(num_envs)
    estimates = []
    for batch in reversed(batches):
        # After a termination there is nothing to gain. A truncation is only the clock's doing:
        # the value of the final observation stands in for the steps that were cut off.
        future = np.where(batch.terminated, 0.0, batch.next_value)
        surprise = batch.reward + gamma * future - batch.decision.value
        # After either, the environment's next transition belongs to another episode.
        later = np.where(batch.done, 0.0, following[batch.env_id])
        estimates.append(surprise + gamma * GAE_LAMBDA * later)
        following[batch.env_id] = estimates[-1]
    return torch.from_numpy(np.concatenate(estimates[::-1])).float()


def learn(
    agent: Agent,
    optimizer: torch.optim.Optimizer,
    batches: list[Transitions],
    advantage: torch.Tensor,
    settings: Settings,
    entropy_bonus: float,
) -> None:
    """Improves the agent by what it did.

    Some transitions were in flight during the previous call and are an older policy's doing. That
    is fine, because each carries its log_prob under the policy that decided.
    """
    columns = zip(*(batch.decision for batch in batches), strict=True)
    tensors = (torch.from_numpy(np.concatenate(column)) for column in columns)
    observation, mask, action, old_log_prob, old_value = tensors
    target = old_value + advantage
    for _ in range(settings.epochs):
        for rows in torch.randperm(len(advantage)).chunk(MINIBATCHES):
            policy, value = agent(observation[rows], mask[rows])
            gain = advantage[rows]
            gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
            ratio = (policy.log_prob(action[rows]) - old_log_prob[rows]).exp()
            clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
            surrogate = torch.min(ratio * gain, clipped * gain).mean()
            value_loss = 0.5 * (value - target[rows]).square().mean()
            loss = value_loss - surrogate - entropy_bonus * policy.entropy().mean()
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(agent.parameters(), MAX_GRADIENT_NORM)
            optimizer.step()


def plot(curve: list[tuple[int, float]], task: str, threshold: float | None, path: Path) -> None:
    """Draws the returns of all episodes and their running mean, and writes them beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".csv").open("w", newline="") as file:
        csv.writer(file).writerows([("steps", "return"), *curve])
    steps, returns = np.array(curve).reshape(-1, 2).T
    sums = np.concatenate([[0.0], np.cumsum(returns)])
    last = np.arange(1, len(sums))
    first = np.maximum(last - WINDOW, 0)
    mean = (sums[last] - sums[first]) / (last - first)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.scatter(steps, returns, s=9, color="#4c78a8", alpha=0.4, linewidths=0, label="episode")
    axes.plot(steps, mean, color="#e45756", lw=2, label=f"mean of {WINDOW} episodes")
    if threshold is not None:
        axes.axhline(threshold, color="0.3", ls="--", lw=1, label=f"solved: {threshold:g}")
    if not curve:
        axes.text(0.5, 0.5, "no episode has ended", transform=axes.transAxes, ha="center")
        axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set(title=f"PPO on {task}", xlabel="environment steps", ylabel="return")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="x", nbins=6)  # millions take their place
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.2)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)
    print(f"The reward curve is in {path}, and as numbers in {path.with_suffix('.csv')}.")


def save(
    agent: Agent,
    scale: RunningScale | None,
    task: str,
    options: dict[str, Any],
    path: Path,
    training: dict[str, Any] | None = None,
) -> None:
    """Writes what :func:`load` needs to play on, and what ``--resume`` needs to train on."""
    saved = {
        "weights": agent.state_dict(),
        "task": task,
        "options": options,
        "scale": None if scale is None else scale.saved(),
        "training": training,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(saved, path)


def load(path: str) -> Callable[[Array, dict[str, Any]], Array]:
    """The saved agent as a policy for ``play`` and ``film``, which takes its best actions."""
    saved = torch.load(path, weights_only=True)
    agent = make_agent(envpool.make_spec(saved["task"], **saved["options"]))
    agent.load_state_dict(saved["weights"])
    scale = None if saved["scale"] is None else RunningScale(*saved["scale"])

    @torch.no_grad()
    def act(observation: Any, info: dict[str, Any]) -> Array:
        observation, mask = seen(observation, info)
        expected, shape = agent.observation_space.shape, observation.shape[1:]
        if shape != expected:
            raise ValueError(
                f"{path} has learned {saved['task']}, where an observation has shape {expected}, "
                f"not {shape}"
            )
        policy, _ = agent(
            torch.from_numpy(observation if scale is None else scale.apply(observation)),
            None if mask is None else torch.from_numpy(mask),
        )
        return agent.for_pool(policy.mode.numpy())

    return act


def make_agent(made: envpool.GymnasiumEnvPool | envpool.EnvSpec) -> Agent:
    observation_space, action_space = made.observation_space, made.action_space
    if isinstance(observation_space, spaces.Dict):
        others = [space for name, space in observation_space.items() if name != "action_mask"]
        if all(isinstance(space, spaces.Box | spaces.MultiBinary) for space in others):
            size = sum(map(spaces.flatdim, others))
            observation_space = spaces.Box(-np.inf, np.inf, (size,))
        if len(others) == 1:
            observation_space = others[0]
    if not isinstance(observation_space, spaces.Box):
        raise typer.BadParameter(
            f"no network here observes {observation_space}, but a Box, or a Dict of Boxes and "
            "MultiBinaries, one of which may be an action_mask"
        )
    if shows_images(observation_space) and min(observation_space.shape[1:]) < SMALLEST_IMAGE:
        raise typer.BadParameter(f"images must have {SMALLEST_IMAGE} rows and columns at least")
    if not isinstance(action_space, spaces.Box | spaces.Discrete):
        raise typer.BadParameter(f"no policy here acts in {action_space}")
    return Agent(observation_space, action_space)


class Training:
    """All that training changes, and how far it is."""

    def __init__(
        self, collector: Collector, optimizer: torch.optim.Optimizer, threshold: float | None
    ) -> None:
        self.collector, self.optimizer, self.threshold = collector, optimizer, threshold
        self.curve: list[tuple[int, float]] = []
        self.recent: deque[float] = deque(maxlen=WINDOW)
        self.steps, self.mean, self.solved = 0, float("nan"), False

    def collect(self, end: int) -> list[Transitions]:
        """Plays until there were so many steps, or the task is solved."""
        batches: list[Transitions] = []
        while self.steps < end and not self.solved:
            transitions, returns = self.collector.step()
            batches.append(transitions)
            self.steps += len(transitions.env_id)
            self.curve += [(self.steps, episode_return) for episode_return in returns]
            self.recent.extend(returns)
            self.mean = float(np.mean(self.recent)) if self.recent else self.mean
            is_full = len(self.recent) == WINDOW
            self.solved = self.threshold is not None and is_full and self.mean >= self.threshold
        return batches

    def save(self, task: str, options: dict[str, Any], path: Path) -> None:
        """Writes all but the environments, whose episodes begin anew."""
        collector = self.collector
        training = {
            "optimizer": self.optimizer.state_dict(),
            "reward_scale": collector.reward_scale.saved(),
            "steps": self.steps,
        }
        save(collector.agent, collector.observation_scale, task, options, path, training)

    def restore(self, saved: dict[str, Any]) -> None:
        """Goes on from what was saved."""
        self.collector.agent.load_state_dict(saved["weights"])
        if saved["scale"] is not None:
            self.collector.observation_scale = RunningScale(*saved["scale"])
        training = saved["training"]
        self.collector.reward_scale = RunningScale(*training["reward_scale"])
        self.optimizer.load_state_dict(training["optimizer"])
        self.steps = training["steps"]

    @property
    def shown_mean(self) -> str:
        """The mean return, once there is one."""
        return f"  return {self.mean:.1f}" if self.recent else ""

    def verdict(self, task: str) -> str:
        """What has come of it."""
        has_none = self.threshold is None
        verdict = "solved" if self.solved else "has no threshold" if has_none else "not solved"
        return (
            f"{task} {verdict}: mean return {self.mean:.1f} of the last {len(self.recent)} "
            f"episodes, {self.steps:,} steps"
        )


class Reporter:
    """Shows how far training is: a bar in a terminal, and elsewhere a line now and then."""

    def __init__(self, task: str, total_steps: int) -> None:
        status = TextColumn("{task.completed:,} steps  {task.fields[status]}")
        columns = TextColumn("{task.description}"), BarColumn(), status, TimeElapsedColumn()
        self.progress = Progress(*columns, refresh_per_second=4)
        self.bar = self.progress.add_task(task, total=total_steps, status="")
        self.next_line = 0.0

    def show(self, steps: int, status: str) -> None:
        """Shows how many steps there are, and what else is known."""
        self.progress.update(self.bar, completed=steps, status=status)
        if not self.progress.console.is_terminal and time.perf_counter() >= self.next_line:
            print(f"{steps:,} steps  {status}", flush=True)
            self.next_line = time.perf_counter() + LINE_SECONDS

    def __enter__(self) -> Reporter:
        self.progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.progress.stop()


def unused(name: str) -> Path:
    """The name of a plot whose agent there is not yet: earlier runs stay."""
    path, number = Path(f"{name}.png"), 1
    while path.with_suffix(".pt").exists():
        number += 1
        path = Path(f"{name}_{number}.png")
    return path


def parse_option(text: str) -> tuple[str, Any]:
    """The name and the value of ``NAME=VALUE``: a Python literal, or else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError(f"--option is {text!r}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def main(
    task: Annotated[
        str | None,
        typer.Option(
            show_default="CartPole-v1",
            help="One of `python -m envpool list`, or Gymnasium's Module:Id.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option for make(); repeatable."),
    ] = None,
    num_envs: Annotated[int, typer.Option(min=1)] = 64,
    batch_size: Annotated[int, typer.Option(min=0, help="Rows per recv; 0: num-envs / 2.")] = 0,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    total_steps: Annotated[int, typer.Option(min=1, help="Stop after this many.")] = 1_000_000,
    rollout_steps: Annotated[int, typer.Option(min=1, help="Steps per update.")] = 2048,
    learning_rate: Annotated[
        float | None, typer.Option(show_default="0.001; for images: 0.00025")
    ] = None,
    gamma: Annotated[float, typer.Option(help="Discount per step.")] = 0.99,
    entropy_bonus: float = 0.01,
    torch_threads: Annotated[
        int, typer.Option(min=1, help="More help only where cores are idle.")
    ] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(exists=True, help="A .pt file: its task and options; its steps count."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(show_default="runs/ppo_<task>.png", help="The curve; beside it .csv, .pt."),
    ] = None,
) -> None:
    """Trains PPO on a task until it is solved, draws the reward curve and saves the agent."""
    sys.path.append("")  # a task's module may be in the working directory
    torch.set_num_threads(torch_threads)  # more than one slow down small networks
    torch.manual_seed(seed)
    new: dict[str, Any] = {"task": task or "CartPole-v1", "options": {}}
    saved = new if resume is None else torch.load(resume, weights_only=True)
    if task not in (None, saved["task"]):
        raise typer.BadParameter(f"{resume} has learned {saved['task']}, not {task}")
    task = str(saved["task"])
    try:
        options = saved["options"] | dict(map(parse_option, option or ()))
        pool = envpool.make(
            task,
            env_type="gymnasium",
            num_envs=num_envs,
            batch_size=batch_size or max(num_envs // 2, 1),
            seed=seed,
            record_episode_statistics=True,
            **options,
        )
    except (envpool.UnknownTaskError, TypeError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error
    agent = make_agent(pool)
    settings = FOR_IMAGES if shows_images(agent.observation_space) else FOR_VECTORS
    learning_rate = settings.learning_rate if learning_rate is None else learning_rate
    optimizer = torch.optim.Adam(agent.parameters(), lr=learning_rate, eps=1e-5)
    collector = Collector(pool, agent, gamma)
    training = Training(collector, optimizer, pool.spec.reward_threshold)
    if resume is not None:
        training.restore(saved)  # with the learning rate of then
    optimizer.param_groups[0]["lr"] = learning_rate
    path = output or unused(f"runs/ppo_{task.replace('/', '_').replace(':', '_')}")
    weights = path.with_suffix(".pt")
    speed, begun, start = "0 steps/s", training.steps, time.perf_counter()
    next_save = start + SAVE_SECONDS
    with pool, Reporter(task, total_steps) as reporter:
        try:
            while training.steps < total_steps and not training.solved:
                batches = training.collect(min(training.steps + rollout_steps, total_steps))
                if not training.solved:
                    advantage = advantages(batches, num_envs, gamma)
                    learn(agent, optimizer, batches, advantage, settings, entropy_bonus)
                now = time.perf_counter()
                speed = f"{(training.steps - begun) / (now - start):,.0f} steps/s"
                reporter.show(training.steps, speed + training.shown_mean)
                if now > next_save:
                    training.save(task, options, weights)
                    next_save = now + SAVE_SECONDS
        except KeyboardInterrupt:
            print("Interrupted: what was learned so far is saved.")

    seconds = time.perf_counter() - start
    plot(training.curve, task, training.threshold, path)
    training.save(task, options, weights)
    # Where Module:Id was found, and another program finds it as well.
    path_of_modules = f"PYTHONPATH={Path(__file__).parent} " if ":" in task else ""
    play = f"{path_of_modules}python -m envpool play {task}"
    print(f"Watch it: {play} --policy {__file__}:load:{weights}")
    print(training.verdict(task) + f" in {seconds:.1f} s, {speed}")


if __name__ == "__main__":
    typer.run(main)
