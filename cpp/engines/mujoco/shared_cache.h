// SharedCache: what is made once for all who ask with the same key, as long as somebody has it, or
// it was the last thing that somebody asked for. For a ForkLocal.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace envpool::mujoco {

template <class Key, class T>
class SharedCache {
 public:
  // Returns what there is for the key, else what `make` returns. The lock does not cover making:
  // who wants the same meanwhile makes it, too, and waits for nobody.
  template <class Make>
  std::shared_ptr<T> Get(const Key& key, const Make& make) {
    std::shared_ptr<T> found = Find(key);
    if (found == nullptr) found = Add(key, make());
    Keep(found);
    return found;
  }

 private:
  std::shared_ptr<T> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second.lock();
  }

  // Returns the one that was there before, if there is one.
  std::shared_ptr<T> Add(const Key& key, std::shared_ptr<T> made) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    const auto [entry, is_new] = known_.try_emplace(key, made);
    if (is_new) return made;
    // Expires only once nobody has it any more, perhaps right now.
    std::shared_ptr<T> before = entry->second.lock();
    if (before == nullptr) entry->second = before = std::move(made);
    return before;
  }

  // Frees the last one without the lock.
  void Keep(std::shared_ptr<T> found) {
    const std::lock_guard lock(mutex_);
    last_.swap(found);
  }

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<T>> known_;
  std::shared_ptr<T> last_;
};

}  // namespace envpool::mujoco
