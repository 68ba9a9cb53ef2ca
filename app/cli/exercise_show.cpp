// exercise show: one exercise as text, with the numbers of one seed.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/exercise_verbs.hpp"
#include "app/cli/session.hpp"
#include "app/platform/paths.hpp"
#include "app/stories/story_text.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

class PartWriter {
 public:
  PartWriter(const DrawnExercise& drawn, std::size_t part, StoryFigures& figures)
      : staged_(drawn, part, nullptr, figures), all_(drawn.values, &staged_) {}

  std::string text(const InlineText& pieces) {
    auto computed = computed_text(pieces, all_);
    if (computed) return *computed;
    if (!fault) fault = computed.error();
    return "";
  }
  Json texts(const std::vector<Paragraph>& paragraphs) {
    Json all = Json::array();
    for (const Paragraph& one : paragraphs) all.push_back((one.bullet ? "- " : "") + text(one.pieces));
    return all;
  }
  FigureSource& staged() { return staged_; }

  std::optional<Error> fault;

 private:
  PartFigures staged_;
  DrawnFigures all_;
};

Json values_json(const Params& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& x) { json[key] = x; }, value);
  return json;
}

Json scene_json(const PartScene& scene) {
  if (!scene.setup) return nullptr;
  Json json{{"lab", scene.lab}, {"rung", scene.setup->rung}, {"set", scene.setup->settings}};
  if (scene.setup->at) json["at"] = to_text(*scene.setup->at);
  if (!scene.setup->frame.empty()) json["frame"] = scene.setup->frame;
  return json;
}

// What helps with the answer: for the teacher alone.
void add_solution(const DrawnExercise& drawn, std::size_t i, PartWriter& write, Json& json) {
  const ExercisePart& part = drawn.exercise->parts[i];
  json["hints"] = Json::array();
  for (const InlineText& hint : part.hints) json["hints"].push_back(write.text(hint));
  const bool answered =
      part.kind != PartKind::program && part.kind != PartKind::text && part.kind != PartKind::set;
  if (part.kind == PartKind::set) json["answer"] = part.ask.answer->text();
  if (answered) {
    auto answer = right_part_answer(drawn, i, write.staged());
    if (answer)
      json["answer"] = *answer;
    else if (answer.error().exit == Exit::unavailable)
      json["answer"] = tr("(not answerable here, because {0})", {tr(answer.error().message)});
    else if (!write.fault)
      write.fault = answer.error();
  }
  json["why"] = write.texts(part.why);
}

Result<Json> part_json(const DrawnExercise& drawn, std::size_t i, bool solution, StoryFigures& figures) {
  const ExercisePart& part = drawn.exercise->parts[i];
  PartWriter write(drawn, i, figures);
  Json json{{"id", part.id}, {"title", part.title}, {"kind", name_of(part.kind)}};
  json["scene"] = scene_json(scene_of_part(drawn, i));
  json["text"] = write.texts(part.text);
  json["question"] = write.text(part.ask.question);
  if (!part.ask.unit.empty()) json["unit"] = part.ask.unit;
  if (part.ask.tolerance)
    json["tolerance"] = {{"size", part.ask.tolerance->size}, {"percent", part.ask.tolerance->percent}};
  if (!drawn.options[i].empty()) json["options"] = Json::array();
  for (const std::size_t option : drawn.options[i])
    json["options"].push_back(write.text(part.ask.options[option].text));
  if (!part.reason.empty()) json["reason"] = write.text(part.reason);
  if (!part.program.empty()) json["task"] = part.program;
  if (solution) add_solution(drawn, i, write, json);
  if (write.fault) return bad_input("{0}:{1}", {drawn.exercise->file.string(), write.fault->text()});
  return json;
}

void print_texts(const Json& texts, const char* before) {
  for (const Json& text : texts) std::cout << before << text.get<std::string>() << "\n";
}

void print_part(const Json& part, std::size_t number) {
  std::cout << "\n"
            << number << "  " << part["title"].get<std::string>() << "  (" << part["id"].get<std::string>()
            << ")\n";
  print_texts(part["text"], "  ");
  std::cout << "\n  ? " << part["question"].get<std::string>() << "\n";
  int place = 0;
  if (part.contains("options"))
    for (const Json& option : part["options"])
      std::cout << "    " << ++place << "  " << option.get<std::string>() << "\n";
  if (part.contains("reason")) std::cout << "    " << part["reason"].get<std::string>() << "\n";
  if (part.contains("hints"))
    for (const Json& hint : part["hints"]) std::cout << "    " << tr("hint: {0}", {hint}) << "\n";
  if (part.contains("answer")) std::cout << "    " << tr("answer: {0}", {part["answer"]}) << "\n";
  if (part.contains("why") && !part["why"].empty()) {
    std::cout << "\n";
    print_texts(part["why"], "  ");
  }
}

}  // namespace

Outcome show_exercise(const ExerciseArguments& arguments) {
  if (!arguments.subject)
    return bad_input("show needs an exercise: see `lockstep exercise list`, or give a file");
  auto language = parse_language(arguments);
  if (!language) return language.error();
  if (*language == Language::chinese) (void)use_language(*language, assets_folder() / "locale").ok();
  auto exercise = chosen_exercise(arguments, *arguments.subject);
  if (!exercise) return exercise.error();
  const auto seed = seed_from_code(arguments.seed.value_or(""));
  if (!seed) return bad_input("--seed takes a code as in K7QM-2T9X, not '{0}'", {*arguments.seed});
  auto drawn = draw_exercise(*exercise, *seed);
  if (!drawn) return bad_input("{0}:{1}", {exercise->file.string(), drawn.error().text()});
  auto recordings = folders_of(arguments);
  if (!recordings) return recordings.error();
  Session session(*recordings);
  const auto recording = make_recording_engine(*recordings);
  StoryFigures figures(
      {[&](const Request& request) { return session.run(request); },
       [&](const std::string& lab, const std::string& rung) { return recording->recorded(lab, rung); }});

  Json all{{"slug", exercise->slug},         {"title", exercise->title},
           {"lab", exercise->lab},           {"seed", seed_code(*seed)},
           {"language", exercise->language}, {"values", values_json(drawn->values)}};
  PartWriter front(*drawn, 0, figures);
  all["text"] = front.texts(exercise->text);
  if (front.fault) return bad_input("{0}:{1}", {exercise->file.string(), front.fault->text()});
  all["parts"] = Json::array();
  for (std::size_t i = 0; i < exercise->parts.size(); ++i) {
    auto part = part_json(*drawn, i, arguments.solutions, figures);
    if (!part) return part.error();
    all["parts"].push_back(std::move(*part));
  }
  if (arguments.json) {
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
    return Exit::done;
  }
  std::cout << exercise->title << "\n\n";
  print_texts(all["text"], "  ");
  for (std::size_t i = 0; i < all["parts"].size(); ++i) print_part(all["parts"][i], i + 1);
  std::cout << std::flush;
  return Exit::done;
}

}  // namespace lockstep
