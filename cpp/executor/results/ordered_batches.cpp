#include "executor/results/ordered_batches.h"

namespace envpool {

Batch* OrderedBatches::Open(std::size_t rows) {
  if (spare_.empty()) spare_.emplace_back();
  Batch& batch = spare_.front();
  batch.Open(rows, Lease());
  open_.splice(open_.end(), spare_, spare_.begin());
  if (open_.size() == 1) SetFront(&batch);
  return &batch;
}

void OrderedBatches::Forget() {
  SetFront(nullptr);
  open_.clear();
}

Delivery OrderedBatches::Take() {
  Delivery delivery = Front()->Take();
  spare_.splice(spare_.begin(), open_, open_.begin());
  SetFront(open_.empty() ? nullptr : &open_.front());
  return delivery;
}

}  // namespace envpool
