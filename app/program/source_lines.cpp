#include "source_lines.hpp"

#include <cstdio>
#include <sstream>

#include "app/platform/confined_process.hpp"
#include "app/platform/run_program.hpp"

namespace lockstep::reader {
namespace {

constexpr std::size_t kAtOnce = 4000;  // offsets on one command line

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

void ask(const std::string& addr2line, const std::filesystem::path& object, const std::vector<std::uint64_t>& offsets,
         std::size_t first, const std::map<std::string, std::string>& own, bool trust, std::vector<SourceLine>& to) {
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
    SourceLine place = parse(row);
    if (to[at].line) continue;
    const std::string* name = own_name(own, place.file);
    if (name && place.line) to[at] = {*name, place.line};
  }
}

}  // namespace

std::vector<SourceLine> lines_of(const std::filesystem::path& object, const std::vector<std::uint64_t>& offsets,
                                 const std::map<std::string, std::string>& own_files, bool trust) {
  std::vector<SourceLine> lines(offsets.size());
  const auto addr2line = program_on_path("addr2line");
  if (!addr2line) return lines;
  for (std::size_t first = 0; first < offsets.size(); first += kAtOnce)
    ask(*addr2line, object, offsets, first, own_files, trust, lines);
  return lines;
}

}  // namespace lockstep::reader
