// OrderedBatches: one batch for each send, with a row for each id in the order of the ids. They are
// received in the order of the sends.
#pragma once

#include <list>

#include "executor/results/batches.h"

namespace envpool {

class OrderedBatches final : public Batches {
 public:
  using Batches::Batches;

  void Start() override {}
  Batch* Open(std::size_t rows) override;
  bool HasOpen() const override { return !open_.empty(); }
  std::size_t RequestsNeeded() const override { return 1; }
  void Forget() override;

  void TakeRows(std::span<Request>) override {}

  Duration FrontAge() const override { return Duration::zero(); }
  Delivery Take() override;

 private:
  std::list<Batch> open_;  // oldest first
  std::list<Batch> spare_;
};

}  // namespace envpool
