#include "completion_kinds.hpp"

#include <algorithm>

namespace lockstep {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool is_called(const CommandOption& option, const char* name) {
  return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
}

// By what the value is called in the help.
std::vector<std::string> sources_of(const CommandOption& option, const std::string& verb) {
  const std::string& value = option.value;
  if (is_called(option, "--set")) return {"settings"};
  if (is_called(option, "--template")) return {"templates"};
  if (value == "R" || value.starts_with("R2")) return {"rungs"};
  if (value == "LAB/RUNG") return {"kernels"};
  if (value == "LAB" && verb == "shot") return {"subjects"};
  if (value.starts_with("LAB")) return {"labs"};
  if (value == "TOUR" || (verb == "tour" && option.names.empty())) return {"tours"};
  if (!option.names.empty() || !has(value, "NAME")) return {};
  if (verb == "shot") return {"books"};
  const bool of_student = verb == "exercise codes", fresh = verb == "exercise new";
  if (verb.starts_with("exercise") && !of_student && !fresh) return {"exercises"};
  return {};
}

}  // namespace

CompletionKind completion_of(const CommandOption& option, const std::string& verb) {
  CompletionKind kind;
  kind.words = words_that_help_names(option.help);
  if (!kind.words.empty()) return kind;
  kind.sources = sources_of(option, verb);
  const std::string& value = option.value;
  const bool program = value == "LAB" && (verb == "run" || verb == "shot");  // FILE.cu in place of a lab
  kind.files = has(value, "FILE") || value == "PROGRAM" || value == "TOUR" || program;
  kind.folders = !kind.files && has(value, "DIR");
  return kind;
}

}  // namespace lockstep
