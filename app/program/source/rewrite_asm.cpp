// PTX in asm statements: every instruction becomes a call, add.u32 that of lockstep_asm_add_u32(). Those that
// no header of ours defines are refused by the compiler, by name and line.
#include <algorithm>
#include <cctype>
#include <map>

#include "rewriter.hpp"

namespace lockstep::reader {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// What the characters between the quotes stand for, as far as PTX has them.
std::string spoken(std::string_view literal) {
  std::string all;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      all += literal[i];
    } else if (++i + 1 < literal.size()) {
      all += literal[i] == '"'                                              ? '"'
             : literal[i] == 'n' || literal[i] == 't' || literal[i] == '\n' ? ' '
                                                                            : literal[i];
    }
  }
  return all;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' || c == '[' || c == '(';
    depth -= c == '}' || c == ']' || c == ')';
    if (c == at && depth <= 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

std::string type_of_register(std::string_view ptx) {
  static const std::map<std::string, std::string, std::less<>> types{{".pred", "bool"},
                                                                     {".f32", "float"},
                                                                     {".f64", "double"},
                                                                     {".b64", "unsigned long long"},
                                                                     {".u64", "unsigned long long"},
                                                                     {".s64", "long long"},
                                                                     {".s32", "int"},
                                                                     {".b16", "unsigned short"},
                                                                     {".u16", "unsigned short"},
                                                                     {".s16", "short"}};
  const auto found = types.find(ptx);
  return found == types.end() ? "unsigned" : found->second;
}

class Ptx {
 public:
  explicit Ptx(std::vector<std::string> operands) : operands_(std::move(operands)) {}

  // "" where it is not understood.
  std::string calls_of(std::string_view text) {
    std::string all;
    for (std::string line : split(without_braces(text), ';')) {
      if (line.empty()) continue;
      const std::string call = line.starts_with(".reg") ? registers(line) : instruction(line);
      if (call.empty()) return "";
      all += call;
    }
    return all;
  }

 private:
  // The braces around all of it, which only limit where names hold.
  static std::string without_braces(std::string_view text) {
    std::string all;
    int depth = 0;
    bool operands = false;
    for (const char c : text) {
      const bool block = (c == '{' && !operands) || (c == '}' && depth == 0);
      if (c == '{' && operands) ++depth;
      if (c == '}' && depth > 0)
        --depth, all += c;
      else if (!block)
        all += c;
      if (c == ';') operands = false;
      if (!std::isspace(static_cast<unsigned char>(c)) && c != ';' && c != '{' && c != '}') operands = true;
    }
    return all;
  }

  // .reg .pred p, q;
  std::string registers(const std::string& line) {
    std::string_view rest = std::string_view(line).substr(4);
    const std::string declared = trimmed(rest);
    const std::size_t end = declared.find_first_of(" \t");
    if (end == declared.npos) return "";
    std::string all;
    for (const std::string& name : split(declared.substr(end), ',')) {
      if (name.empty() ||
          !std::all_of(name.begin(), name.end(), [](char c) { return in_name(c) || c == '%'; }))
        return "";
      names_[name] = "lockstep_register_" + plain(name);
      all += type_of_register(declared.substr(0, end)) + " " + names_[name] + "{}; ";
    }
    return all;
  }

  // @!p add.u32 %0, %1, 3
  std::string instruction(const std::string& line) {
    std::string_view rest = line;
    std::string condition;
    if (rest.starts_with("@")) {
      const std::size_t end = rest.find_first_of(" \t");
      if (end == rest.npos) return "";
      std::string name(rest.substr(1, end - 1));
      const bool inverted = name.starts_with("!");
      if (inverted) name.erase(0, 1);
      condition = "if (" + std::string(inverted ? "!" : "") + value(name) + ") ";
      rest = rest.substr(end);
    }
    const std::string whole = trimmed(rest);
    const std::size_t end = std::min(whole.find_first_of(" \t"), whole.size());
    std::string call = condition + "lockstep_asm_" + plain(whole.substr(0, end)) + "(";
    bool first = true;
    for (const std::string& operand : split(std::string_view(whole).substr(end), ','))
      for (const std::string& part : operand.starts_with("{")
                                         ? split(operand.substr(1, operand.size() - 2), ',')
                                         : std::vector{operand}) {
        const std::string written = value(part);
        if (written.empty()) return "";
        call += (first ? "" : ", ") + written;
        first = false;
      }
    return call + "); ";
  }

  static std::string plain(std::string_view name) {
    std::string all(name);
    std::replace_if(
        all.begin(), all.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return all;
  }

  // An operand in C++: %0, [%1 + 16], 3, p, %%laneid.
  std::string value(std::string_view text) {
    std::string part = trimmed(text);
    if (part.starts_with("[") && part.ends_with("]"))
      part = trimmed(std::string_view(part).substr(1, part.size() - 2));
    if (part.empty()) return "";
    std::string all;
    for (std::size_t i = 0; i < part.size();) {
      if (part.compare(i, 2, "%%") == 0) {
        std::size_t end = i + 2;
        while (end < part.size() && (in_name(part[end]) || part[end] == '.')) ++end;
        if (const auto known = names_.find(part.substr(i + 1, end - i - 1)); known != names_.end())
          all += known->second;
        else
          all += "lockstep_asm_special_" + plain(part.substr(i + 2, end - i - 2)) + "()";
        i = end;
      } else if (part[i] == '%') {
        std::size_t end = i + 1;
        while (end < part.size() && std::isdigit(static_cast<unsigned char>(part[end]))) ++end;
        if (end == i + 1 || end - i > 4) return "";
        const std::size_t n = std::stoul(part.substr(i + 1, end - i - 1));
        if (n >= operands_.size()) return "";
        all += "(" + operands_[n] + ")";
        i = end;
      } else if (std::isalpha(static_cast<unsigned char>(part[i])) || part[i] == '_') {
        std::size_t end = i;
        while (end < part.size() && in_name(part[end])) ++end;
        const auto known = names_.find(part.substr(i, end - i));
        if (known == names_.end()) return "";
        all += known->second;
        i = end;
      } else if (std::isdigit(static_cast<unsigned char>(part[i]))) {
        if (part.compare(i, 2, "0f") == 0 || part.compare(i, 2, "0F") == 0) {
          const std::string bits = part.substr(i + 2, 8);
          if (bits.size() != 8 ||
              !std::all_of(bits.begin(), bits.end(), [](unsigned char c) { return std::isxdigit(c); }))
            return "";
          all += "lockstep_asm_float(0x" + bits + "u)";
          i += 10;
          continue;
        }
        std::size_t end = i;
        while (end < part.size() && (in_name(part[end]) || part[end] == '.')) ++end;
        all += part.substr(i, end - i);
        i = end;
      } else if (part[i] == '|') {
        all += ", ", ++i;  // two results
      } else if (std::string_view("+-! ").find(part[i]) != std::string_view::npos) {
        all += part[i++];
      } else {
        return "";
      }
    }
    return all;
  }

  std::vector<std::string> operands_;
  std::map<std::string, std::string> names_;
};

// PTX has points in its names; the host's own instructions have none.
bool is_ptx(const std::string& text) {
  return text.find('.') != text.npos || trimmed(text) == "trap;" || trimmed(text) == "exit;";
}

}  // namespace

void Rewriter::rewrite_asm(const Code& code, int i) {
  int open = i + 1;
  while (code.is_word(open)) ++open;
  const int close = code.past_group(open);
  if (!code.is(open, "(") || close == open) return;
  std::string text;
  int j = open + 1;
  for (; code[j].kind == TokenKind::text; ++j) text += spoken(code[j].text);
  if (text.find(".incbin") != text.npos || text.find(".include") != text.npos)
    return refuse(code, i, {"an asm statement that reads a file is not allowed here", {}});
  if (code[i].scope != Scope::function || !is_ptx(text)) return;

  // "=r"(a), "r"(b): the expressions, in the order of %0, %1, ...
  std::vector<std::string> operands;
  for (int colons = 0; j < close; ++j) {
    if (code.is(j, ":")) ++colons;
    if (code.is(j, "::")) colons += 2;
    if (colons > 2) break;
    if (!code.is(j, "(")) continue;
    operands.push_back(code.text({j + 1, code.past_group(j) - 1}));
    j = code.past_group(j);
  }
  const std::string calls = Ptx(std::move(operands)).calls_of(text);
  if (calls.empty()) {
    if (!code.is_macro())
      refuse(code, i, {"not supported here: the asm statement {0}", {trimmed(text).substr(0, 60)}});
    return;
  }
  put(code, i, "do { " + calls + "} while (0)");
  for (int k = i + 1; k <= close; ++k) drop(code, k);
}

}  // namespace lockstep::reader
