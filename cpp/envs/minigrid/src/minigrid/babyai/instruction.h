// Instruction: what a mission of BabyAI asks for, and how much of it is done, as
// minigrid/envs/babyai/core/verifier.py has it.
//
// An instruction is one part, or two in an order. A part is one clause, or two in any order.
//
//   open the red door and go to a ball after you put the grey key next to the box
//
// With the environment variable BABYAI_DONE_ACTIONS upstream verifies otherwise, which is not here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "minigrid/babyai/description.h"

namespace envpool::minigrid::babyai {

enum class Verb : std::uint8_t { kGoTo, kPickup, kOpen, kPutNext };

enum class Outcome : std::uint8_t { kContinue, kSuccess, kFailure };

class Clause {
 public:
  Clause() = default;

  static Clause GoTo(Description object) { return {Verb::kGoTo, std::move(object)}; }
  // A strict clause fails with any other object or door.
  static Clause Pickup(Description object, bool is_strict = false) {
    return {Verb::kPickup, std::move(object), is_strict};
  }
  static Clause Open(Description door, bool is_strict = false) {
    return {Verb::kOpen, std::move(door), is_strict};
  }
  static Clause PutNext(Description object, Description fixed) {
    Clause clause(Verb::kPutNext, std::move(object));
    clause.fixed_ = std::move(fixed);
    return clause;
  }

  bool IsPutNext() const { return verb_ == Verb::kPutNext; }
  // Returns the description of what PutNext's object is to be put next to.
  const Description& Fixed() const { return fixed_; }
  const Description& Object() const { return object_; }

  void Find(const Grid& grid, const Pose& agent, const Room& room);
  void Follow(const Grid& grid);
  std::string Text() const;
  // Tells how far the clause is; called after each step, in which the agent made `move`.
  Outcome Verify(const Grid& grid, const Pose& agent, Move move);

  void Serialize(Archive& archive);
  bool KnowsOnly(std::size_t objects) const;

 private:
  Clause(Verb verb, Description object, bool is_strict = false)
      : verb_(verb), object_(std::move(object)), is_strict_(is_strict) {}

  Outcome VerifyOpen(const Grid& grid, Handle ahead) const;
  Outcome VerifyPickup(Handle carried_before, Handle carrying) const;
  Outcome VerifyPutNext(const Grid& grid, Handle carried_before) const;

  Verb verb_ = Verb::kGoTo;
  Description object_;
  Description fixed_;
  bool is_strict_ = false;
  Handle carrying_ = kNone;  // after the last step
};

class Part {
 public:
  Part() : Part(Clause()) {}
  Part(Clause clause) : clauses_{std::move(clause)}, done_(1) {}
  Part(Clause a, Clause b) : clauses_{std::move(a), std::move(b)}, done_(2) {}

  std::vector<Clause>& Clauses() { return clauses_; }
  const std::vector<Clause>& Clauses() const { return clauses_; }

  std::string Text() const;
  // Two clauses never fail, even if they are strict.
  Outcome Verify(const Grid& grid, const Pose& agent, Move move);

  void Serialize(Archive& archive);

 private:
  std::vector<Clause> clauses_;
  std::vector<bool> done_;
};

class Instruction {
 public:
  Instruction() : Instruction(Clause()) {}
  Instruction(Clause clause) : Instruction(Part(std::move(clause))) {}
  Instruction(Part part) : parts_{std::move(part)} {}

  static Instruction Before(Part a, Part b) { return {std::move(a), std::move(b), false}; }
  static Instruction After(Part a, Part b) { return {std::move(a), std::move(b), true}; }

  // Calls this function for each clause.
  template <class Function>
  void ForEach(const Function& function) {
    for (Part& part : parts_) {
      for (Clause& clause : part.Clauses()) function(clause);
    }
  }

  std::string Text() const;
  Outcome Verify(const Grid& grid, const Pose& agent, Move move);

  void Serialize(Archive& archive);

 private:
  Instruction(Part a, Part b, bool is_reversed)
      : parts_{std::move(a), std::move(b)}, is_reversed_(is_reversed) {}

  std::vector<Part> parts_;
  bool is_reversed_ = false;    // the second part comes first
  bool is_first_done_ = false;  // of two parts
};

}  // namespace envpool::minigrid::babyai
