// What was made of the last few runs, so that a frame does not make it again. Two are shown side by side.
#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep {

// Key: what the made thing hangs on, all of it.
template <class Key, class T>
class Recent {
 public:
  template <class Make>  // std::shared_ptr<const T>()
  std::shared_ptr<const T> get(Key key, Make&& make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, made] : kept_)
      if (known == key) return made;
    if (kept_.size() == kMost) kept_.erase(kept_.begin());
    kept_.emplace_back(std::move(key), make());
    return kept_.back().second;
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const T>>> kept_;
};

}  // namespace lockstep
