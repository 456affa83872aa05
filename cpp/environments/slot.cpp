#include "environments/slot.h"

#include <exception>
#include <stdexcept>

namespace envpool {

void Slot::CountPlayers(int most) {
  const int count = env->NumPlayers();
  const int least = most > 1 ? 0 : 1;  // the only player is always there
  if (count < least || count > most) {
    const std::string range = most > 1 ? "0 to " + std::to_string(most) : "1";
    throw std::logic_error("NumPlayers() is " + std::to_string(count) + ", expected " + range +
                           ": the spec has max_num_players = " + std::to_string(most));
  }
  players = count;
}

void Seed(Slot& slot, Rare& rare, std::uint64_t seed) {
  rare.random = Random(seed);
  slot.env->Seed(seed, rare.random);
  slot.continues = false;
}

void Serialize(Slot& slot, Rare& rare, Archive& archive) {
  bool reset_requested = slot.next == Task::kReset;
  archive.Range(slot.elapsed_step, 0, slot.max_episode_steps);
  archive(slot.episode_return, slot.episode_over, slot.continues, reset_requested, rare.random);
  slot.next = reset_requested ? Task::kReset : Task::kStep;
  slot.env->Serialize(archive);
  archive.Require(slot.env->HasBegun() || reset_requested, "an episode without a beginning");
  archive.Require(slot.elapsed_step < slot.max_episode_steps || slot.episode_over,
                  "an episode beyond its end");
  archive.Require(slot.env->CanContinue() || !slot.continues || !slot.episode_over,
                  "an episode that cannot be continued");
}

void ReadState(Slot& slot, Rare& rare, std::string_view state) {
  Archive archive = Archive::Reader(state);
  Serialize(slot, rare, archive);
  if (archive.Unread() == 0) return;
  throw std::logic_error(std::to_string(archive.Unread()) + " bytes were left over");
}

bool HasEpisode(const Slot& slot, std::string_view state) {
  Archive archive = Archive::Reader(state);
  std::int32_t elapsed_step = 0;
  double episode_return = 0.0;
  bool episode_over = false, continues = false, reset_requested = false;
  archive.Range(elapsed_step, 0, slot.max_episode_steps);
  archive(episode_return, episode_over, continues, reset_requested);
  return !episode_over && !reset_requested;
}

EpisodeEnd EndOf(const Slot& slot, const Rare& rare, AutoresetMode mode) {
  if (slot.survived) return rare.failed_end;
  const bool ended = !slot.failed;
  const bool was_over = slot.result.terminated || slot.result.truncated;
  EpisodeEnd end{.episode_return = slot.episode_return,
                 .length = slot.elapsed_step,
                 .terminated = ended && slot.result.terminated,
                 .truncated = ended && slot.result.truncated,
                 .continues = slot.continues,
                 .failed = slot.failed,
                 .seed = rare.choices.LastSeed()};
  if (slot.failed && slot.first) {  // where an episode would have begun
    end.episode_return = 0.0;
    end.length = 0;
  } else if (was_over && mode == AutoresetMode::kSameStep) {  // the next one began, too
    end.episode_return = rare.final_return;
    end.length = rare.final_elapsed_step;
    end.seed = rare.final_seed;
  }
  return end;
}

void DescribeException(std::string& message) noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& error) {
      message = error.what();
    } catch (...) {
      message = "an exception that is no std::exception";
    }
  } catch (...) {
    message.clear();  // there is no memory for words
  }
}

}  // namespace envpool
