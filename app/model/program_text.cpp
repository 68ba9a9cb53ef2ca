// Programs of the SM model as text: how a run keeps the one that it was played with.
#include <array>
#include <charconv>
#include <string_view>

#include "traced_barriers.hpp"
#include "traced_program.hpp"

namespace lockstep {
namespace {

constexpr int kThreadFields = 7, kUnitFields = 5;

std::array<std::int64_t, kThreadFields + kUnitFields> fields_of(const SmInstruction& i) {
  return {std::int64_t(i.op), i.line,    i.needs[0], i.needs[1], i.sectors,        i.wavefronts,
          i.needs_loads,      i.barrier, i.count,    i.bytes,    i.from_registers, i.ends_group};
}

void write_numbers(std::string& text, const auto& numbers, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) text += std::to_string(numbers[k]) + (k + 1 < count ? " " : "");
}

// "1 2 3" up to `end`; nothing where there is anything else, or a number is negative or too large.
std::optional<std::vector<std::int64_t>> read_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    std::int64_t x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc() || x < 0 || x > std::int64_t{UINT32_MAX}) return {};
    numbers.push_back(x);
    text.remove_prefix(std::size_t(end - text.data()));
    if (text.empty()) break;
    if (text.front() != ' ' || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return numbers;
}

std::vector<std::string_view> split_at(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(std::min(text.size(), end + 1)))
    end = text.find(at), parts.push_back(text.substr(0, end));
  return parts;
}

std::optional<SmInstruction> read_instruction(std::string_view text, std::int64_t here) {
  auto x = read_numbers(text);
  if (!x || (x->size() != kThreadFields && x->size() != kThreadFields + kUnitFields)) return {};
  x->resize(kThreadFields + kUnitFields);
  const std::int64_t most[] = {kOps - 1, 0xffff, here, here, 255, 255, 1, 0xffff, 0xffff, UINT32_MAX, 1, 1};
  for (std::size_t f = 0; f < x->size(); ++f)
    if ((*x)[f] > most[f]) return {};
  if ((*x)[5] == 0) return {};
  SmInstruction i;
  i.op = Op((*x)[0]), i.line = std::uint16_t((*x)[1]);
  i.needs[0] = std::uint16_t((*x)[2]), i.needs[1] = std::uint16_t((*x)[3]);
  i.sectors = std::uint8_t((*x)[4]), i.wavefronts = std::uint8_t((*x)[5]), i.needs_loads = (*x)[6] != 0;
  i.barrier = std::uint16_t((*x)[7]), i.count = std::uint16_t((*x)[8]), i.bytes = std::uint32_t((*x)[9]);
  i.from_registers = (*x)[10] != 0, i.ends_group = (*x)[11] != 0;
  return i;
}

std::optional<WarpProgram> read_one(std::string_view text) {
  constexpr std::size_t kMost = kMostTraced + kMoreThanTraced;
  if (text.empty() || text.back() != ';') return {};
  text.remove_suffix(1);
  WarpProgram program;
  for (const std::string_view part : split_at(text, ';')) {
    const auto i = read_instruction(part, std::int64_t(program.instructions.size()));
    if (!i || program.instructions.size() == kMost) return {};
    program.instructions.push_back(*i);
  }
  program.marks = {0, int(program.instructions.size()) - 1};
  return program;
}

}  // namespace

// "op line needs needs sectors wavefronts needs_loads;" for each instruction, and of those of units behind
// that "barrier count bytes from_registers ends_group". Programs apart by '|'; where there are roles, behind
// a '/' that of each warp, behind another one the arrivals of each barrier, and behind a third one, where
// they have names, those apart by ','.
std::string program_text(const BlockProgram& block) {
  std::string text;
  for (const WarpProgram& program : block.programs) {
    if (&program != &block.programs.front()) text += "|";
    for (const SmInstruction& i : program.instructions) {
      write_numbers(text, fields_of(i), of_units(i.op) ? kThreadFields + kUnitFields : kThreadFields);
      text += ";";
    }
  }
  if (block.role.empty()) return text;
  const auto numbers = [&](const auto& all) {
    text += "/";
    write_numbers(text, std::vector<int>(all.begin(), all.end()), all.size());
  };
  numbers(block.role), numbers(block.arrivals);
  for (std::size_t b = 0; b < block.barriers.size(); ++b) text += (b == 0 ? "/" : ",") + block.barriers[b];
  return text;
}

std::optional<BlockProgram> read_program(const std::string& text) {
  constexpr std::size_t kMostPrograms = 32, kMostBarriers = 4096;
  const auto parts = split_at(text, '/');
  if (parts.size() != 1 && parts.size() != 3 && parts.size() != 4) return {};
  BlockProgram block;
  for (const std::string_view one : split_at(parts[0], '|')) {
    auto program = read_one(one);
    if (!program || block.programs.size() == kMostPrograms) return {};
    block.programs.push_back(std::move(*program));
  }
  if (parts.size() == 1) {
    if (block.programs.size() > 1) return {};
    return block;
  }
  const auto roles = read_numbers(parts[1]), arrivals = read_numbers(parts[2]);
  if (!roles || roles->empty() || roles->size() > kMostPrograms || !arrivals ||
      arrivals->size() > kMostBarriers)
    return {};
  for (const std::int64_t role : *roles) {
    if (std::size_t(role) >= block.programs.size()) return {};
    block.role.push_back(std::uint8_t(role));
  }
  for (const std::int64_t count : *arrivals) {
    if (count > 0xffff) return {};
    block.arrivals.push_back(std::uint16_t(count));
  }
  if (parts.size() < 4) return block;
  for (const std::string_view name : split_at(parts[3], ',')) {
    if (!is_barrier_name(name)) return {};
    block.barriers.emplace_back(name);
  }
  if (block.barriers.size() != block.arrivals.size()) return {};
  return block;
}

}  // namespace lockstep
