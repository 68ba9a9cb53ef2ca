#include "gpu_shifts.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace lockstep::reader {
namespace {

// "  %7 = shl nuw i32 %5, %6, !dbg !12"
struct Shift {
  std::string_view result, type, left, amount;
  std::string_view instruction;  // with its flags
  std::string_view rest;         // behind the amount, with the line's end
  int bits = 0;
};

std::string_view word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view taken = text.substr(0, text.find_first_of(" ,\n"));
  text.remove_prefix(taken.size());
  return taken;
}

int bits_of(std::string_view type) {
  int bits = 0;
  if (!type.starts_with('i')) return 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), bits);
  return error == std::errc() && end == type.data() + type.size() ? bits : 0;
}

std::optional<Shift> shift_in(std::string_view line) {
  Shift shift;
  shift.result = word(line);
  if (!shift.result.starts_with('%') || word(line) != "=") return {};
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  const std::string_view instruction = line;
  if (const std::string_view name = word(line); name != "shl" && name != "lshr" && name != "ashr") return {};
  do shift.type = word(line);
  while (shift.type == "nuw" || shift.type == "nsw" || shift.type == "exact");
  shift.bits = bits_of(shift.type);
  shift.instruction = instruction.substr(0, std::size_t(shift.type.data() - instruction.data()));
  shift.left = word(line);
  if (shift.bits == 0 || !line.starts_with(',')) return {};
  line.remove_prefix(1);
  shift.amount = word(line);
  if (!shift.amount.starts_with('%')) return {};
  shift.rest = line;
  return shift;
}

std::string as_on_a_gpu(const Shift& s, int index) {
  const std::string name = "%lockstep.shift" + std::to_string(index), type(s.type), rest(s.rest);
  const std::string inside = name + ".inside", last = std::to_string(s.bits - 1);
  std::string text = "  " + inside + " = icmp ult " + type + " " + std::string(s.amount) + ", " +
                     std::to_string(s.bits) + rest;
  const bool keeps_sign = s.instruction.starts_with("ashr");
  const std::string amount = keeps_sign ? name + ".amount" : std::string(s.amount);
  if (keeps_sign)
    text += "  " + amount + " = select i1 " + inside + ", " + type + " " + std::string(s.amount) + ", " +
            type + " " + last + rest;
  const std::string shifted = keeps_sign ? std::string(s.result) : name + ".shifted";
  text += "  " + shifted + " = " + std::string(s.instruction) + type + " " + std::string(s.left) + ", " +
          amount + rest;
  if (!keeps_sign)
    text += "  " + std::string(s.result) + " = select i1 " + inside + ", " + type + " " + shifted + ", " +
            type + " 0" + rest;
  return text;
}

}  // namespace

std::string with_gpu_shifts(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  int index = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    const auto shift = line.starts_with("  %") && line.ends_with('\n') ? shift_in(line) : std::nullopt;
    if (shift)
      out += as_on_a_gpu(*shift, index++);
    else
      out += line;
    text.remove_prefix(end);
  }
  return out;
}

}  // namespace lockstep::reader
