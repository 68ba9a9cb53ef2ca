#include "struct_copies.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace lockstep::reader {
namespace {

constexpr std::string_view kCall = "call void @llvm.memcpy.";
constexpr int kLargestCopy = 128, kWidest = 16, kNarrowest = 8;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Between commas outside of all brackets; `end` becomes the place of the bracket that closes the list.
std::vector<std::string_view> arguments(std::string_view text, std::size_t& end) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ')' && depth == 0) {
      all.push_back(without_blanks(text.substr(begin, i - begin)));
      end = i;
      return all;
    }
    depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
    if (c == ',' && depth == 0) all.push_back(without_blanks(text.substr(begin, i - begin))), begin = i + 1;
  }
  return {};
}

// "i8* noundef align 16 %5"
struct Pointer {
  std::string_view type, value;
  int align = 1;
};

Pointer pointer(std::string_view argument) {
  Pointer p;
  const auto word = [&] {
    const std::size_t end = std::min(argument.find(' '), argument.size());
    const std::string_view taken = argument.substr(0, end);
    argument = without_blanks(argument.substr(end));
    return taken;
  };
  p.type = word();
  for (;;) {
    const std::string_view rest = argument, next = word();
    const bool attribute = next == "noundef" || next == "nonnull" || next == "noalias" ||
                           next == "nocapture" || next == "readonly" || next == "writeonly" ||
                           next.starts_with("dereferenceable");
    if (next == "align") {
      p.align = number(word()).value_or(1);
    } else if (!attribute) {
      p.value = rest;
      return p;
    }
  }
}

class Copy {
 public:
  // The text from `@llvm.memcpy` on; nothing where it is a copy to leave alone.
  static std::optional<Copy> parse(std::string_view line, int index) {
    const std::size_t call = line.find(kCall), open = line.find('(', call);
    if (call == line.npos || open == line.npos) return {};
    std::size_t end = 0;
    const auto all = arguments(line.substr(open + 1), end);
    if (all.size() != 4 || all[3] != "i1 false" || !all[2].starts_with("i64 ")) return {};
    Copy copy;
    copy.to_ = pointer(all[0]), copy.from_ = pointer(all[1]);
    copy.bytes_ = number(all[2].substr(4)).value_or(0);
    copy.width_ = std::min({copy.to_.align, copy.from_.align, kWidest});
    if (copy.to_.type != copy.from_.type || (copy.to_.type != "i8*" && copy.to_.type != "ptr")) return {};
    if (copy.width_ < kNarrowest || copy.bytes_ <= 0 || copy.bytes_ > kLargestCopy ||
        copy.bytes_ % copy.width_)
      return {};
    const std::size_t place = line.find(", !dbg !", open + 1 + end);
    if (place != line.npos)
      copy.place_ = line.substr(place, line.find_first_not_of("0123456789", place + 8) - place);
    copy.name_ = "%lockstep.copy" + std::to_string(index) + ".";
    return copy;
  }
  // All is read before anything is written, as by the call.
  std::string text() const {
    std::string loads, stores;
    for (int at = 0; at < bytes_; at += width_) {
      const std::string n = std::to_string(at), value = name_ + "v" + n;
      const std::string from = address(from_, "f" + n, at, loads), to = address(to_, "t" + n, at, stores);
      loads += "  " + value + " = load " + word() + ", " + from + ", align " + std::to_string(width_) +
               place_ + "\n";
      stores +=
          "  store " + word() + " " + value + ", " + to + ", align " + std::to_string(width_) + place_ + "\n";
    }
    return loads + stores;
  }

 private:
  std::string word() const { return width_ == kWidest ? "<4 x i32>" : "i64"; }
  // Type and name of the pointer to byte `at`; what it takes to make it goes to `code`.
  std::string address(const Pointer& p, const std::string& suffix, int at, std::string& code) const {
    std::string value(p.value);
    if (at > 0) {
      const std::string moved = name_ + "b" + suffix;
      code += "  " + moved + " = getelementptr inbounds i8, " + std::string(p.type) + " " + value + ", i64 " +
              std::to_string(at) + place_ + "\n";
      value = moved;
    }
    if (p.type == "ptr") return "ptr " + value;
    const std::string cast = name_ + "p" + suffix;
    code += "  " + cast + " = bitcast i8* " + value + " to " + word() + "*" + place_ + "\n";
    return word() + "* " + cast;
  }

  Pointer to_, from_;
  int bytes_ = 0, width_ = 0;
  std::string place_, name_;
};

}  // namespace

std::string with_wide_struct_copies(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  int index = 0;
  while (!text.empty()) {
    const std::size_t found = text.find(kCall);
    if (found == text.npos) break;
    const std::size_t begin = text.rfind('\n', found) + 1;  // 0 where there is none
    const std::size_t end = std::min(text.find('\n', found), text.size() - 1) + 1;
    out += text.substr(0, begin);
    if (const auto copy = Copy::parse(text.substr(begin, end - begin), index++))
      out += copy->text();
    else
      out += text.substr(begin, end - begin);
    text.remove_prefix(end);
  }
  return out += text;
}

}  // namespace lockstep::reader
