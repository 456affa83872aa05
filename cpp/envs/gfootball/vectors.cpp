#include "gfootball/vectors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace envpool::gfootball {
namespace {

constexpr std::size_t kTeam = 22;  // numbers for a team of eleven
constexpr std::size_t kPlayers = 11;
constexpr std::size_t kGameModes = 7;

void AddOneHot(std::vector<double>& numbers, std::size_t size, int hot) {
  numbers.resize(numbers.size() + size);
  if (hot >= 0) numbers[numbers.size() - size + static_cast<std::size_t>(hot)] = 1.0;
}

// A RawWriter writes an agent's fields one after the other.
class RawWriter {
 public:
  RawWriter(const Row& row, std::size_t agent, std::size_t agents)
      : row_(row), agent_(agent), agents_(agents) {}

  template <class T, class Values>
  void Write(const Values& values) {
    const std::span<T> all = row_.Observation<T>(field_++);
    const std::span<T> own = all.subspan(agent_ * all.size() / agents_, all.size() / agents_);
    std::fill(std::ranges::copy(values, own.begin()).out, own.end(), T{});
  }
  void WriteNumber(std::int32_t number) { Write<std::int32_t>(std::array{number}); }

  void WriteTeam(const Team& team) {
    Write<double>(team.positions);
    Write<double>(team.directions);
    Write<double>(team.tired_factors);
    Write<bool>(team.yellow_cards);
    Write<bool>(team.active);
    Write<std::int32_t>(team.roles);
  }

 private:
  const Row& row_;
  const std::size_t agent_, agents_;
  std::size_t field_ = 0;
};

}  // namespace

void WriteSimple(const View& view, bool is_fixed, std::span<float> numbers) {
  const Observed& seen = view.seen;
  std::vector<double> all;
  std::size_t filled = 0;
  for (const auto* part : {&seen.left.positions, &seen.left.directions, &seen.right.positions,
                           &seen.right.directions}) {
    all.insert(all.end(), part->begin(), part->end());
    filled += kTeam;
    if (is_fixed) all.resize(filled, -1.0);
  }
  all.resize(filled, -1.0);
  all.insert(all.end(), seen.ball.begin(), seen.ball.end());
  all.insert(all.end(), seen.ball_direction.begin(), seen.ball_direction.end());
  AddOneHot(all, 3, seen.ball_owned_team + 1);
  AddOneHot(all, kPlayers, view.Active());
  AddOneHot(all, kGameModes, seen.game_mode);
  std::ranges::transform(all, numbers.begin(), [](double x) { return static_cast<float>(x); });
}

std::vector<Field> RawFields(std::size_t own_players, std::size_t other_players,
                             std::size_t sticky_actions) {
  std::vector<Field> fields;
  const auto add = [&](const std::string& name, DType dtype, std::vector<int> shape) {
    fields.push_back(Box(name, dtype, std::move(shape)));
  };
  for (const char* const name : {"ball", "ball_direction", "ball_rotation"}) {
    add(name, DType::kFloat64, {3});
  }
  add("ball_owned_team", DType::kInt32, {});
  add("ball_owned_player", DType::kInt32, {});
  for (const bool is_left : {true, false}) {
    const std::string team = is_left ? "left_team" : "right_team";
    const auto players = static_cast<int>(is_left ? own_players : other_players);
    add(team, DType::kFloat64, {players, 2});
    add(team + "_direction", DType::kFloat64, {players, 2});
    add(team + "_tired_factor", DType::kFloat64, {players});
    add(team + "_yellow_card", DType::kBool, {players});
    add(team + "_active", DType::kBool, {players});
    add(team + "_roles", DType::kInt32, {players});
  }
  add("score", DType::kInt32, {2});
  for (const char* const name : {"steps_left", "game_mode", "designated", "active"}) {
    add(name, DType::kInt32, {});
  }
  add("sticky_actions", DType::kUInt8, {static_cast<int>(sticky_actions)});
  return fields;
}

void WriteRaw(const View& view, std::size_t agent, std::size_t agents, const Row& row) {
  const Observed& seen = view.seen;
  RawWriter writer(row, agent, agents);
  writer.Write<double>(seen.ball);
  writer.Write<double>(seen.ball_direction);
  writer.Write<double>(seen.ball_rotation);
  writer.WriteNumber(seen.ball_owned_team);
  writer.WriteNumber(seen.ball_owned_player);
  writer.WriteTeam(seen.left);
  writer.WriteTeam(seen.right);
  writer.Write<std::int32_t>(seen.score);
  writer.WriteNumber(seen.steps_left);
  writer.WriteNumber(seen.game_mode);
  writer.WriteNumber(seen.left.designated);
  writer.WriteNumber(view.Active());
  writer.Write<std::uint8_t>(seen.left.sticky[view.agent]);
}

}  // namespace envpool::gfootball
