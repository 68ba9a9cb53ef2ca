// Expected failures travel as values. A Message is an English sentence with numbered arguments ({0}, {1},
// ...), so that the window can say it in the reader's language and the command line in English.
#pragma once
#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep {

// Replaces {0}, {1}, ... by the arguments. A number without an argument stays as it is.
std::string expand(std::string_view pattern, const std::vector<std::string>& args);

// Marks a literal for the translation catalogue.
constexpr const char* N_(const char* literal) { return literal; }

struct Message {
  std::string id;  // the English sentence, also the key of its translation
  std::vector<std::string> args;
  std::string text() const { return expand(id, args); }
  bool operator==(const Message&) const = default;
};

// Exit codes of the command line; every Error carries the one it leads to.
enum class Exit : int { done = 0, check_failed = 1, bad_input = 2, unavailable = 3, worker_died = 4 };

struct Error {
  Exit exit = Exit::bad_input;
  Message message;
  std::string text() const { return message.text(); }
};

inline Error bad_input(std::string id, std::vector<std::string> args = {}) {
  return {Exit::bad_input, {std::move(id), std::move(args)}};
}
inline Error unavailable(std::string id, std::vector<std::string> args = {}) {
  return {Exit::unavailable, {std::move(id), std::move(args)}};
}
// A worker that died, hung or found no memory.
inline Error worker_error(std::string id, std::vector<std::string> args = {}) {
  return {Exit::worker_died, {std::move(id), std::move(args)}};
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
  explicit operator bool() const { return state_.index() == 0; }
  bool ok() const { return state_.index() == 0; }
  T& operator*() {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& operator*() const {
    assert(ok());
    return std::get<0>(state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Unit {};
using Status = Result<Unit>;

}  // namespace lockstep
