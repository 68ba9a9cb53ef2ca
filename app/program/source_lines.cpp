#include "source_lines.hpp"

#include <cstdio>
#include <sstream>

#include "app/platform/confined_process.hpp"
#include "app/platform/run_program.hpp"

namespace lockstep::reader {
namespace {

constexpr std::size_t kAtOnce = 4000;  // offsets on one command line
constexpr std::size_t kSteps = 16;     // that are looked ahead from an access without a line
constexpr std::uint64_t kStepBytes = 4;

struct Found {
  SourceLine place;      // in one of the reader's own files
  bool lineless = true;  // the compiler put this code at no line
};

SourceLine parse(std::string text) {
  if (const auto extra = text.find(" (discriminator"); extra != std::string::npos) text.resize(extra);
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  SourceLine place{text.substr(0, colon), std::atoi(text.c_str() + colon + 1)};
  if (place.file == "??") place.file.clear();
  return place;
}

const std::string* own_name(const std::map<std::string, std::string>& own, const std::string& file) {
  if (const auto found = own.find(file); found != own.end()) return &found->first;
  const auto name_of = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  for (const auto& [name, text] : own)
    if (name_of(name) == name_of(file)) return &name;
  return nullptr;
}

void ask(const std::string& addr2line, const std::filesystem::path& object,
         const std::vector<std::uint64_t>& offsets, std::size_t first,
         const std::map<std::string, std::string>& own, bool trust, std::vector<Found>& to) {
  ConfinedProgram what;
  what.program = addr2line;
  what.arguments = {"-a", "-i", "-e", object.string()};
  const std::size_t last = std::min(offsets.size(), first + kAtOnce);
  for (std::size_t i = first; i < last; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offsets[i]));
    what.arguments.push_back(text);
  }
  what.folder = object.parent_path(), what.most_output = std::size_t{64} << 20;
  if (!trust) {
    SandboxRules rules;
    rules.read = system_headers_and_libraries();
    rules.read.push_back(object.parent_path());
    rules.run = system_programs();
    rules.processes = true;  // or it could not be started
    what.rules = std::move(rules);
  }
  const auto end = run_confined(what);
  if (!end) return;
  std::istringstream rows(end->output);
  std::size_t at = first;
  bool begun = false;
  for (std::string row; std::getline(rows, row);) {
    if (row.rfind("0x", 0) == 0) {
      if (begun) ++at;
      begun = true;
      continue;
    }
    if (!begun || at >= last) continue;
    const SourceLine place = parse(row);
    if (place.line) to[at].lineless = false;
    if (to[at].place.line) continue;
    const std::string* name = own_name(own, place.file);
    if (name && place.line) to[at].place = {*name, place.line};
  }
}

}  // namespace

std::vector<SourceLine> lines_of(const std::filesystem::path& object,
                                 const std::vector<std::uint64_t>& offsets,
                                 const std::map<std::string, std::string>& own_files, bool trust) {
  std::vector<Found> found(offsets.size());
  std::vector<SourceLine> lines(offsets.size());
  const auto addr2line = program_on_path("addr2line");
  if (!addr2line) return lines;
  const auto ask_all = [&](const std::vector<std::uint64_t>& at, std::vector<Found>& to) {
    for (std::size_t first = 0; first < at.size(); first += kAtOnce)
      ask(*addr2line, object, at, first, own_files, trust, to);
  };
  ask_all(offsets, found);
  // What two branches both begin with is compiled once, in front of them, and stands at no line: it is told
  // at the line of the code that follows.
  std::vector<std::uint64_t> behind;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    for (std::uint64_t step = 1; step <= kSteps && found[i].lineless; ++step)
      behind.push_back(offsets[i] + step * kStepBytes);
  std::vector<Found> near(behind.size());
  ask_all(behind, near);
  std::size_t group = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    lines[i] = found[i].place;
    if (!found[i].lineless) continue;
    for (std::size_t k = group; k < group + kSteps && !lines[i].line; ++k) lines[i] = near[k].place;
    group += kSteps;
  }
  return lines;
}

}  // namespace lockstep::reader
