// SettingText: a text that a family is told through its settings, and that all threads read.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

namespace envpool {

// Neither Get takes a lock, which might be held for ever in a forked child, nor does Set with the
// text that is there already. All texts that there ever were stay for those who read them; they are
// few.
class SettingText {
 public:
  // Returns the text; empty before the first Set.
  const std::string& Get() const {
    static const std::string nothing;
    const std::string* text = current_.load();
    return text == nullptr ? nothing : *text;
  }

  void Set(const std::string& text) {
    if (Get() == text) return;
    const std::lock_guard lock(mutex_);
    current_.store(&*all_.insert(text).first);
  }

 private:
  std::atomic<const std::string*> current_ = nullptr;
  std::mutex mutex_;
  std::set<std::string> all_;
};

}  // namespace envpool
