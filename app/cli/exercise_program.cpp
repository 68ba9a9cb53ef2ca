// exercise start NAME, exercise check NAME FILE.cu: "write this kernel" without the window.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/print.hpp"
#include "app/draw/language.hpp"
#include "app/platform/files.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLargestProgram = 1 << 20;

// The exercise's part that asks for a program.
Result<const ExercisePart*> program_part(const Exercise& exercise) {
  for (const ExercisePart& part : exercise.parts)
    if (part.kind == PartKind::program) return &part;
  return bad_input("'{0}' asks for no program", {exercise.slug});
}

Result<DrawnExercise> drawn_for(const Exercise& exercise, const ExerciseArguments& arguments) {
  const auto seed = seed_from_code(arguments.seed.value_or(""));
  if (!seed) return bad_input("--seed takes a code as in K7QM-2T9X, not '{0}'", {*arguments.seed});
  return draw_exercise(exercise, *seed);
}

}  // namespace

Outcome start_program(const ExerciseArguments& arguments) {
  if (!arguments.subject)
    return bad_input("start needs the name of an exercise, as in `lockstep exercise start map`");
  const auto folders = folders_with_exercises(arguments);
  if (!folders) return folders.error();
  const auto exercise = chosen_exercise(arguments, *arguments.subject);
  if (!exercise) return exercise.error();
  const auto part = program_part(*exercise);
  if (!part) return part.error();
  const auto text = exercise_judge(*folders)->starting_text((*part)->program);
  if (!text) return text.error();
  const fs::path path = arguments.output.value_or((*part)->program + ".cu");
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    return bad_input("{0} exists and stays as it is; choose another name", {path.string()});
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text->data());
  if (Status written = write_file_atomically(path, {bytes, text->size()}); !written) return written.error();
  std::cout << path.string() << std::endl;
  return Exit::done;
}

Outcome check_program(const ExerciseArguments& arguments) {
  const auto folders = folders_with_exercises(arguments);
  if (!folders) return folders.error();
  const auto exercise = chosen_exercise(arguments, *arguments.subject);
  if (!exercise) return exercise.error();
  const auto part = program_part(*exercise);
  if (!part) return part.error();
  const auto drawn = drawn_for(*exercise, arguments);
  if (!drawn) return drawn.error();
  const auto bytes = read_file(*arguments.program, kLargestProgram);
  if (!bytes) return bytes.error();
  const std::string text(bytes->begin(), bytes->end());
  const auto verdict = exercise_judge(*folders)->judge((*part)->program, text, drawn->values);
  if (!verdict) return verdict.error();
  if (arguments.json) {
    Json json{{"verdict", word_of(verdict->kind)}, {"reason", tr(verdict->reason)}, {"more", Json::array()}};
    for (const Message& sentence : verdict->more) json["more"].push_back(tr(sentence));
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  } else {
    std::cout << one_line(tr(verdict->reason)) << "\n";
    for (const Message& sentence : verdict->more) std::cout << "  " << one_line(tr(sentence)) << "\n";
  }
  std::cout << std::flush;
  if (verdict->kind == Verdict::Kind::not_understood) return Exit::bad_input;
  return verdict->kind == Verdict::Kind::right ? Exit::done : Exit::check_failed;
}

}  // namespace lockstep
