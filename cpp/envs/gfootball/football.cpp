// Google Research Football: matches of two teams, of which agents control some players (K. Kurach
// et al., "Google Research Football: A Novel Reinforcement Learning Environment", 2020).
//
// Equal to upstream's environment that was created after random.seed(seed), with one exception:
// rewards of checkpoints are added in float32, as NumPy does since version 2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "gfootball/actions.h"
#include "gfootball/checkpoints.h"
#include "gfootball/episode.h"
#include "gfootball/minimap.h"
#include "gfootball/pitch.h"
#include "gfootball/scenario.h"
#include "gfootball/vectors.h"
#include "numerics/python_random.h"

namespace envpool::gfootball {
namespace {

constexpr std::uint32_t kMostSeed = 2'000'000'000;  // that upstream draws
constexpr double kPhysicsStepsPerSecond = 100.0;
constexpr std::int64_t kMostSize = 1 << 12;

// Which players the agents control.
struct Agents {
  int left, right;

  int Count() const { return left + right; }
};

int AgentsOf(const Options& options, bool is_left) {
  const std::string name =
      std::string("number_of_") + (is_left ? "left" : "right") + "_players_agent_controls";
  const std::string& scenario = options.Text("env_name");
  const int most = FindScenario(scenario, 0).Controllable(is_left);
  const std::int64_t number = options.Integer(name);
  if (number <= most) return static_cast<int>(number);
  throw std::invalid_argument(name + " is " + std::to_string(number) + ", but in " + scenario +
                              " at most " + std::to_string(most) +
                              " players of that team can be controlled");
}

Agents AgentsOf(const Options& options) {
  const Agents agents = {AgentsOf(options, true), AgentsOf(options, false)};
  if (agents.Count() > 0) return agents;
  throw std::invalid_argument(
      "number_of_left_players_agent_controls and number_of_right_players_agent_controls are both "
      "0, expected at least one player");
}

// Width and height of a minimap.
std::pair<int, int> SizeOf(const Options& options) {
  const auto& size = options.Get<std::vector<std::int64_t>>("channel_dimensions");
  const auto is_one = [](std::int64_t pixels) { return 1 <= pixels && pixels <= kMostSize; };
  if (size.size() != 2 || !std::ranges::all_of(size, is_one)) {
    throw std::invalid_argument("channel_dimensions are a width and a height of 1 to " +
                                std::to_string(kMostSize) + " pixels");
  }
  return {static_cast<int>(size[0]), static_cast<int>(size[1])};
}

bool IsMinimap(const Options& options) { return options.Text("representation") == "extracted"; }

std::size_t FramesOf(const Options& options) {
  if (!options.Flag("stacked")) return 1;
  if (IsMinimap(options)) return kStacked;
  throw std::invalid_argument("stacked is True, expected False with representation='" +
                              options.Text("representation") + "': only 'extracted' is stacked");
}

// Makes fields with place for the players that any agent sees: an agent of the right team sees that
// team as its own.
std::vector<Field> MakeRawFields(const Scenario& scenario, const Agents& agents,
                                 std::size_t sticky_actions) {
  std::size_t own = 0;
  std::size_t other = 0;
  const auto make_room = [&](const std::vector<Place>& mine, const std::vector<Place>& theirs) {
    own = std::max(own, mine.size());
    other = std::max(other, theirs.size());
  };
  if (agents.left > 0) make_room(scenario.left, scenario.right);
  if (agents.right > 0) make_room(scenario.right, scenario.left);
  return RawFields(own, other, sticky_actions);
}

class Gfootball final : public Env {
 public:
  explicit Gfootball(const Options& options);

  static Spec MakeSpec(const Options& options);

  void Seed(std::uint64_t seed, Random&) override;
  void Reset(Random&, const Options&) override;
  StepResult Step(const Action& action, Random&) override;
  void Observe(const Row& row) const override;

  int NumPlayers() const override { return agents_.Count(); }
  double PlayerReward(int player) const override {
    return rewards_[static_cast<std::size_t>(player)];
  }

  bool HasBegun() const override { return setup_.has_value(); }
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;

 private:
  std::uint32_t DrawSeed();
  void Begin();
  // Runs what needs the engine.
  template <class Run>
  void Guarded(const Run& run);
  std::vector<int> EngineActions(const Action& action) const;
  // Calls see(view, agent) for each agent.
  template <class See>
  void ForEachView(const See& see) const;

  const std::string scenario_, representation_;
  const Agents agents_;
  const std::vector<int> action_set_, sticky_actions_;
  const int physics_steps_;
  const std::int64_t fixed_seed_;  // of all matches; -1: each has its own
  const bool has_checkpoints_;

  numerics::PythonRandom random_{0};
  bool reverse_team_processing_ = false;  // of all matches since the seed
  std::int32_t episode_number_ = 0;
  std::optional<Setup> setup_;        // of the match; none: there has been none
  std::unique_ptr<Episode> episode_;  // made by the first reset, which may run beside others
  Checkpoints checkpoints_;
  std::vector<Minimap> minimaps_;  // of each agent, if that is what it sees
  std::vector<float> rewards_;
};

Gfootball::Gfootball(const Options& options)
    : scenario_(options.Text("env_name")),
      representation_(options.Text("representation")),
      agents_(AgentsOf(options)),
      action_set_(ActionSet(options.Text("action_set"))),
      sticky_actions_(StickyActions(action_set_)),
      physics_steps_(static_cast<int>(options.Integer("physics_steps_per_frame"))),
      fixed_seed_(options.Integer("game_engine_random_seed")),
      has_checkpoints_(options.Text("rewards") != "scoring"),
      checkpoints_(static_cast<std::size_t>(agents_.Count())),
      rewards_(static_cast<std::size_t>(agents_.Count())) {
  RequireData();
  const auto [width, height] = SizeOf(options);
  const Minimap minimap(width, height, FramesOf(options));
  if (IsMinimap(options)) minimaps_.assign(rewards_.size(), minimap);
}

Spec Gfootball::MakeSpec(const Options& options) {
  const Agents agents = AgentsOf(options);
  const Scenario& scenario = FindScenario(options.Text("env_name"), 0);
  const std::vector<int> action_set = ActionSet(options.Text("action_set"));
  const auto [width, height] = SizeOf(options);
  const auto layers = static_cast<int>(kLayers * FramesOf(options));
  Spec spec;
  if (IsMinimap(options)) {
    spec.observation = {Box("obs", DType::kUInt8, {height, width, layers}, {0}, {255})};
  } else if (options.Text("representation") == "raw") {
    spec.observation_structure = Structure::kDict;
    spec.observation = MakeRawFields(scenario, agents, StickyActions(action_set).size());
  } else {
    spec.observation = {Box("obs", DType::kFloat32, {static_cast<int>(kSimple)})};
  }
  spec.max_num_players = agents.Count();
  spec.action = {Discrete("action", static_cast<int>(action_set.size()))};
  if (agents.Count() > 1) {
    for (Field& field : spec.observation) field.per_player = true;
    spec.action[0].name = "players.action";
    spec.action[0].per_player = true;
  }
  for (const char* const name : {"engine_seed", "episode_number"}) {
    spec.info.push_back(Box(name, DType::kInt32, {}));
  }
  if (spec.observation_structure == Structure::kDict) return spec;  // which has all that follows
  spec.info.push_back(Box("score", DType::kInt32, {2}));
  for (const char* const name :
       {"game_mode", "ball_owned_team", "ball_owned_player", "steps_left"}) {
    spec.info.push_back(Box(name, DType::kInt32, {}));
  }
  return spec;
}

std::uint32_t Gfootball::DrawSeed() {
  return fixed_seed_ < 0 ? random_.Integer(kMostSeed) : static_cast<std::uint32_t>(fixed_seed_);
}

// Upstream builds the scenario three times before the first reset, and draws a seed for each. The
// second decides which team is computed first, for good.
void Gfootball::Seed(std::uint64_t seed, Random&) {
  random_ = numerics::PythonRandom(seed);
  DrawSeed();
  reverse_team_processing_ = DrawSeed() % 2 != 0;
  DrawSeed();
  episode_number_ = 1;
}

void Gfootball::Reset(Random&, const Options&) {
  ++episode_number_;
  setup_ = Setup{.left_agents = agents_.left,
                 .right_agents = agents_.right,
                 .seed = DrawSeed(),
                 .reverse_team_processing = reverse_team_processing_};
  Begin();
  checkpoints_.Begin();
  std::ranges::fill(rewards_, 0.0F);
  if (minimaps_.empty()) return;
  ForEachView([this](const View& view, std::size_t agent) { minimaps_[agent].Fill(view); });
}

// Nobody knows what works of an engine that has failed. It is not ended, which might fail again and
// then end the process.
template <class Run>
void Gfootball::Guarded(const Run& run) {
  try {
    run();
  } catch (...) {
    static_cast<void>(episode_.release());
    setup_.reset();
    throw;
  }
}

void Gfootball::Begin() {
  Guarded([this] {
    if (!episode_) episode_ = std::make_unique<Episode>(physics_steps_, sticky_actions_);
    episode_->Begin(FindScenario(scenario_, episode_number_), *setup_);
  });
}

std::vector<int> Gfootball::EngineActions(const Action& action) const {
  std::vector<int> actions;
  for (const std::int32_t number : action.Values<std::int32_t>()) {
    const int chosen = action_set_[static_cast<std::size_t>(number)];
    const bool is_left = std::cmp_less(actions.size(), agents_.left);
    actions.push_back(is_left ? chosen : TurnedAction(chosen));
  }
  return actions;
}

template <class See>
void Gfootball::ForEachView(const See& see) const {
  const Observed& seen = episode_->Seen();
  for (int agent = 0; agent < agents_.left; ++agent) {
    const auto i = static_cast<std::size_t>(agent);
    see(View{seen, i}, i);
  }
  if (agents_.right == 0) return;
  const Observed turned = Turned(seen, sticky_actions_);
  for (int agent = 0; agent < agents_.right; ++agent) {
    see(View{turned, static_cast<std::size_t>(agent)},
        static_cast<std::size_t>(agents_.left + agent));
  }
}

StepResult Gfootball::Step(const Action& action, Random&) {
  int gain = 0;
  Guarded([&] { gain = episode_->Step(EngineActions(action)); });
  ForEachView([this, gain](const View& view, std::size_t agent) {
    float& reward = rewards_[agent];
    reward = static_cast<float>(std::cmp_less(agent, agents_.left) ? gain : -gain);
    if (has_checkpoints_) reward = checkpoints_.Reward(reward, view, agent);
    if (!minimaps_.empty()) minimaps_[agent].Push(view);
  });
  return {.reward = rewards_[0], .terminated = episode_->IsOver()};
}

void Gfootball::Observe(const Row& row) const {
  if (!minimaps_.empty()) {
    const auto pixels = row.Observation<std::uint8_t>();
    const std::size_t size = pixels.size() / minimaps_.size();
    for (std::size_t agent = 0; agent < minimaps_.size(); ++agent) {
      minimaps_[agent].Write(pixels.subspan(agent * size, size));
    }
  } else if (representation_ == "raw") {
    ForEachView(
        [&](const View& view, std::size_t agent) { WriteRaw(view, agent, rewards_.size(), row); });
  } else {
    const auto numbers = row.Observation<float>();
    const bool is_fixed = representation_ == "simple115v2";
    ForEachView([&](const View& view, std::size_t agent) {
      WriteSimple(view, is_fixed, numbers.subspan(agent * kSimple, kSimple));
    });
  }
  row.Info<std::int32_t>(0)[0] = static_cast<std::int32_t>(setup_->seed);
  row.Info<std::int32_t>(1)[0] = episode_number_;
  if (representation_ == "raw") return;
  const Observed& seen = episode_->Seen();
  std::ranges::copy(seen.score, row.Info<std::int32_t>(2).begin());
  row.Info<std::int32_t>(3)[0] = seen.game_mode;
  row.Info<std::int32_t>(4)[0] = seen.ball_owned_team;
  row.Info<std::int32_t>(5)[0] = seen.ball_owned_player;
  row.Info<std::int32_t>(6)[0] = seen.steps_left;
}

void Gfootball::Serialize(Archive& archive) {
  bool has_begun = HasBegun();
  std::uint32_t seed = has_begun ? setup_->seed : 0;
  archive(random_, reverse_team_processing_, has_begun);
  archive.Count(episode_number_);
  archive.Range(seed, 0U, 0x7fffffffU);
  if (!has_begun) return;
  if (archive.IsReader()) {
    setup_ = Setup{.left_agents = agents_.left,
                   .right_agents = agents_.right,
                   .seed = seed,
                   .reverse_team_processing = reverse_team_processing_};
    Begin();
  }
  episode_->Serialize(archive);
  checkpoints_.Serialize(archive);
  for (Minimap& minimap : minimaps_) minimap.Serialize(archive);
}

void Gfootball::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  DrawPitch(episode_->Seen(), frame);
}

// What an engine holds at least: 25 to 30 MB were measured.
std::size_t Memory(const Options&) { return 20'000'000; }

const std::vector<OptionSpec> kOptions = {
    {.name = "env_name",
     .default_value = "11_vs_11_stochastic",
     .description = "the scenario",
     .choices = ScenarioNames()},
    {.name = "representation",
     .default_value = "extracted",
     .description = "what is observed: planes with marks, 115 numbers, or all that upstream tells",
     .choices = {"extracted", "simple115", "simple115v2", "raw"}},
    {.name = "rewards",
     .default_value = "scoring",
     .description = "goals, or also each tenth of the way to the goal with the ball",
     .choices = {"scoring", "scoring,checkpoints"}},
    {"stacked", false, "an observation is the last four frames"},
    {"channel_dimensions", std::vector<std::int64_t>{96, 72}, "width and height of the planes"},
    {"number_of_left_players_agent_controls", 1, "how many players of the left team are agents",
     kNotNegative},
    {"number_of_right_players_agent_controls", 0,
     "how many of the right team, who see the pitch turned round", kNotNegative},
    {.name = "action_set",
     .default_value = "default",
     .description = "19 actions; v2: and the game's own play; full: 33 actions",
     .choices = {"default", "v2", "full"}},
    {"physics_steps_per_frame", 10, "for how many hundredths of a second a step lasts", {1, 1000}},
    {"game_engine_random_seed",
     -1,
     "the seed of all matches; -1: each draws its own",
     {-1, 2147483647}}};

[[maybe_unused]] const bool registered = Register({
    .name = "Gfootball",
    .options = kOptions,
    .spec = Gfootball::MakeSpec,
    .create = Create<Gfootball>,
    .memory = Memory,
    .frame_size = [](const Options&) { return FrameSize{.width = 600, .height = 400}; },
    .render_fps =
        [](const Options& options) {
          return kPhysicsStepsPerSecond /
                 static_cast<double>(options.Integer("physics_steps_per_frame"));
        },
});

}  // namespace
}  // namespace envpool::gfootball
