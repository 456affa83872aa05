#include "workers/action_writer.h"

#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

std::size_t Index(std::int32_t env) { return static_cast<std::size_t>(env); }

[[noreturn]] void RefuseRows(const std::string& name, std::size_t rows,
                             const std::string& expected) {
  throw std::invalid_argument(name + " has " + std::to_string(rows) + " rows, expected " +
                              expected);
}

}  // namespace

ActionWriter::ActionWriter(const SharedConfig& config, const Layout& layout, Exchange& exchange)
    : config_(config),
      exchange_(exchange),
      store_(config.spec.action, config.workers.size(), layout.max_players),
      players_(config.HasPlayers() ? config.workers.size() : 0) {}

void ActionWriter::SetPlayers(std::int32_t env, Players players) {
  players_.at(Index(env)) = players;
}

// How many actions each environment is given: one for each who takes part in the step, or one for
// each row of its last result, of which the worker drops what is of others. There are so many of
// them in all.
std::vector<int> ActionWriter::Count(std::span<const std::int32_t> env_ids, const std::string& name,
                                     std::size_t rows) const {
  std::vector<int> acting;
  std::vector<int> all;
  for (const std::int32_t id : env_ids) {
    acting.push_back(players_[Index(id)].acting);
    all.push_back(players_[Index(id)].rows);
  }
  const int num_acting = std::accumulate(acting.begin(), acting.end(), 0);
  const int num_all = std::accumulate(all.begin(), all.end(), 0);
  if (std::cmp_equal(rows, num_acting)) return acting;
  if (std::cmp_equal(rows, num_all)) return all;
  std::string expected = std::to_string(num_acting) + ", one per player";
  if (num_all != num_acting) {
    expected += " who is still there, or " + std::to_string(num_all) + ", one per row of results";
  }
  RefuseRows(name, rows, expected);
}

// Of several arrays; none if there are no players.
std::vector<int> ActionWriter::Count(std::span<const std::int32_t> env_ids,
                                     std::span<const ArrayView> actions) const {
  std::vector<int> counts;
  for (std::size_t i = 0; i < actions.size() && !players_.empty(); ++i) {
    const std::string& name = config_.spec.action[i].name;
    std::vector<int> own = Count(env_ids, name, actions[i].rows);
    if (i > 0 && own != counts) {
      RefuseRows(name, actions[i].rows,
                 std::to_string(actions[0].rows) + ", as " + config_.spec.action[0].name);
    }
    counts = std::move(own);
  }
  return counts;
}

void ActionWriter::CheckOwners(std::span<const std::int32_t> env_ids,
                               std::span<const std::int32_t> owners) const {
  const std::vector<int> counts = Count(env_ids, "players.env_id", owners.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    for (int player = 0; player < counts[i]; ++player, ++next) {
      if (owners[next] == env_ids[i]) continue;
      throw std::invalid_argument("players.env_id[" + std::to_string(next) + "] is " +
                                  std::to_string(owners[next]) + ", expected " +
                                  std::to_string(env_ids[i]) +
                                  ": the id of each environment, once for each of its players");
    }
  }
}

std::vector<int> ActionWriter::Write(std::span<const std::int32_t> env_ids,
                                     std::span<const ArrayView> actions) {
  std::vector<int> counts = Count(env_ids, actions);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (players_.empty() && actions[i].rows != env_ids.size()) {
      RefuseRows(config_.spec.action[i].name, actions[i].rows,
                 std::to_string(env_ids.size()) + ", one per env_id");
    }
    if (config_.check_actions) {
      Convert(i, actions[i], env_ids, counts);
    } else {
      Copy(i, actions[i], env_ids);
    }
  }
  for (std::size_t row = 0; row < counts.size(); ++row) {
    exchange_.Env(Index(env_ids[row])).action_rows = static_cast<std::uint32_t>(counts[row]);
  }
  return counts;
}

// As it came, if nobody wants to know more.
void ActionWriter::Copy(std::size_t field, const ArrayView& action,
                        std::span<const std::int32_t> env_ids) {
  const std::size_t bytes = config_.spec.action[field].Elements() * SizeOf(action.dtype);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::size_t env = Index(env_ids[i]);
    exchange_.ActionType(env, field) = action.dtype;
    std::memcpy(exchange_.Action(env, field), action.data + i * bytes, bytes);
  }
}

// The actions of environments with players are `counts` rows of each.
void ActionWriter::Convert(std::size_t field, const ArrayView& action,
                           std::span<const std::int32_t> env_ids, std::span<const int> counts) {
  store_.Store(field, action, env_ids, counts);
  const DType dtype = config_.spec.action[field].dtype;
  VisitDType(dtype, [&]<class T>() {
    for (std::size_t row = 0; row < env_ids.size(); ++row) {
      const std::size_t env = Index(env_ids[row]);
      const std::size_t players = counts.empty() ? 1 : static_cast<std::size_t>(counts[row]);
      const std::span<const T> values = store_.Get(env, players).Values<T>(field);
      exchange_.ActionType(env, field) = dtype;
      std::memcpy(exchange_.Action(env, field), values.data(), values.size_bytes());
    }
  });
}

}  // namespace envpool
