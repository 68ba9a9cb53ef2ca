// exercise check, exercise grade: result files worked out anew.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/print.hpp"
#include "app/cli/session.hpp"
#include "app/stories/exercise_reader.hpp"
#include "app/stories/grading.hpp"
#include "app/stories/story_text.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostFiles = 20000;
constexpr int kCheckedSeeds = 200;  // of an exercise that an author wrote

// Engines, figures and exercises for all files of a command; each run is made once.
class Grader {
 public:
  static Result<std::unique_ptr<Grader>> make(const ExerciseArguments& arguments) {
    auto recordings = folders_of(arguments);
    if (!recordings) return recordings.error();
    auto folders = folders_with_exercises(arguments);
    if (!folders) return folders.error();
    return std::unique_ptr<Grader>(new Grader(arguments, *recordings, *folders));
  }

  Result<GradedFile> grade(const fs::path& file) {
    auto answers = load_answers(file);
    if (!answers) return answers.error();
    auto exercise = exercise_of(answers->exercise);
    if (!exercise) return exercise.error();
    auto graded = grade_answers(**exercise, std::move(*answers), file.string(), figures_, judge_.get());
    if (!graded) return bad_input("{0}:{1}", {(*exercise)->file.string(), graded.error().text()});
    graded->doubts = doubts_of(*graded, **exercise);
    return graded;
  }

  void compare(std::vector<GradedFile>& files) { compare_files(exercises_, files, figures_); }
  StoryFigures& figures() { return figures_; }

 private:
  Grader(const ExerciseArguments& arguments, const std::vector<fs::path>& recordings,
         const std::vector<fs::path>& folders)
      : arguments_(arguments),
        session_(recordings),
        recording_(make_recording_engine(recordings)),
        figures_({[this](const Request& request) { return session_.run(request); },
                  [this](const std::string& lab, const std::string& rung) { return recorded(lab, rung); }}),
        judge_(exercise_judge(folders)) {}

  // Read once: a class asks for the same recordings hundreds of times.
  const std::vector<Run>& recorded(const std::string& lab, const std::string& rung) {
    const auto known = recorded_.find({lab, rung});
    if (known != recorded_.end()) return known->second;
    return recorded_.emplace(std::pair(lab, rung), recording_->recorded(lab, rung)).first->second;
  }

  // By the slug of the file: a name of ours and nothing that could lead elsewhere.
  Result<const Exercise*> exercise_of(const std::string& slug) {
    const auto known = exercises_.find(slug);
    if (known != exercises_.end()) return &known->second;
    if (slug.empty() || slug.ends_with(".md")) return bad_input("there is no exercise '{0}'", {slug});
    auto exercise = chosen_exercise(arguments_, slug);
    if (!exercise) return exercise.error();
    return &exercises_.emplace(slug, std::move(*exercise)).first->second;
  }

  const ExerciseArguments& arguments_;
  Session session_;
  std::unique_ptr<Engine> recording_;
  std::map<std::pair<std::string, std::string>, std::vector<Run>> recorded_;
  StoryFigures figures_;
  std::unique_ptr<ProgramJudge> judge_;
  std::map<std::string, Exercise> exercises_;
};

Json graded_json(const GradedFile& graded) {
  Json json{{"file", graded.file},
            {"exercise", graded.answers.exercise},
            {"name", graded.answers.name},
            {"seed", seed_code(graded.answers.seed)},
            {"version", graded.answers.version},
            {"right", graded.right},
            {"of", graded.graded}};
  json["parts"] = Json::array();
  for (const PartResult& part : graded.parts) {
    Json one{{"id", part.id},
             {"verdict", part.answered ? word_of(part.kind) : "missing"},
             {"reason", part.reason.text()}};
    if (!part.why.empty()) one["why"] = part.why;
    if (!part.graded) one["graded"] = false;
    const PartRecord* record = graded.answers.find(part.id);
    one["attempts"] = record ? record->attempts.size() : 0;
    one["hints"] = record ? record->hints : 0;
    json["parts"].push_back(std::move(one));
  }
  json["doubts"] = Json::array();
  for (const Doubt& doubt : graded.doubts) json["doubts"].push_back(doubt.text());
  return json;
}

std::string doubts_text(const GradedFile& graded) {
  std::string all;
  for (const Doubt& doubt : graded.doubts) all += (all.empty() ? "" : "; ") + doubt.text();
  return all;
}

void print_graded(const GradedFile& graded) {
  std::cout << graded.answers.exercise << "  " << graded.answers.name << "  "
            << seed_code(graded.answers.seed) << "\n";
  std::vector<std::vector<std::string>> rows;
  for (const PartResult& part : graded.parts)
    rows.push_back({"  " + part.id, part.answered ? word_of(part.kind) : "missing",
                    one_line(part.reason.text() + (part.why.empty() ? "" : " " + part.why))});
  std::cout << table(rows) << "  "
            << tr("{0} of {1} right", {std::to_string(graded.right), std::to_string(graded.graded)}) << "\n";
  for (const Doubt& doubt : graded.doubts) std::cout << "  ! " << one_line(doubt.text()) << "\n";
}

// A cell of a table that a spreadsheet opens: quoted where it must be, and never the beginning of a formula.
std::string cell(std::string text) {
  text = one_line(text);
  if (!text.empty() && std::string_view("=+-@\t").find(text[0]) != std::string_view::npos)
    text.insert(0, "'");
  if (text.find_first_of("\",;\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void print_csv(const std::vector<GradedFile>& files,
               const std::vector<std::pair<std::string, Error>>& broken) {
  std::cout << "file,name,code,exercise,right,of,attempts,hints,wrong parts,doubts\n";
  for (const GradedFile& file : files) {
    std::size_t attempts = 0;
    int hints = 0;
    for (const PartRecord& record : file.answers.parts)
      attempts += record.attempts.size(), hints += record.hints;
    std::string wrong;
    for (const PartResult& part : file.parts)
      if (part.graded && part.kind != Verdict::Kind::right) wrong += (wrong.empty() ? "" : " ") + part.id;
    std::cout << cell(file.file) << "," << cell(file.answers.name) << "," << seed_code(file.answers.seed)
              << "," << cell(file.answers.exercise) << "," << file.right << "," << file.graded << ","
              << attempts << "," << hints << "," << cell(wrong) << "," << cell(doubts_text(file)) << "\n";
  }
  for (const auto& [file, error] : broken)
    std::cout << cell(file) << ",,,,,,,,," << cell(error.text()) << "\n";
  std::cout << std::flush;
}

// What an author wants to know of his file: that every seed can be answered.
Outcome check_exercise(const ExerciseArguments& arguments, Grader& grader) {
  auto exercise = load_exercise(*arguments.subject);
  if (!exercise) return exercise.error();
  int unanswerable = 0;
  for (int n = 0; n <= kCheckedSeeds; ++n) {
    const Seed seed = n == 0 ? Seed{} : student_seed("check", std::to_string(n));
    auto drawn = draw_exercise(*exercise, seed);
    const auto at = [&](const Error& error) {
      return bad_input("{0}:{1} (with the code {2})",
                       {exercise->file.string(), error.text(), seed_code(seed)});
    };
    if (!drawn) return at(drawn.error());
    for (std::size_t i = 0; i < exercise->parts.size(); ++i) {
      const ExercisePart& part = exercise->parts[i];
      const PartScene scene = scene_of_part(*drawn, i);
      if (scene.setup)
        if (auto fits = scene_request(scene.lab, *scene.setup); !fits) return at(fits.error());
      if (part.kind == PartKind::set || part.kind == PartKind::program || part.kind == PartKind::text)
        continue;
      PartFigures staged(*drawn, i, nullptr, grader.figures());
      auto answer = right_part_answer(*drawn, i, staged);
      if (!answer && answer.error().exit != Exit::unavailable) return at(answer.error());
      if (!answer) {
        ++unanswerable;
        continue;
      }
      auto verdict = check_part(*drawn, i, {*answer, "-"}, staged, nullptr);
      if (!verdict) return at(verdict.error());
      if (verdict->kind != Verdict::Kind::right)
        return at(bad_input("{0}:1: the right answer to '{1}' is refused: {2}",
                            {std::to_string(part.place.line), part.id, *answer}));
    }
  }
  std::cout << tr("{0}: {1} parts, right with {2} codes",
                  {exercise->slug, std::to_string(exercise->parts.size()), std::to_string(kCheckedSeeds)})
            << "\n";
  if (unanswerable > 0) std::cout << tr("some answers are not to be had on this machine") << "\n";
  std::cout << std::flush;
  return Exit::done;
}

std::vector<fs::path> result_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator() && files.size() < kMostFiles;
       entry.increment(error))
    if (entry->path().extension() == ".json" && entry->is_regular_file(error)) files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Outcome check_exercise_file(const ExerciseArguments& arguments) {
  if (!arguments.subject)
    return bad_input("check needs a file: a student's answers (.json), or an exercise that you wrote (.md)");
  auto passphrase = passphrase_of(arguments);
  if (!passphrase) return passphrase.error();
  auto grader = Grader::make(arguments);
  if (!grader) return grader.error();
  if (arguments.subject->ends_with(".md")) return check_exercise(arguments, **grader);
  auto graded = (*grader)->grade(*arguments.subject);
  if (!graded) return graded.error();
  if (*passphrase)
    if (auto doubt = doubt_of_seed(graded->answers, **passphrase)) graded->doubts.push_back(*doubt);
  if (arguments.json)
    std::cout << graded_json(*graded).dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  else
    print_graded(*graded);
  std::cout << std::flush;
  return graded->right == graded->graded && graded->doubts.empty() ? Exit::done : Exit::check_failed;
}

Outcome grade_folder(const ExerciseArguments& arguments) {
  std::error_code error;
  if (!arguments.subject || !fs::is_directory(*arguments.subject, error))
    return bad_input("grade needs the folder with your students' files");
  auto passphrase = passphrase_of(arguments);
  if (!passphrase) return passphrase.error();
  auto grader = Grader::make(arguments);
  if (!grader) return grader.error();
  std::vector<GradedFile> files;
  std::vector<std::pair<std::string, Error>> broken;
  for (const fs::path& file : result_files(*arguments.subject)) {
    auto graded = (*grader)->grade(file);
    if (!graded) {
      broken.emplace_back(file.string(), graded.error());
      continue;
    }
    if (*passphrase)
      if (auto doubt = doubt_of_seed(graded->answers, **passphrase)) graded->doubts.push_back(*doubt);
    files.push_back(std::move(*graded));
  }
  (*grader)->compare(files);
  const auto doubted =
      std::count_if(files.begin(), files.end(), [](const GradedFile& file) { return !file.doubts.empty(); });
  if (arguments.json) {
    Json all{{"files", Json::array()}, {"broken", Json::array()}};
    for (const GradedFile& file : files) all["files"].push_back(graded_json(file));
    for (const auto& [file, fault] : broken)
      all["broken"].push_back({{"file", file}, {"reason", fault.text()}});
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else if (arguments.csv) {
    print_csv(files, broken);
  } else {
    for (const GradedFile& file : files) print_graded(file);
    for (const auto& [file, fault] : broken)
      std::cout << one_line(file) << "\n  ! " << one_line(fault.text()) << "\n";
    std::cout << std::flush;
  }
  std::cerr << tr("{0} files; {1} do not belong together, {2} cannot be read",
                  {std::to_string(files.size() + broken.size()), std::to_string(doubted),
                   std::to_string(broken.size())})
            << "\n";
  if (!*passphrase)
    std::cerr << tr("without your passphrase nobody looked whether code and name belong together") << "\n";
  else
    std::cerr << tr("a code that fits a name shows who was given it, not who did the work") << "\n";
  return doubted == 0 && broken.empty() ? Exit::done : Exit::check_failed;
}

}  // namespace lockstep
