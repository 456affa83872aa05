#include "minigrid/babyai/instruction.h"

#include <algorithm>

namespace envpool::minigrid::babyai {

void Clause::Find(const Grid& grid, const Pose& agent, const Room& room) {
  object_.Find(grid, agent, room);
  if (IsPutNext()) fixed_.Find(grid, agent, room);
}

void Clause::Follow(const Grid& grid) {
  object_.Follow(grid);
  fixed_.Follow(grid);
}

std::string Clause::Text() const {
  switch (verb_) {
    case Verb::kGoTo: return "go to " + object_.Text();
    case Verb::kPickup: return "pick up " + object_.Text();
    case Verb::kOpen: return "open " + object_.Text();
    case Verb::kPutNext: return "put " + object_.Text() + " next to " + fixed_.Text();
  }
  return "";
}

Outcome Clause::Verify(const Grid& grid, const Pose& agent, Move move) {
  const Handle carried_before = std::exchange(carrying_, agent.carrying);
  switch (verb_) {
    case Verb::kGoTo: return object_.IsAt(agent.Front()) ? Outcome::kSuccess : Outcome::kContinue;
    case Verb::kOpen:
      if (move == Move::kToggle) return VerifyOpen(grid, grid.At(agent.Front()));
      break;
    case Verb::kPickup:
      if (move == Move::kPickup) return VerifyPickup(carried_before, agent.carrying);
      break;
    case Verb::kPutNext:
      if (move == Move::kDrop) return VerifyPutNext(grid, carried_before);
      break;
  }
  return Outcome::kContinue;
}

Outcome Clause::VerifyOpen(const Grid& grid, Handle ahead) const {
  if (object_.Means(ahead) && grid[ahead].state == DoorState::kOpen) return Outcome::kSuccess;
  const bool is_failure = is_strict_ && grid[ahead].type == Type::kDoor;
  return is_failure ? Outcome::kFailure : Outcome::kContinue;
}

Outcome Clause::VerifyPickup(Handle carried_before, Handle carrying) const {
  if (carried_before == kNone && object_.Means(carrying)) return Outcome::kSuccess;
  return is_strict_ && carrying != kNone ? Outcome::kFailure : Outcome::kContinue;
}

Outcome Clause::VerifyPutNext(const Grid& grid, Handle carried_before) const {
  const bool is_success =
      object_.Means(carried_before) && fixed_.IsBeside(grid[carried_before].Position());
  return is_success ? Outcome::kSuccess : Outcome::kContinue;
}

void Clause::Serialize(Archive& archive) {
  archive.Range(verb_, Verb::kGoTo, Verb::kPutNext);
  archive(object_, fixed_, is_strict_);
  archive.Any(carrying_);  // KnowsOnly looks at it
}

bool Clause::KnowsOnly(std::size_t objects) const {
  return object_.KnowsOnly(objects) && fixed_.KnowsOnly(objects) && carrying_ < objects;
}

std::string Part::Text() const {
  std::string text = clauses_.front().Text();
  if (clauses_.size() > 1) text.append(" and ").append(clauses_.back().Text());
  return text;
}

Outcome Part::Verify(const Grid& grid, const Pose& agent, Move move) {
  if (clauses_.size() == 1) return clauses_.front().Verify(grid, agent, move);
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    if (!done_[i]) done_[i] = clauses_[i].Verify(grid, agent, move) == Outcome::kSuccess;
  }
  return std::ranges::find(done_, false) == done_.end() ? Outcome::kSuccess : Outcome::kContinue;
}

void Part::Serialize(Archive& archive) {
  archive(clauses_, done_);
  archive.Require(clauses_.size() == 1 || clauses_.size() == 2, "a wrong number of clauses");
  archive.Require(clauses_.size() == done_.size(), "clauses of which it does not say if done");
}

std::string Instruction::Text() const {
  std::string text = parts_.front().Text();
  if (parts_.size() == 1) return text;
  return text.append(is_reversed_ ? " after you " : ", then ").append(parts_.back().Text());
}

Outcome Instruction::Verify(const Grid& grid, const Pose& agent, Move move) {
  if (parts_.size() == 1) return parts_.front().Verify(grid, agent, move);
  if (!is_first_done_) {
    Part& first = is_reversed_ ? parts_.back() : parts_.front();
    const Outcome outcome = first.Verify(grid, agent, move);
    if (outcome != Outcome::kSuccess) return outcome;
    is_first_done_ = true;
  }
  // The agent may have done the second part in the same step.
  Part& second = is_reversed_ ? parts_.front() : parts_.back();
  return second.Verify(grid, agent, move);
}

void Instruction::Serialize(Archive& archive) {
  archive(parts_, is_reversed_, is_first_done_);
  archive.Require(parts_.size() == 1 || parts_.size() == 2, "a wrong number of instructions");
}

}  // namespace envpool::minigrid::babyai
