#include "executor/environments/episode_end.h"

namespace envpool {

EpisodeEnd EndOf(const Slot& slot, const Rare& rare, AutoresetMode mode) {
  const bool ended = !slot.failed;
  const bool was_over = slot.result.terminated || slot.result.truncated;
  EpisodeEnd end{.episode_return = slot.episode_return,
                 .length = slot.elapsed_step,
                 .terminated = ended && slot.result.terminated,
                 .truncated = ended && slot.result.truncated,
                 .continues = slot.continues,
                 .failed = slot.failed};
  if (slot.failed && slot.first) {  // where an episode would have begun
    end.episode_return = 0.0;
    end.length = 0;
  } else if (was_over && mode == AutoresetMode::kSameStep) {  // the next one began, too
    end.episode_return = rare.final_return;
    end.length = rare.final_elapsed_step;
  }
  return end;
}

}  // namespace envpool
