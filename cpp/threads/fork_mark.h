// ForkMark: tells whether the process was forked since the mark was made.
#pragma once

namespace envpool {

class ForkMark {
 public:
  ForkMark();
  // True in a child, where the threads of its parent don't exist.
  bool IsForked() const;

 private:
  const int generation_;
};

}  // namespace envpool
