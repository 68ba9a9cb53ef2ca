#include "directives.hpp"

#include <cctype>
#include <optional>

namespace lockstep {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// "ifdef" and "X" of "# ifdef X"
struct Directive {
  std::string_view name, rest;
};
Directive split(std::string_view text) {
  text.remove_prefix(1);
  text = trimmed(text);
  std::size_t n = 0;
  while (n < text.size() && std::isalpha(static_cast<unsigned char>(text[n]))) ++n;
  return {text.substr(0, n), trimmed(text.substr(n))};
}

// Whether the macro is defined in a clean build; nothing for one that builds do not tell apart.
std::optional<bool> defined_in_clean_build(std::string_view name) {
  if (name == "LAB_TRACED") return false;
  if (name == "__CUDACC__" || name == "__CUDA_ARCH__") return true;
  return {};
}

// The value of a condition of `defined(X)`, `!`, `&&`, `||` and parentheses; nothing where it holds anything
// else.
class Condition {
 public:
  explicit Condition(std::string_view text) : code_(text), at_(code_.next(-1)) {}
  std::optional<bool> value() {
    const auto result = any();
    return at_ == code_.size() ? result : std::nullopt;
  }

 private:
  bool take(std::string_view token) {
    if (!code_.is(at_, token)) return false;
    at_ = code_.next(at_);
    return true;
  }
  std::optional<bool> any() {
    auto left = all();
    while (take("||")) {
      const auto right = all();
      left = left && right ? std::optional(*left || *right) : std::nullopt;
    }
    return left;
  }
  std::optional<bool> all() {
    auto left = one();
    while (take("&&")) {
      const auto right = one();
      left = left && right ? std::optional(*left && *right) : std::nullopt;
    }
    return left;
  }
  std::optional<bool> one() {
    if (take("!")) {
      const auto inner = one();
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (take("(")) {
      const auto inner = any();
      return take(")") ? inner : std::nullopt;
    }
    if (!take("defined")) return {};
    const bool bracket = take("(");
    if (!code_.word(at_)) return {};
    const auto result = defined_in_clean_build(code_[at_].text);
    at_ = code_.next(at_);
    return !bracket || take(")") ? result : std::nullopt;
  }

  EditedText code_;
  int at_;
};

std::optional<bool> condition_of(const Directive& d) {
  if (d.name == "ifdef") return defined_in_clean_build(d.rest);
  if (d.name == "if") return Condition(d.rest).value();
  if (d.name != "ifndef") return {};
  const auto defined = defined_in_clean_build(d.rest);
  return defined ? std::optional(!*defined) : std::nullopt;
}

// The text of the branch that is not compiled goes, and so do the directives around both.
class Conditionals {
 public:
  explicit Conditionals(EditedText& code) : code_(code) {}
  void run() {
    for (int i = 0; i < code_.size(); ++i) {
      if (code_[i].kind == TokenKind::directive) meet(i, split(code_[i].text));
      if (!open_.empty() && open_.back().dead) code_.drop(i);
    }
  }

 private:
  struct Branch {
    bool resolved = false, taken = false, dead = false;
  };
  void meet(int i, const Directive& d) {
    const bool outside_dead = !open_.empty() && open_.back().dead;
    if (d.name == "if" || d.name == "ifdef" || d.name == "ifndef") {
      const auto value = condition_of(d);
      if (value) code_.drop(i);
      open_.push_back({value.has_value(), value.value_or(true), outside_dead || !value.value_or(true)});
    } else if (open_.empty()) {
      return;
    } else if (d.name == "else" && open_.back().resolved) {
      code_.drop(i);
      const bool around = open_.size() > 1 && open_[open_.size() - 2].dead;
      open_.back().dead = around || open_.back().taken;
    } else if (d.name == "endif") {
      if (open_.back().resolved) code_.drop(i);
      open_.pop_back();
    }
  }
  EditedText& code_;
  std::vector<Branch> open_;
};

// What CUDA's own header is for a header of the dialect; "" where the plain text needs none.
std::string_view cuda_header_of(std::string_view file) {
  if (file.ends_with("kernels/half.cuh")) return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>";
  if (file.ends_with("kernels/groups.cuh"))
    return "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>";
  return {};
}

}  // namespace

std::string_view included_file(std::string_view directive) {
  if (directive.empty() || directive.front() != '#') return {};
  const Directive d = split(directive);
  if (d.name != "include" || d.rest.size() < 2 || d.rest.front() != '"') return {};
  const auto end = d.rest.find('"', 1);
  return end == d.rest.npos ? std::string_view{} : d.rest.substr(1, end - 1);
}

void resolve_directives(EditedText& code) {
  Conditionals(code).run();
  for (int i = 0; i < code.size(); ++i) {
    if (!code.live(i) || code[i].kind != TokenKind::directive) continue;
    const Directive d = split(code[i].text);
    if (d.name == "pragma" && d.rest == "once") code.drop(i);
    if (const auto file = included_file(code[i].text); !file.empty()) {
      const auto header = cuda_header_of(file);
      header.empty() ? code.drop(i) : code.replace(i, std::string(header));
    }
  }
}

}  // namespace lockstep
