#include "program_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "reader_headers.hpp"

namespace lockstep::reader {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{8} << 20;
constexpr std::size_t kMostFiles = 400;
constexpr int kMostEntries = 20000;  // of folders that are searched

bool is_own_header(const std::string& name) {
  for (int i = 0; i < embedded_reader_headers_count; ++i)
    if (embedded_reader_headers[i].name == name) return true;
  return false;
}

bool is_system_header(const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(fs::path("/usr/include") / name, ignored)) return true;
  for (const fs::path base :
       {"/usr/include/c++", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"}) {
    if (fs::is_regular_file(base / name, ignored)) return true;
    if (base.filename() != "c++") continue;
    for (const auto& version : fs::directory_iterator(base, ignored))
      if (fs::is_regular_file(version.path() / name, ignored)) return true;
  }
  return false;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

// a/b.h of ../../a/./b.h
fs::path without_dots(const fs::path& name) {
  fs::path left;
  for (const fs::path& part : name)
    if (part != "." && part != "..") left /= part;
  return left;
}

// Files below a folder by their last names; looked through once, where it is needed.
class Tree {
 public:
  explicit Tree(fs::path root) : root_(std::move(root)) {}

  // Of those whose path ends as `name`, the nearest to `from`; "" where there is none.
  fs::path find(const fs::path& name, const fs::path& from) {
    look();
    const fs::path wanted = without_dots(name);
    const auto [first, last] = by_name_.equal_range(wanted.filename().string());
    fs::path best;
    std::ptrdiff_t best_steps = 0;
    for (auto it = first; it != last; ++it) {
      const fs::path& path = it->second;
      auto part = path.end();
      auto wanted_part = wanted.end();
      bool same = true;
      while (same && wanted_part != wanted.begin() && part != path.begin()) same = *--part == *--wanted_part;
      if (!same) continue;
      const fs::path way = path.lexically_relative(from);
      const std::ptrdiff_t steps = std::distance(way.begin(), way.end());
      if (best.empty() || steps < best_steps || (steps == best_steps && path < best))
        best = path, best_steps = steps;
    }
    return best;
  }

 private:
  void look() {
    if (std::exchange(looked_, true)) return;
    std::error_code error;
    fs::recursive_directory_iterator it(root_, fs::directory_options::skip_permission_denied, error), end;
    for (int n = 0; !error && it != end && n < kMostEntries; it.increment(error), ++n) {
      const std::string name = it->path().filename().string();
      std::error_code ignored;
      if (it->is_directory(ignored)) {
        if (name.starts_with(".") || it.depth() > 6) it.disable_recursion_pending();
      } else {
        by_name_.emplace(name, it->path());
      }
    }
  }
  fs::path root_;
  bool looked_ = false;
  std::multimap<std::string, fs::path> by_name_;
};

class Loader {
 public:
  explicit Loader(const FilesToLoad& wanted)
      : shown_root_(wanted.sources[0].parent_path()),
        root_(own_tree(wanted.sources[0])),
        tree_(root_),
        trust_(wanted.trust),
        text_(wanted.text) {
    std::error_code ignored;
    main_folder_ = fs::weakly_canonical(fs::absolute(wanted.sources[0], ignored), ignored).parent_path();
    for (const fs::path& folder : wanted.include_folders)
      include_folders_.push_back(fs::weakly_canonical(fs::absolute(folder, ignored), ignored));
    named_folders_ = include_folders_;
    for (const fs::path& source : wanted.sources)
      named_folders_.push_back(fs::weakly_canonical(fs::absolute(source, ignored), ignored).parent_path());
  }
  Status add_source(const fs::path& file);
  ProgramFiles take() { return std::move(all_); }

 private:
  int load(const fs::path& path, const std::string& name);
  void follow(int file);
  fs::path resolve(const ProgramFile& from, const SourceInclude& include, bool& outside);
  bool is_own(const fs::path& real) const;
  std::string shown(const fs::path& path) const;
  void refuse(const ProgramFile& file, const SourceInclude& include, Message message);

  fs::path shown_root_, main_folder_, root_;
  std::vector<fs::path> include_folders_, named_folders_;  // those of -I; and of everything that was named
  Tree tree_;
  bool trust_;
  std::optional<std::string> text_;  // of the first source, in place of its file's
  ProgramFiles all_;
  std::map<fs::path, int> known_;
};

// As the reader would write it: from the folder that the program was named in.
std::string Loader::shown(const fs::path& path) const {
  const fs::path relative = path.lexically_relative(main_folder_);
  if (relative.empty()) return path.string();
  return (shown_root_ / relative).lexically_normal().string();
}

void Loader::refuse(const ProgramFile& file, const SourceInclude& include, Message message) {
  Diagnostic one;
  one.file = file.name, one.line = include.line, one.column = include.column;
  one.message = std::move(message);
  all_.refused.push_back(std::move(one));
}

int Loader::load(const fs::path& path, const std::string& name) {
  if (const auto known = known_.find(path); known != known_.end()) return known->second;
  if (all_.files.size() >= kMostFiles) return -1;
  const bool given = text_ && all_.files.empty();
  const auto bytes =
      given ? Result<std::vector<std::uint8_t>>(std::vector<std::uint8_t>(text_->begin(), text_->end()))
            : read_file(path, kLargestFile);
  if (!bytes) return -1;
  const int index = int(all_.files.size());
  known_[path] = index;
  ProgramFile file;
  file.name = name, file.path = path, file.text.assign(bytes->begin(), bytes->end());
  all_.files.push_back(std::move(file));
  follow(index);
  all_.order.push_back(index);
  return index;
}

void Loader::follow(int index) {
  const std::vector<SourceInclude> includes = includes_of(all_.files[std::size_t(index)].text);
  for (const SourceInclude& include : includes) {
    const ProgramFile& from = all_.files[std::size_t(index)];
    if (include.embeds) {
      refuse(from, include, {"#embed is not supported here", {}});
      continue;
    }
    bool outside = false;
    const fs::path path = resolve(from, include, outside);
    if (outside) {
      refuse(from, include,
             {"{0} may not be included: it lies outside of the program's own folder {1}; --trust allows it",
              {include.name, root_.string()}});
      continue;
    }
    if (path.empty()) continue;
    if (const int file = load(path, shown(path)); file >= 0)
      all_.files[std::size_t(index)].includes[include.begin] = file;
  }
}

bool Loader::is_own(const fs::path& real) const {
  return trust_ || is_below(real, root_) ||
         std::any_of(named_folders_.begin(), named_folders_.end(),
                     [&](const fs::path& folder) { return is_below(real, folder); });
}

// The file that is meant; "" where that is the compiler's business.
fs::path Loader::resolve(const ProgramFile& from, const SourceInclude& include, bool& outside) {
  std::error_code error;
  const fs::path name = include.name;
  const auto checked = [&](const fs::path& path) -> fs::path {
    const fs::path real = fs::canonical(path, error);
    if (error) return {};
    outside = !is_own(real);
    return real;
  };
  if (name.is_absolute()) {
    const bool system = is_below(name.lexically_normal(), "/usr/include");
    outside = !system && !is_own(fs::weakly_canonical(name, error));
    return system || outside ? fs::path() : fs::canonical(name, error);
  }
  for (const fs::path& folder : {from.path.parent_path(), main_folder_}) {
    if (!fs::is_regular_file(folder / name, error)) continue;
    if (!include.quoted && (is_own_header(include.name) || is_system_header(include.name))) break;
    const fs::path real = checked(folder / name);
    if (outside && is_own_header(name.filename().string())) {
      outside = false;
      break;
    }
    return real;
  }
  for (const fs::path& folder : include_folders_)
    if (fs::is_regular_file(folder / name, error)) return checked(folder / name);
  if (is_own_header(include.name) || is_system_header(include.name)) return {};
  const fs::path found = tree_.find(name, from.path.parent_path());
  if (found.empty()) return {};
  return checked(found);
}

Status Loader::add_source(const fs::path& file) {
  std::error_code error;
  const bool given = text_ && all_.files.empty();
  const fs::path real =
      given ? fs::weakly_canonical(fs::absolute(file, error), error) : fs::canonical(file, error);
  if (!given && (error || !fs::is_regular_file(real, error)))
    return bad_input("{0} cannot be read: there is no such file", {file.string()});
  if (const auto bytes = given ? Result<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{})
                               : read_file(real, kLargestFile);
      !bytes)
    return bytes.error();
  const int index = load(real, file.string());
  if (index < 0) return bad_input("{0} cannot be read: there are too many files", {file.string()});
  all_.files[std::size_t(index)].is_c = real.extension() == ".c";
  all_.sources.push_back(index);
  return Unit{};
}

}  // namespace

fs::path own_tree(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error), error).parent_path();
  const fs::path above = folder.parent_path();
  const fs::path home = home_folder();
  std::set<fs::path> shared{"/",    "/tmp", "/home",  "/root", "/var", "/var/tmp",
                            "/usr", "/mnt", "/media", "/opt",  "/srv"};
  if (!home.empty()) shared.insert({home, home.parent_path()});
  return shared.contains(above) || shared.contains(folder) || above == folder ? folder : above;
}

Result<ProgramFiles> load_program_files(const FilesToLoad& wanted) {
  if (wanted.sources.empty()) return bad_input("no program was named");
  Loader loader(wanted);
  for (const fs::path& source : wanted.sources)
    if (Status added = loader.add_source(source); !added) return added.error();
  return loader.take();
}

}  // namespace lockstep::reader
