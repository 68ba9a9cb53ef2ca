#include "app/cli/exercise_verbs.hpp"

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/kernel_judge.hpp"
#include "app/cli/print.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "app/stories/exercise_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxPassphraseBytes = 4096, kMaxNamesBytes = 1 << 20;

// What `exercise new` writes: every kind of line once, as docs/exercises.md explains them.
constexpr const char* kNewExercise = "exercises/new.txt";
constexpr std::uint64_t kMaxNewBytes = 64 << 10;

Result<std::string> first_line(const fs::path& file) {
  auto bytes = read_file(file, kMaxPassphraseBytes);
  if (!bytes) return bytes.error();
  std::string text(bytes->begin(), bytes->end());
  text.resize(std::min(text.size(), text.find_first_of("\r\n")));
  if (text.empty()) return bad_input("{0} has no first line: the passphrase stands there", {file.string()});
  return text;
}

Outcome list_exercises(const ExerciseArguments& arguments) {
  auto language = parse_language(arguments);
  if (!language) return language.error();
  auto folders = folders_with_exercises(arguments);
  if (!folders) return folders.error();
  const ExerciseShelf shelf = load_exercises(*folders, arguments.language.value_or("en"));
  for (const Error& fault : shelf.faults) std::cerr << "lockstep: " << one_line(fault.text()) << "\n";
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Exercise& one : shelf.exercises) {
    all.push_back({{"slug", one.slug},
                   {"number", one.number},
                   {"track", one.track},
                   {"lab", one.lab},
                   {"title", one.title},
                   {"minutes", one.minutes ? Json(one.minutes) : Json(nullptr)},
                   {"parts", one.parts.size()},
                   {"language", one.language},
                   {"file", one.file.string()}});
    rows.push_back({one.number, one.slug, one.track, std::to_string(one.parts.size()),
                    one.minutes ? tr("{0} min", {std::to_string(one.minutes)}) : "", one.title});
  }
  if (arguments.json)
    std::cout << Json{{"exercises", std::move(all)}}.dump(2, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  else
    std::cout << table(rows) << std::flush;
  return shelf.faults.empty() ? Exit::done : Exit::bad_input;
}

Outcome new_exercise(const ExerciseArguments& arguments) {
  if (!arguments.subject)
    return bad_input("new needs a name for the exercise, as in `lockstep exercise new my_exercise`");
  fs::path path = *arguments.subject;
  if (path.extension() != ".md") path += ".md";
  std::error_code error;
  if (fs::exists(path, error)) return bad_input("{0} is there already: choose another name", {path.string()});
  auto text = read_file(assets_folder() / kNewExercise, kMaxNewBytes);
  if (!text) return text.error();
  if (Status written = write_file_atomically(path, *text); !written) return written.error();
  std::cout << path.string() << std::endl;
  return Exit::done;
}

// Names as they are, and every line of a file.
Result<std::vector<std::string>> student_names(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& word : given) {
    if (!word.ends_with(".txt")) {
      names.push_back(word);
      continue;
    }
    auto bytes = read_file(word, kMaxNamesBytes);
    if (!bytes) return bytes.error();
    std::string line;
    for (const std::uint8_t byte : *bytes) {
      if (byte != '\n') {
        line += char(byte);
        continue;
      }
      if (!plain_name(line).empty()) names.push_back(plain_name(line));
      line.clear();
    }
    if (!plain_name(line).empty()) names.push_back(plain_name(line));
  }
  return names;
}

Outcome hand_out_codes(const ExerciseArguments& arguments) {
  auto passphrase = passphrase_of(arguments);
  if (!passphrase) return passphrase.error();
  if (!*passphrase)
    return bad_input(
        "codes need your passphrase: --passphrase-file FILE, or LOCKSTEP_PASSPHRASE in the environment");
  auto names = student_names(arguments.names);
  if (!names) return names.error();
  if (names->empty()) return bad_input("whose codes? Give names, or a .txt file with one in each line");
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : *names) {
    const std::string code = seed_code(student_seed(**passphrase, name));
    all.push_back({{"name", plain_name(name)}, {"code", code}});
    rows.push_back({code, plain_name(name)});
  }
  if (arguments.json)
    std::cout << Json{{"codes", std::move(all)}}.dump(2, ' ', false, Json::error_handler_t::replace)
              << std::endl;
  else
    std::cout << table(rows) << std::flush;
  return Exit::done;
}

}  // namespace

const char* word_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::right:
      return "right";
    case Verdict::Kind::wrong:
      return "wrong";
    case Verdict::Kind::not_understood:
      return "not_understood";
    default:
      return "unanswerable";
  }
}

std::unique_ptr<ProgramJudge> exercise_judge(const std::vector<fs::path>& folders) {
  return std::make_unique<KernelJudge>(folders);
}

Result<std::vector<fs::path>> folders_with_exercises(const ExerciseArguments& arguments) {
  std::error_code error;
  for (const std::string& folder : arguments.folders)
    if (!fs::is_directory(folder, error))
      return bad_input("--exercises takes a folder, and '{0}' is not one", {folder});
  return exercise_folders({arguments.folders.begin(), arguments.folders.end()});
}

Result<Exercise> chosen_exercise(const ExerciseArguments& arguments, const std::string& name) {
  if (name.ends_with(".md")) return load_exercise(name);
  auto folders = folders_with_exercises(arguments);
  if (!folders) return folders.error();
  ExerciseShelf shelf = load_exercises(*folders, arguments.language.value_or("en"));
  std::vector<std::string> known;
  for (Exercise& one : shelf.exercises) {
    if (one.slug == name || (!name.empty() && one.number == name && one.track.empty())) return std::move(one);
    known.push_back(one.slug);
  }
  for (const Error& fault : shelf.faults)
    if (fault.text().find("/" + name + ".md:") != std::string::npos) return fault;
  return unknown_word("exercise", name, known);
}

Result<std::optional<std::string>> passphrase_of(const ExerciseArguments& arguments) {
  if (arguments.passphrase_file) {
    auto line = first_line(*arguments.passphrase_file);
    if (!line) return line.error();
    return std::optional(std::move(*line));
  }
  const char* named = std::getenv("LOCKSTEP_PASSPHRASE");
  return named && *named ? std::optional<std::string>(named) : std::nullopt;
}

Outcome work_on_exercises(const ExerciseArguments& arguments) {
  using Work = ExerciseArguments::Work;
  switch (arguments.work) {
    case Work::show:
      return show_exercise(arguments);
    case Work::start:
      return start_program(arguments);
    case Work::check:
      return arguments.program ? check_program(arguments) : check_exercise_file(arguments);
    case Work::grade:
      return grade_folder(arguments);
    case Work::fresh:
      return new_exercise(arguments);
    case Work::codes:
      return hand_out_codes(arguments);
    default:
      return list_exercises(arguments);
  }
}

}  // namespace lockstep
