// SetupCache: what is prepared once for all environments that begin alike. For a ForkLocal.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace envpool::robotics {

// What is prepared with a model, and how long this has to live.
template <class T>
struct Prepared {
  std::shared_ptr<const mjModel> model;
  T value;
};

template <class T>
class SetupCache {
 public:
  // What `prepare` made for the same model and numbers, as long as somebody has it, or it was the
  // last one. Others wait while it is made.
  std::shared_ptr<const T> Get(const std::shared_ptr<const mjModel>& model,
                               const std::vector<double>& numbers,
                               const std::function<T()>& prepare) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const Prepared<T>>& known = known_[{model.get(), numbers}];
    std::shared_ptr<const Prepared<T>> found = known.lock();
    if (found == nullptr) {
      found = std::make_shared<const Prepared<T>>(Prepared<T>{model, prepare()});
      known = found;
      std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    }
    last_ = found;
    return {found, &found->value};
  }

 private:
  using Key = std::pair<const mjModel*, std::vector<double>>;

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const Prepared<T>>> known_;
  std::shared_ptr<const Prepared<T>> last_;
};

}  // namespace envpool::robotics
