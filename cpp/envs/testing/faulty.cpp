// Faulty: does one thing wrong, which its option names, or nothing. For tests of what checks
// environments.
//
// A point is pushed by the actions within [-1, 1]; the other push only counts.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "envpool/family.h"

namespace envpool {
namespace {

constexpr FrameSize kFrame = {32, 24};
constexpr std::int64_t kMostSteps = 50;  // of an episode
constexpr int kBadStep = 7;              // of an episode, where a fault comes only now and then
constexpr double kWild = 2.0;
// More than glibc's allocator has at hand of memory that was used before: at most 64 MiB at the end
// of its heap, or it gives some back.
constexpr std::size_t kNewMemory = std::size_t{129} << 20;

// All environments share these variables, which is wrong already.
std::atomic<int> living = 0;             // environments
std::atomic<int> running = 0;            // steps, in all threads
std::atomic<int> episodes = 0;           // so far
std::atomic<const Env*> last = nullptr;  // the environment that was stepped last

class Faulty final : public Env {
 public:
  explicit Faulty(const Options& options)
      : fault_(options.Text("fault")), length_(options.Integer("length")) {
    if (Has("option_at_its_limit") && length_ == kMostSteps) throw std::out_of_range("at()");
    ++living;  // after the throw, which no destructor follows
    if (Has("file_left_open")) static_cast<void>(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (Has("member_without_value")) {
      scale_ = std::make_unique_for_overwrite<std::uint8_t[]>(kNewMemory)[kNewMemory / 2];
    }
  }

  ~Faulty() override { --living; }

  static Spec MakeSpec(const Options& options) {
    const double most = options.Text("fault") == "empty_bounds" ? -2.0 : 1.0;
    return {.observation = {Box("obs", DType::kFloat32, {2}, {-1.0}, {most})},
            .action = {Box("action", DType::kFloat32, {2}, {-1.0}, {1.0})},
            .info = {Box("step", DType::kInt32, {}, {0}), Box("pushes", DType::kFloat64, {2})}};
  }

  void Reset(Random& random, const Options& options) override {
    position_ = random.Uniform(-0.5, 0.5);
    if (!Has("left_from_last_episode")) pushes_ = 0.0;
    if (!std::isfinite(wild_) && !Has("wild_actions_stay")) wild_ = 0.0;
    hidden_ = 0.0;
    step_ = 0;
    number_ = Has("counts_environments") ? living.load() : ++episodes;
    if (Has("memory_of_resets")) leaked_ = new std::byte[100];
    if (Has("reset_option_at_its_limit") && options.Number("start") == 1.0) {
      throw std::out_of_range("at()");
    }
    if (options.Number("start") != 0.0) position_ = options.Number("start");
  }

  StepResult Step(const Action& action, Random&) override {
    ++step_;
    FailAtBadStep();
    const auto push = action.Values<float>();
    Push(push[0], push[1]);
    double reward = position_ + Disturbance();
    if (Has("reward_is_nan") && step_ == kBadStep) {
      reward = std::numeric_limits<double>::quiet_NaN();
    }
    if (Has("warning") && step_ == kBadStep) Warn("it wobbles");
    return {.reward = reward, .terminated = step_ >= length_ && !Has("endless")};
  }

  void Observe(const Row& row) const override {
    const bool at_end = step_ >= length_;
    const auto obs = row.Observation<float>();
    obs[0] = static_cast<float>(position_);
    if (Has("observation_beyond_bounds") && step_ == kBadStep) obs[0] = 1.5F;
    if (Has("last_observation_beyond_bounds") && at_end) obs[0] = 1.5F;
    if (Has("edge_of_actions") && edges_ > 1) obs[0] = 1.5F;
    const bool is_left_out =
        Has("observation_not_written") || (Has("last_observation_not_written") && at_end);
    if (!is_left_out) obs[1] = static_cast<float>(std::min(step_, kMostSteps)) / kMostSteps;
    row.Info<std::int32_t>(0)[0] =
        static_cast<std::int32_t>(Has("info_beyond_bounds") ? -step_ : step_);
    const auto pushes = row.Info<double>(1);
    pushes[0] = pushes_ + static_cast<double>(drawn_) + scale_ + wild_;
    if (!Has("info_not_written")) pushes[1] = hidden_;
    if (Has("no_such_field") && step_ == kBadStep) row.Info<double>(2)[0] = hidden_;
  }

  void Serialize(Archive& archive) override {
    if (Has("no_snapshots")) Env::Serialize(archive);
    if (Has("snapshot_throws")) throw std::runtime_error("failed on purpose in Serialize");
    archive(position_, pushes_, wild_);
    if (!Has("hidden_state")) archive(hidden_);
    archive.Count(step_);
  }

  void Render(const Frame& frame) override {
    if (Has("drawing_changes_it")) ++drawn_;
    const std::size_t left_out = Has("pixel_not_written") ? 1 : 0;
    const auto shade = static_cast<std::uint8_t>(100.0 * (position_ + 1.0));
    std::ranges::fill(frame.pixels.first(frame.pixels.size() - left_out), shade);
    if (Has("drawing_differs")) frame.pixels[0] = pictures_++;
  }

 private:
  bool Has(std::string_view fault) const { return fault_ == fault; }

  void FailAtBadStep() const {
    if (step_ != kBadStep) return;
    if (Has("exception")) throw std::runtime_error("failed on purpose in step");
    if (Has("crash")) std::raise(SIGSEGV);
    while (Has("hang")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  void Push(double first, double second) {
    if (Has("wild_action") && std::abs(first) > kWild) std::abort();
    if (!std::isfinite(first)) wild_ = first;
    edges_ = std::abs(first) == 1.0 ? edges_ + 1 : 0;
    position_ = std::clamp(position_ + 0.1 * first, -1.0, 1.0);
    pushes_ += std::clamp(second, -1.0, 1.0);
    hidden_ = 0.5 * hidden_ + position_;
  }

  // Returns what other environments add to the reward of this one.
  double Disturbance() {
    if (Has("counts_all_episodes") || Has("counts_environments")) return number_;
    if (Has("counts_threads")) {
      const int others = running++;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      --running;
      return others;
    }
    if (!Has("order_of_environments")) return 0.0;
    const Env* predecessor = last.exchange(this);
    // The first time it may be another pool's.
    if (++steps_ == 2) predecessor_ = predecessor;
    return steps_ < 2 || predecessor_ == predecessor ? 0.0 : 1.0;
  }

  const std::string fault_;
  const std::int64_t length_;
  double position_ = 0.0;
  double pushes_ = 0.0;
  double hidden_ = 0.0;
  double wild_ = 0.0;
  double scale_ = 0.0;
  std::int64_t step_ = 0;
  int number_ = 0;
  int steps_ = 0;
  int edges_ = 0;
  int drawn_ = 0;
  std::uint8_t pictures_ = 0;
  const Env* predecessor_ = nullptr;
  std::byte* volatile leaked_ = nullptr;
};

// clang-format off
const std::vector<std::string> faults = {
    "none", "counts_all_episodes", "counts_environments", "counts_threads", "crash",
    "drawing_changes_it", "drawing_differs", "edge_of_actions", "empty_bounds", "endless",
    "exception", "file_left_open", "hang", "hidden_state", "info_beyond_bounds",
    "info_not_written", "last_observation_beyond_bounds", "last_observation_not_written",
    "left_from_last_episode", "member_without_value", "memory_of_resets", "no_snapshots",
    "no_such_field", "observation_beyond_bounds", "observation_not_written", "option_at_its_limit",
    "order_of_environments", "pixel_not_written", "reset_option_at_its_limit", "reward_is_nan",
    "snapshot_throws", "warning", "wild_action", "wild_actions_stay"};
// clang-format on

[[maybe_unused]] const bool registered = Register({
    .name = "Faulty",
    .options = {{"fault", "none", "what is wrong", {}, faults},
                {"length", 10, "steps of an episode", {1, kMostSteps}}},
    .reset_options = {{"start", 0.0, "where the point starts; 0: at random", {-1.0, 1.0}}},
    .spec = Faulty::MakeSpec,
    .create = Create<Faulty>,
    .frame_size = [](const Options&) { return kFrame; },
});

}  // namespace
}  // namespace envpool
