#include "program_sources.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "app/model/embedded.hpp"
#include "kernels/plain/lexer.hpp"
#include "kernels/plain/plain_cuda.hpp"
#include "kernels/plain/settled.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_sources[];
extern const int embedded_sources_count;

namespace {

std::optional<std::string_view> source(std::string_view name) {
  for (int i = 0; i < embedded_sources_count; ++i)
    if (embedded_sources[i].name == name) return embedded_sources[i].text;
  return {};
}

std::string folder_of(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// Headers of the dialect: their functions stand, as plain CUDA, in device.cuh.
bool is_dialect(const std::string& name) {
  const bool ladders = name.find('/', std::string("kernels/").size()) != name.npos;
  return name.starts_with("kernels/") && name.ends_with(".cuh") && !ladders;
}

bool among(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool ProgramSources::File::takes_anything() const {
  return std::find(taken.begin(), taken.end(), true) != taken.end();
}

ProgramSources::ProgramSources(std::string_view rung_file, std::string_view rung) : rung_(rung) {
  const std::string kernels = "kernels/" + std::string(rung_file);
  std::set<std::string> seen;
  add(kernels_, "kernels/plain/device.cuh", false, seen);
  add(kernels_, kernels, true, seen);
  header_ = kernels_.back().text.header;
  for (const std::string& file : {std::string("kernels/ladder.cpp"), folder_of(kernels) + "ladder.cpp"})
    add(problem_, file, false, seen);
  add(host_, "kernels/plain/host.cuh", false, seen);
}

// What a file includes comes before it. Names are looked for beside the file and from the root on.
void ProgramSources::add(Files& files, const std::string& name, bool plain, std::set<std::string>& seen) {
  const auto text = source(name);
  if (!text || is_dialect(name) || !seen.insert(name).second) return;
  const DeclaredText raw = declarations_of(*text);
  const auto is_apps = [](const std::string& file) { return file.starts_with("app/"); };
  if (plain && std::any_of(raw.files.begin(), raw.files.end(), is_apps)) {  // for launchers, not for kernels
    seen.erase(name);
    return;
  }
  for (const std::string& included : raw.files)
    add(files, source(folder_of(name) + included) ? folder_of(name) + included : included, plain, seen);
  const std::string shown = plain ? plain_cuda(*text).text : settled(*text, "rung", rung_);
  File file{declarations_of(shown), {}};
  if (name.ends_with(".hpp"))  // what it declares alone is defined in a .cpp
    std::erase_if(file.text.declarations, [](const Declaration& d) { return d.function && !d.body; });
  file.taken.assign(file.text.declarations.size(), false);
  files.push_back(std::move(file));
}

bool ProgramSources::take(Files& files, const std::string& name, bool called,
                          std::vector<std::string>& open_words, std::vector<std::string>& open_calls) {
  bool found = false;
  for (File& file : files)
    for (std::size_t i = 0; i < file.taken.size(); ++i) {
      const Declaration& d = file.text.declarations[i];
      if ((d.function && !called) || !among(d.names, name)) continue;
      found = true;
      if (file.taken[i]) continue;
      file.taken[i] = true;
      open_words.insert(open_words.end(), d.words.begin(), d.words.end());
      open_calls.insert(open_calls.end(), d.calls.begin(), d.calls.end());
    }
  return found;
}

// A name is looked for in the first of these that knows it.
void ProgramSources::use(const std::vector<Files*>& order, const std::vector<std::string>& names) {
  std::vector<std::string> words, calls = names;
  std::set<std::string> seen_words, seen_calls;
  while (!words.empty() || !calls.empty()) {
    const bool called = !calls.empty();
    auto& from = called ? calls : words;
    const std::string name = from.back();  // calls first: functions are found by them alone
    from.pop_back();
    if (!(called ? seen_calls : seen_words).insert(name).second) continue;
    for (Files* files : order)
      if (take(*files, name, called, words, calls)) break;
  }
}

void ProgramSources::use_in_kernels(const std::vector<std::string>& names) { use({&kernels_}, names); }
void ProgramSources::use_on_host(const std::vector<std::string>& names) {
  use({&problem_, &kernels_, &host_}, names);
}

// The words of a program; those of std as "std::vector".
static std::set<std::string> words_in(std::string_view program) {
  std::set<std::string> words, own;  // own: functions of the program, whatever a header means by the word
  std::string before, scope;         // the token that came last, and what stands in front of a ::
  for (const Token& token : tokens_of(program)) {
    if (!token.counts()) continue;
    const bool of_std = before == "::" && scope == "std";
    if (token.is_word()) words.insert((of_std ? "std::" : "") + std::string(token.text));
    if (token.is_word() && before == "void") own.emplace(token.text);
    if (token.is("::")) scope = before;
    before = token.text;
  }
  for (const std::string& name : own) words.erase(name);
  return words;
}

// Of a header that is there for few words: these. A program has it where it says one.
static const std::vector<std::string>* words_for(const std::string& header) {
  static const std::map<std::string, std::vector<std::string>> kWords{
      {"array", {"std::array"}},
      {"bit", {"std::bit_cast"}},
      {"cassert", {"assert"}},
      {"charconv", {"std::to_chars"}},
      {"cstring", {"std::memcpy", "std::memset"}},
      {"cuda_bf16.h", {"__nv_bfloat16", "nv_bfloat16", "__float2bfloat16"}},
      {"cuda_fp16.h", {"__half", "half", "__float2half"}},
      {"functional", {"std::function"}},
      {"limits", {"std::numeric_limits"}},
      {"map", {"std::map"}},
      {"memory", {"std::shared_ptr", "std::unique_ptr"}},
      {"mutex", {"std::mutex"}},
      {"numeric", {"std::accumulate", "std::iota"}},
      {"optional", {"std::optional"}},
      {"random", {"std::mt19937"}},
      {"set", {"std::set"}},
      {"shared_mutex", {"std::shared_mutex"}},
      {"span", {"std::span"}},
      {"string", {"std::string"}},
      {"string_view", {"std::string_view"}},
      {"system_error", {"std::errc"}},
      {"tuple", {"std::tuple"}},
      {"type_traits", {"std::is_same_v", "std::integral_constant", "std::conditional_t"}},
      {"utility", {"std::pair", "std::move"}},
      {"variant", {"std::variant"}}};
  const auto found = kWords.find(header);
  return found == kWords.end() ? nullptr : &found->second;
}

std::string ProgramSources::includes(std::string_view program) const {
  const std::set<std::string> words = words_in(program);
  const auto said = [&](const std::string& word) { return words.contains(word); };
  std::set<std::string> headers;
  for (const Files* files : {&kernels_, &problem_, &host_})
    for (const File& file : *files)
      for (const std::string& line : file.text.includes) {
        const std::string header = line.substr(10, line.find('>') - 10);
        const auto* few = words_for(header);
        if (few ? std::any_of(few->begin(), few->end(), said) : file.takes_anything()) headers.insert(header);
      }
  std::string text;
  for (const std::string& header : headers) text += "#include <" + header + ">\n";
  return text;
}

std::string ProgramSources::text_of(const Files& files) const {
  std::string text;
  for (const File& file : files) {
    bool gap = true;
    for (std::size_t i = 0; i < file.taken.size(); ++i) {
      const Declaration& d = file.text.declarations[i];
      gap |= d.apart;
      if (!file.taken[i]) continue;
      if (gap && !text.empty()) text += '\n';
      text += without_qualifier(without_qualifier(d.text, "lockstep"), "lab") + '\n';
      gap = false;
    }
  }
  return text;
}

std::string ProgramSources::kernels() const { return text_of(kernels_); }
std::string ProgramSources::problem() const { return text_of(problem_); }
std::string ProgramSources::host() const { return text_of(host_); }

}  // namespace lockstep
