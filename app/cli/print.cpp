#include "app/cli/print.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Columns on a terminal: bytes that begin a UTF-8 character.
std::size_t columns_of(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string words_of(const Run& run, std::string_view path) { return std::string(provenance_of(run, path)); }

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void add_counts(const Run& run, Rows& rows) {
  if (!run.counts) return;
  for (const CountField& field : kCountFields)
    rows.push_back({spaced(field.name), grouped(*run.counts.*field.member), "",
                    words_of(run, std::string("counts.") + field.name)});
}

void add_time(const Run& run, Rows& rows) {
  if (!run.time) return;
  const Timing& t = *run.time;
  const std::string words = words_of(run, "time");
  rows.push_back(
      {"time, median", rounded(t.median_ms) + " ms",
       "min " + rounded(t.min_ms) + ", p95 " + rounded(t.p95_ms) + ", " + std::to_string(t.runs) + " runs",
       words});
  if (t.traced_ms > 0) rows.push_back({"time of the traced kernel", rounded(t.traced_ms) + " ms", "", words});
  if (!t.reference.empty())
    rows.push_back({"time of " + t.reference, rounded(t.reference_ms) + " ms", "", words});
}

void add_occupancy(const Run& run, Rows& rows) {
  if (!run.occupancy) return;
  const Occupancy& o = *run.occupancy;
  rows.push_back({"occupancy", rounded(o.fraction * 100) + " %",
                  std::to_string(o.threads_per_block) + " threads, " + std::to_string(o.registers) +
                      " registers, " + grouped(o.shared_bytes) + " B shared, " +
                      std::to_string(o.blocks_per_sm) + " blocks per SM",
                  words_of(run, "occupancy")});
}

// A record that would make every row as wide as itself; --json has all of it.
std::string beginning_of(std::string text) {
  constexpr std::size_t kMost = 48;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " …";
}

std::string value_text(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return grouped(*whole);
  if (const auto* real = std::get_if<double>(&value)) return rounded(*real);
  return to_string(value);
}

std::string headline(const Run& run) {
  std::string text = run.request.lab + "/" + run.request.rung;
  for (const auto& [name, value] : run.request.params) text += "  " + name + "=" + to_string(value);
  text += "  engine " + std::string(name_of(run.engine));
  if (!run.device.name.empty()) text += "  (" + run.device.name + ")";
  return text + (run.stale ? "  stale" : "") + "\n";
}

std::string finding_text(const Finding& f) {
  std::string text =
      "found: " + f.kind + " in block " + std::to_string(f.block) + ", thread " + std::to_string(f.thread);
  if (!f.file.empty()) text += ", " + f.file + ":" + std::to_string(f.line);
  return text + ": " + f.what.text();
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      ' ');
  return line;
}

std::string table(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - columns_of(row[i]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string rounded(double number) {
  char text[32];
  const bool plain = std::isfinite(number) && std::abs(number) >= 1000 && std::abs(number) < 1e15;
  std::snprintf(text, sizeof text, plain ? "%.0f" : "%.4g", number);
  return text;
}

std::string describe(const Run& run) {
  Rows rows{{"check", run.check.pass ? "pass" : "FAIL",
             "max error " + rounded(run.check.max_error) + ", tolerance " + rounded(run.check.tolerance),
             words_of(run, "check")}};
  add_counts(run, rows);
  add_time(run, rows);
  add_occupancy(run, rows);
  std::string pictures;  // values of several lines stand below the table
  for (const auto& [name, value] : run.metrics()) {
    if (name.ends_with(".record") || name.ends_with(".runs")) continue;  // for pictures
    const auto* lines = std::get_if<std::string>(&value);
    if (lines && lines->find('\n') != lines->npos)
      pictures += spaced(name) + ":\n" + *lines;
    else
      rows.push_back({spaced(name), beginning_of(value_text(value)), "", words_of(run, "metrics." + name)});
  }
  std::string text = headline(run) + table(rows) + pictures;
  for (const Message& warning : run.warnings) text += "warning: " + one_line(warning.text()) + "\n";
  for (const Finding& finding : run.findings) text += one_line(finding_text(finding)) + "\n";
  return text;
}

}  // namespace lockstep
