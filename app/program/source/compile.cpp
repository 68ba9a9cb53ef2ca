#include "compile.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <tuple>

#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "clang_output.hpp"
#include "compiler.hpp"
#include "program_files.hpp"
#include "text_hash.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMostKept = 60;  // compiled programs
constexpr int kMostRepairs = 3;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

fs::path cache_folder(const fs::path& given) {
  if (!given.empty()) return given;
  const fs::path user = user_cache_folder();
  std::error_code ignored;
  return (user.empty() ? fs::temp_directory_path(ignored) / "lockstep" : user) / "programs";
}

// Another build of Lockstep may rewrite the same text in another way.
std::string this_program() {
  std::error_code error;
  const fs::path path = program_path();
  return std::to_string(fs::file_size(path, error)) + " " +
         std::to_string(fs::last_write_time(path, error).time_since_epoch().count());
}

std::size_t errors_in(std::string_view said) {
  constexpr std::string_view kError = ": error: ";
  std::size_t count = 0;
  for (std::size_t at = said.find(kError); at != said.npos; at = said.find(kError, at + 1)) ++count;
  return count;
}

struct RewrittenFile {
  std::string scratch_name;  // "0.cpp"
  Rewritten rewritten;
};

std::string escaped(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out;
}

// A file that others include stands before them: what it declares is known there.
std::vector<RewrittenFile> rewrite_all(const ProgramFiles& files, const fs::path& folder,
                                       SourceTables& tables) {
  std::vector<RewrittenFile> all(files.files.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].scratch_name = std::to_string(i) + (files.files[i].is_c ? ".c" : ".cpp");
  for (const int i : files.order) {
    const ProgramFile& file = files.files[std::size_t(i)];
    RewriteOptions options;
    options.file = file.name, options.known = &tables;
    for (const auto& [place, included] : file.includes)
      options.includes[place] =
          "\"" + escaped((folder / all[std::size_t(included)].scratch_name).string()) + "\"";
    Rewritten& out = all[std::size_t(i)].rewritten;
    out = file.is_c ? rewrite_includes(file.text, options) : rewrite(file.text, options);
    tables.add(out.tables);
  }
  return all;
}

class Build {
 public:
  Build(const CompileRequest& request, const Compiler& compiler, const ProgramFiles& files, fs::path cache)
      : request_(request), compiler_(compiler), files_(files), cache_(std::move(cache)) {}
  Result<Compiled> run();

 private:
  Status write_sources(const fs::path& folder);
  Status compile(Standard standard, std::string& said);
  bool repair(const std::string& said);
  Status build(Variant variant, Standard standard, std::string& said);
  std::vector<Diagnostic> explain(const std::string& said) const;
  void drop_old() const;
  StepLimits limits(Variant variant);
  Error too_long() const {
    return worker_error("compiling {0} took longer than {1} s and was ended",
                        {request_.file.string(), std::to_string(int(request_.time_limit_s))});
  }
  // On the caller's thread, which compiles `program` and then waits for the other.
  bool caller_goes_on() {
    if (request_.goes_on && !request_.goes_on()) cancelled_ = true;
    return !cancelled_;
  }

  const CompileRequest& request_;
  const Compiler& compiler_;
  const ProgramFiles& files_;
  fs::path cache_, folder_;
  Clock::time_point begin_ = Clock::now();
  std::atomic<bool> cancelled_ = false;
  std::vector<RewrittenFile> rewritten_;
  Compiled out_;
};

Status Build::write_sources(const fs::path& folder) {
  if (Status made = make_output_folder(folder); !made) return made;
  for (std::size_t i = 0; i < rewritten_.size(); ++i) {
    const std::string text =
        "#line 1 \"" + escaped(files_.files[i].name) + "\"\n" + rewritten_[i].rewritten.text + "\n";
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    if (Status written = write_file_atomically(folder / rewritten_[i].scratch_name, {bytes, text.size()});
        !written)
      return written;
  }
  return Unit{};
}

StepLimits Build::limits(Variant variant) {
  StepLimits limits;
  limits.seconds = request_.time_limit_s - seconds_since(begin_);
  if (variant == Variant::program)
    limits.goes_on = [this] { return caller_goes_on(); };
  else
    limits.goes_on = [this] { return !cancelled_.load(); };
  return limits;
}

// One of the two libraries; empty `said` where it is there.
Status Build::build(Variant variant, Standard standard, std::string& said) {
  if (Status ready = compiler_.prepare(variant, standard, request_.trust); !ready) return ready;
  const std::string name = variant == Variant::traced ? "traced" : "program";
  std::vector<fs::path> objects;
  for (const int source : files_.sources) {
    const ProgramFile& file = files_.files[std::size_t(source)];
    if (file.is_c && variant == Variant::traced) continue;
    const fs::path object = folder_ / (name + std::to_string(source) + ".o");
    const auto end = compiler_.compile(variant, standard,
                                       {folder_ / rewritten_[std::size_t(source)].scratch_name, file.is_c,
                                        request_.defines, object, request_.trust},
                                       limits(variant));
    if (!end) return end.error();
    if (end->cancelled) return worker_error("the run was cancelled");
    if (end->out_of_time) return too_long();
    if (!end->done()) said += end->output.empty() ? "clang ended badly" : end->output;
    objects.push_back(object);
  }
  if (!said.empty()) return Unit{};
  const auto end =
      compiler_.link(variant, objects, folder_ / (name + ".so"), request_.trust, limits(variant));
  if (!end) return end.error();
  if (end->cancelled) return worker_error("the run was cancelled");
  if (end->out_of_time) return too_long();
  if (!end->done()) said = end->output.empty() ? "the linker ended badly" : end->output;
  return Unit{};
}

// Both at once.
Status Build::compile(Standard standard, std::string& said) {
  std::string traced_said;
  auto traced = std::async(std::launch::async, [&] { return build(Variant::traced, standard, traced_said); });
  const Status program = build(Variant::program, standard, said);
  while (traced.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) caller_goes_on();
  const Status other = traced.get();
  if (!program) return program;
  if (!other) return other;
  if (said.empty()) said = traced_said;
  return Unit{};
}

// nvcc takes dependent names without the words that C++ wants in front of them. False: nothing to repair.
bool Build::repair(const std::string& said) {
  std::map<std::string, FileOnScreen> files;
  for (const ProgramFile& file : files_.files) files[file.name] = {nullptr, &file.text};
  std::set<std::tuple<std::size_t, int, int, std::string>> places;
  for (const Diagnostic& one : read_clang_output(said, files, out_.tables, folder_.string())) {
    const bool is_template = one.compiler.starts_with("missing 'template' keyword");
    if (!is_template && !one.compiler.starts_with("missing 'typename' prior")) continue;
    for (std::size_t i = 0; i < files_.files.size(); ++i)
      if (files_.files[i].name == one.file)
        places.emplace(i, one.line, one.column, is_template ? "template " : "typename ");
  }
  // From the end, so that what stands in front of a place stays where it is.
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const auto& [file, line, column, word] = *place;
    std::string& text = rewritten_[file].rewritten.text;
    std::size_t at = 0;
    for (int l = 1; l < line && at != text.npos; ++l) at = text.find('\n', at) + 1;
    if (at + std::size_t(column) <= text.size() && column > 0)
      text.insert(at + std::size_t(column) - 1, word);
  }
  return !places.empty();
}

std::vector<Diagnostic> Build::explain(const std::string& said) const {
  std::map<std::string, FileOnScreen> known;
  for (std::size_t i = 0; i < rewritten_.size(); ++i)
    known[files_.files[i].name] = {&rewritten_[i].rewritten.columns, &files_.files[i].text};
  return read_clang_output(said, known, out_.tables, folder_.string());
}

void Build::drop_old() const {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (const auto& entry : fs::directory_iterator(cache_, error))
    if (entry.path().filename().string().starts_with("built-"))
      all.emplace_back(entry.last_write_time(error), entry.path());
  std::sort(all.rbegin(), all.rend());
  for (std::size_t i = kMostKept; i < all.size(); ++i) fs::remove_all(all[i].second, error);
}

Result<Compiled> Build::run() {
  for (const ProgramFile& file : files_.files) out_.sources[file.name] = file.text;
  // The folder's name is made of the text without it: includes name files in it.
  TextHash hash;
  hash.add(compiler_.name()), hash.add(this_program());
  for (const int source : files_.sources) hash.add(std::to_string(source));
  for (const std::string& define : request_.defines) hash.add("-D" + define);
  for (const ProgramFile& file : files_.files) hash.add(file.name), hash.add(file.text);
  out_.folder = cache_ / ("built-" + hash.text());
  folder_ = out_.folder;
  rewritten_ = rewrite_all(files_, folder_, out_.tables);
  out_.diagnostics = files_.refused;
  for (const RewrittenFile& file : rewritten_)
    out_.diagnostics.insert(out_.diagnostics.end(), file.rewritten.refused.begin(),
                            file.rewritten.refused.end());
  if (has_error(out_.diagnostics)) return out_;

  std::error_code error;
  const fs::path complete = folder_ / "complete";
  out_.from_cache = fs::exists(complete, error);
  if (!out_.from_cache) {
    if (Status written = write_sources(folder_); !written) return written.error();
    std::string said;
    if (Status done = compile(Standard::cxx17, said); !done) return done.error();
    for (int tries = 0; tries < kMostRepairs && repair(said); ++tries) {
      if (Status written = write_sources(folder_); !written) return written.error();
      said.clear();
      if (Status done = compile(Standard::cxx17, said); !done) return done.error();
    }
    if (!said.empty()) {
      // A later standard finds no more headers.
      std::string again = said.find("file not found") == said.npos ? "" : said;
      if (Status done = again.empty() ? compile(Standard::cxx20, again) : Status(Unit{}); !done)
        return done.error();
      if (!again.empty()) {
        // What is wrong in both shows best where the standard is the one that the program was written for.
        out_.diagnostics = explain(errors_in(again) < errors_in(said) ? again : said);
        out_.seconds = seconds_since(begin_);
        return out_;
      }
    }
    if (Status written = write_file_atomically(complete, {}); !written) return written.error();
    drop_old();
  } else {
    fs::last_write_time(folder_, fs::file_time_type::clock::now(), error);
  }
  out_.program = folder_ / "program.so", out_.traced = folder_ / "traced.so";
  out_.seconds = seconds_since(begin_);
  return out_;
}

}  // namespace

Result<Compiled> compile(const CompileRequest& request) {
  FilesToLoad wanted{{request.file}, request.include_folders, request.trust, request.text};
  wanted.sources.insert(wanted.sources.end(), request.further_sources.begin(), request.further_sources.end());
  auto files = load_program_files(wanted);
  if (!files) return files.error();
  const fs::path cache = cache_folder(request.cache);
  const auto compiler = Compiler::find(cache);
  if (!compiler) return compiler.error();
  return Build(request, *compiler, *files, cache).run();
}

}  // namespace lockstep::reader
