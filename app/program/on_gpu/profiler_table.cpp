#include "profiler_table.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace lockstep::reader {
namespace {

constexpr std::string_view kTime = "gpu__time_duration.sum", kRegisters = "launch__registers_per_thread";

using Row = std::vector<std::string>;

// Quoted fields, parted by commas; a quote in a field stands twice.
std::vector<Row> rows_of(std::string_view text) {
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        field += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::exchange(field, ""));
    } else if (c == '\n') {
      row.push_back(std::exchange(field, ""));
      rows.push_back(std::exchange(row, {}));
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!field.empty() || !row.empty()) row.push_back(field), rows.push_back(row);
  return rows;
}

// "16,384" or "16.384" with a point; nothing for "n/a".
std::optional<double> number_in(const std::string& text) {
  std::string plain;
  for (const char c : text)
    if (c != ',') plain += c;
  double value = 0;
  const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (plain.empty() || error != std::errc{} || stop != plain.data() + plain.size()) return {};
  return value;
}

double scale_of(const std::string& unit) {
  static const std::map<std::string_view, double> kTimes{{"ns", 1e-3},   {"nsecond", 1e-3}, {"us", 1},
                                                         {"usecond", 1}, {"ms", 1e3},       {"msecond", 1e3},
                                                         {"s", 1e6},     {"second", 1e6}};
  if (const auto time = kTimes.find(unit); time != kTimes.end()) return time->second;
  if (unit.size() < 2 || !std::isalpha(static_cast<unsigned char>(unit[1]))) return 1;
  return unit[0] == 'K' ? 1e3 : unit[0] == 'M' ? 1e6 : unit[0] == 'G' ? 1e9 : 1;
}

// "(64, 1, 1)"
std::array<std::int64_t, 3> extents_in(const std::string& text) {
  std::array<std::int64_t, 3> extents{1, 1, 1};
  std::size_t at = 0;
  for (std::int64_t& extent : extents) {
    at = text.find_first_of("0123456789", at);
    if (at == text.npos) break;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), extent);
    at = std::size_t(stop - text.data());
  }
  return extents;
}

class Table {
 public:
  Table(const Row& heads, const Row& units) : heads_(heads), units_(units) {}
  std::string text(const Row& row, std::string_view head) const {
    for (std::size_t i = 0; i < heads_.size() && i < row.size(); ++i)
      if (heads_[i] == head) return row[i];
    return "";
  }
  std::optional<double> value(const Row& row, std::string_view head) const {
    const auto number = number_in(text(row, head));
    if (!number) return {};
    return *number * scale_of(text(units_, head));
  }

 private:
  const Row &heads_, &units_;
};

}  // namespace

const std::vector<ProfilerCounter>& profiler_counters() {
  static const std::vector<ProfilerCounter> all{
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_requests"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_store_sectors"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "global_reduction_sectors"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "global_atomic_sectors"},
      // Of instructions, and exact: the pipe's own read a little too much now and then.
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_wavefronts"},
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_wavefronts"}};
  return all;
}

std::string profiler_metrics() {
  std::string names;
  for (const ProfilerCounter& counter : profiler_counters()) names += std::string(counter.theirs) + ",";
  return names + std::string(kTime) + "," + std::string(kRegisters);
}

std::vector<GpuKernel> read_profiler_table(std::string_view text) {
  const std::size_t begin = text.find("\"ID\"");
  if (begin == text.npos) return {};
  const std::vector<Row> rows = rows_of(text.substr(begin));
  std::vector<GpuKernel> kernels;
  if (rows.size() < 3) return kernels;  // heads and units alone
  const Table table(rows[0], rows[1]);
  for (std::size_t r = 2; r < rows.size(); ++r) {
    const Row& row = rows[r];
    GpuKernel kernel;
    kernel.name = table.text(row, "Kernel Name");
    if (kernel.name.empty()) continue;  // what ncu says below its table
    kernel.grid = extents_in(table.text(row, "Grid Size"));
    kernel.block = extents_in(table.text(row, "Block Size"));
    for (const ProfilerCounter& counter : profiler_counters())
      if (const auto value = table.value(row, counter.theirs))
        kernel.counters[counter.ours] = std::int64_t(std::llround(*value));
    if (const auto time = table.value(row, kTime)) kernel.time_us = *time;
    if (const auto registers = table.value(row, kRegisters)) kernel.registers = int(*registers);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string kernel_word(std::string_view whole) {
  std::string name(whole);
  for (const std::string_view unnamed : {"(anonymous namespace)::", "<unnamed>::"})
    if (const std::size_t at = name.find(unnamed); at != name.npos) name.erase(at, unnamed.size());
  // Up to its parameters or template arguments, then behind the return type and namespaces.
  const std::size_t end = name.find_first_of("<(");
  const std::string head = name.substr(0, end);
  const std::size_t begin = head.find_last_of(" :*&");
  return begin == head.npos ? head : head.substr(begin + 1);
}

}  // namespace lockstep::reader
