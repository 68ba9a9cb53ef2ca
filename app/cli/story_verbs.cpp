#include "app/cli/story_verbs.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/print.hpp"
#include "app/cli/session.hpp"
#include "app/draw/language.hpp"
#include "app/platform/paths.hpp"
#include "app/stories/answer.hpp"
#include "app/stories/markdown.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "app/stories/words.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> kLanguages{"en", "zh"};
constexpr std::int64_t kMostSceneNumber = std::int64_t(kMaxScenes);

Result<std::string> language_of(const StoryArguments& arguments) {
  auto language = parse_word("--lang", arguments.language.value_or("en"), kLanguages);
  if (!language) return language.error();
  // Without the catalogue the program's own words stay English; the story is what was asked for.
  if (*language == 1) (void)use_language(Language::chinese, assets_folder() / "locale").ok();
  return std::string(kLanguages[*language]);
}

void complain_of(const std::vector<Error>& faults) {
  for (const Error& fault : faults) std::cerr << "lockstep: " << one_line(fault.text()) << "\n";
}

// A file, or a story by the name of its file or of its lab.
Result<Story> chosen_story(const StoryArguments& arguments, const std::string& language) {
  const std::string& name = *arguments.lab;
  if (name.ends_with(".md")) return load_story(name);
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  StoryShelf shelf = load_stories(*folders, language);
  std::vector<std::string> known;
  for (const bool by_slug : {true, false})
    for (Story& story : shelf.stories) {
      if ((by_slug ? story.slug : story.lab) == name) return std::move(story);
      if (by_slug) known.push_back(story.slug);
    }
  for (Story& claim : shelf.claims) {
    if (claim.slug == name) return std::move(claim);
    known.push_back(claim.slug);
  }
  for (const Error& fault : shelf.faults)
    if (fault.text().find("/" + name + ".md:") != std::string::npos) return fault;
  complain_of(shelf.faults);
  return unknown_word("story", name, known);
}

Json story_head(const Story& story) {
  return {{"slug", story.slug},         {"lab", story.lab},
          {"title", story.title},       {"minutes", story.minutes ? Json(story.minutes) : Json(nullptr)},
          {"after", story.after},       {"language", story.language},
          {"file", story.file.string()}};
}

Outcome list_stories(const StoryArguments& arguments, const std::string& language) {
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  const StoryShelf shelf = load_stories(*folders, language);
  complain_of(shelf.faults);
  if (arguments.json) {
    Json all = Json::array();
    for (const Story& story : shelf.stories) {
      all.push_back(story_head(story));
      all.back()["scenes"] = story.scenes.size();
    }
    Json claims = Json::array();
    for (const Story& claim : shelf.claims) claims.push_back(story_head(claim));
    std::cout << Json{{"stories", std::move(all)}, {"claims", std::move(claims)}}.dump(2) << std::endl;
  } else {
    std::vector<std::vector<std::string>> rows;
    for (const Story& story : shelf.stories)
      rows.push_back({story.slug, tr("{0} scenes", {std::to_string(story.scenes.size())}),
                      story.minutes ? tr("{0} min", {std::to_string(story.minutes)}) : "", story.title});
    std::cout << table(rows);
    rows.clear();
    for (const Story& claim : shelf.claims) rows.push_back({claim.slug, claim.lab, claim.title});
    if (!rows.empty()) std::cout << "\n" << tr("Claims put to the test") << "\n" << table(rows);
    std::cout << std::flush;
  }
  return shelf.faults.empty() ? Exit::done : Exit::bad_input;
}

// --- one story, computed

const char* name_of(Ask::Kind kind) {
  return kind == Ask::Kind::number ? "number" : kind == Ask::Kind::choice ? "choice" : "set";
}
const char* name_of(Verdict::Kind kind) {
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

// Texts of a scene; the first mistake of the author's ends it.
class SceneWriter {
 public:
  explicit SceneWriter(FigureSource& figures) : figures_(figures) {}

  std::string text(const InlineText& pieces) {
    auto computed = computed_text(pieces, figures_);
    if (computed) return *computed;
    keep(computed.error());
    return "";
  }
  Json texts(const std::vector<Paragraph>& paragraphs) {
    Json all = Json::array();
    for (const Paragraph& one : paragraphs)
      all.push_back((one.bullet ? "- " : "") + (one.label.empty() ? "" : "[" + one.label + "] ") +
                    text(one.pieces));
    return all;
  }
  std::string answer(const Ask& ask) {
    auto right = right_answer(ask, figures_);
    if (right) return *right;
    if (right.error().exit == Exit::unavailable)
      return tr("(not answerable here, because {0})", {tr(right.error().message)});
    keep(right.error());
    return "";
  }
  std::string tempting(const Expression& expression) {
    auto value = expression.evaluate(figures_);
    if (value) return format_figure(*value, {});
    if (value.error().exit != Exit::unavailable) keep(value.error());
    return expression.text();
  }
  void keep(const Error& error) {
    if (!fault) fault = error;
  }

  std::optional<Error> fault;

 private:
  FigureSource& figures_;
};

Json ask_json(const Ask& ask, SceneWriter& write) {
  Json json{
      {"kind", name_of(ask.kind)}, {"question", write.text(ask.question)}, {"answer", write.answer(ask)}};
  if (!ask.unit.empty()) json["unit"] = ask.unit;
  if (ask.tolerance) json["tolerance"] = {{"size", ask.tolerance->size}, {"percent", ask.tolerance->percent}};
  if (ask.kind == Ask::Kind::choice) json["options"] = Json::array();
  for (const Option& option : ask.options)
    json["options"].push_back({{"text", write.text(option.text)}, {"right", option.right}});
  json["tempting"] = Json::array();
  for (const Tempting& one : ask.tempting)
    json["tempting"].push_back({{"answer", write.tempting(one.answer)}, {"why", write.text(one.why)}});
  if (!ask.hint.empty()) json["hint"] = write.text(ask.hint);
  return json;
}

Json setup_json(const Story& story, const SceneSetup& setup, const StoryFigures& figures) {
  Json json{
      {"lab", setup.lab.empty() ? story.lab : setup.lab}, {"rung", setup.rung}, {"set", setup.settings}};
  if (!setup.engine.empty()) json["engine"] = setup.engine;
  if (setup.at) json["at"] = to_text(*setup.at);
  if (figures.scene()) json["step"] = figures.view().step;
  if (setup.warp) json["warp"] = *setup.warp;
  if (setup.block) json["block"] = *setup.block;
  if (!setup.frame.empty()) json["frame"] = setup.frame;
  return json;
}

// The scene's run is shown first. One that cannot be had is no fault: its figures say so.
Status put_on_stage(const Story& story, const StoryScene& scene, StoryFigures& figures) {
  const Status shown = figures.show(story.lab, scene.setup);
  return shown || shown.error().exit == Exit::unavailable ? Status(Unit{}) : shown;
}

Result<Json> scene_json(const Story& story, const StoryScene& scene, StoryFigures& figures) {
  if (Status shown = put_on_stage(story, scene, figures); !shown) return shown.error();
  SceneWriter write(figures);
  Json json{{"title", scene.title}, {"scene", setup_json(story, scene.setup, figures)}};
  json["text"] = write.texts(scene.text);
  json["ask"] = scene.ask ? ask_json(*scene.ask, write) : Json(nullptr);
  json["why"] = write.texts(scene.why);
  if (write.fault) return *write.fault;
  return json;
}

void print_paragraphs(const Json& texts) {
  for (const Json& text : texts) std::cout << "  " << text.get<std::string>() << "\n";
}

void print_ask(const Json& ask) {
  std::cout << "\n  ? " << ask["question"].get<std::string>() << "\n";
  int number = 0;
  if (ask.contains("options"))
    for (const Json& option : ask["options"])
      std::cout << "    " << ++number << "  " << option["text"].get<std::string>() << "\n";
  if (ask.contains("hint")) std::cout << "    " << tr("hint: {0}", {ask["hint"]}) << "\n";
  std::cout << "    " << tr("answer: {0}", {ask["answer"]}) << "\n";
  for (const Json& one : ask["tempting"])
    std::cout << "    " << tr("tempting: {0}: {1}", {one["answer"], one["why"]}) << "\n";
  std::cout << "\n";
}

void print_scene(const Json& scene, std::size_t number) {
  const Json& setup = scene["scene"];
  std::cout << "\n" << number << "  " << scene["title"].get<std::string>() << "\n";
  std::string state = setup["lab"].get<std::string>();
  if (setup["rung"] != "") state += "/" + setup["rung"].get<std::string>();
  for (const Json& setting : setup["set"]) state += "  " + setting.get<std::string>();
  if (setup.contains("at")) state += "  " + setup["at"].get<std::string>();
  if (setup.contains("frame")) state += "  [" + setup["frame"].get<std::string>() + "]";
  std::cout << "  (" << state << ")\n\n";
  print_paragraphs(scene["text"]);
  if (!scene["ask"].is_null()) print_ask(scene["ask"]);
  print_paragraphs(scene["why"]);
}

Error in_file(const Story& story, const Error& error) {
  return bad_input("{0}:{1}", {story.file.string(), error.text()});
}

Outcome print_story(const Story& story, std::optional<std::size_t> only, bool json, StoryFigures& figures) {
  Json all = story_head(story);
  all["scenes"] = Json::array();
  if (!json) std::cout << story.title << "  (" << story.lab << ")\n";
  for (std::size_t i = 0; i < story.scenes.size(); ++i) {
    if (only && *only != i) continue;
    auto scene = scene_json(story, story.scenes[i], figures);
    if (!scene) return in_file(story, scene.error());
    if (json)
      all["scenes"].push_back(std::move(*scene));
    else
      print_scene(*scene, i + 1);
  }
  if (json) std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace);
  std::cout << std::endl;
  return Exit::done;
}

Exit exit_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::right:
      return Exit::done;
    case Verdict::Kind::wrong:
      return Exit::check_failed;
    case Verdict::Kind::not_understood:
      return Exit::bad_input;
    default:
      return Exit::unavailable;
  }
}

Outcome judge(const Story& story, std::size_t number, const StoryArguments& arguments,
              StoryFigures& figures) {
  const StoryScene& scene = story.scenes[number];
  if (!scene.ask) return bad_input("scene {0} asks nothing", {std::to_string(number + 1)});
  if (Status shown = put_on_stage(story, scene, figures); !shown) return in_file(story, shown.error());
  const auto verdict = check_answer(*scene.ask, *arguments.answer, figures);
  if (!verdict) return in_file(story, verdict.error());
  std::string why;
  if (verdict->why) {
    auto text = computed_text(*verdict->why, figures);
    if (!text) return in_file(story, text.error());
    why = *text;
  }
  if (arguments.json) {
    Json json{{"verdict", name_of(verdict->kind)}, {"reason", tr(verdict->reason)}};
    if (!why.empty()) json["why"] = why;
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    std::cout << tr(verdict->reason) << (why.empty() ? "" : " " + why) << std::endl;
  }
  return exit_of(verdict->kind);
}

}  // namespace

Result<std::vector<fs::path>> folders_with_stories(const ShotArguments& arguments) {
  std::error_code error;
  for (const std::string& folder : arguments.stories)
    if (!fs::is_directory(folder, error))
      return bad_input("--stories takes a folder, and '{0}' is not one", {folder});
  return story_folders({arguments.stories.begin(), arguments.stories.end()});
}

RunSources sources_of(const Engines& engines) {
  const Engines* all = &engines;
  return {[all](const Request& request) {
            return run_request(*all, request, [](const Progress&) { return true; });
          },
          [all](const std::string& lab, const std::string& rung) {
            return all->recording ? all->recording->recorded(lab, rung) : std::vector<Run>{};
          }};
}

Outcome tell_story(const StoryArguments& arguments) {
  auto language = language_of(arguments);
  if (!language) return language.error();
  if (arguments.answer && !arguments.number) return bad_input("--answer needs --scene N: which question?");
  if (!arguments.lab) return list_stories(arguments, *language);
  auto story = chosen_story(arguments, *language);
  if (!story) return story.error();
  std::optional<std::size_t> only;
  if (arguments.number) {
    auto number = parse_whole("--scene", *arguments.number, 1,
                              std::min(kMostSceneNumber, std::int64_t(story->scenes.size())));
    if (!number) return number.error();
    only = std::size_t(*number - 1);
  }
  auto folders = folders_of(arguments);
  if (!folders) return folders.error();
  Session session(*folders);
  const auto recording = make_recording_engine(*folders);
  StoryFigures figures(
      {[&](const Request& request) { return session.run(request); },
       [&](const std::string& lab, const std::string& rung) { return recording->recorded(lab, rung); }});
  return arguments.answer ? judge(*story, *only, arguments, figures)
                          : print_story(*story, only, arguments.json, figures);
}

Outcome list_words(const StoryArguments& arguments) {
  auto language = language_of(arguments);
  if (!language) return language.error();
  auto folders = folders_with_stories(arguments);
  if (!folders) return folders.error();
  auto words = load_words(*folders, *language);
  if (!words) return words.error();
  const auto no_figure = [](const Inline&) { return std::string(); };
  Json all = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Word& word : *words) {
    const std::string sentence = plain_text(word.sentence, no_figure);
    all.push_back({{"name", word.name},
                   {"term", word.term},
                   {"also", word.also},
                   {"picture", word.picture.empty() ? Json(nullptr) : Json(word.picture)},
                   {"sentence", sentence}});
    rows.push_back({word.term, sentence});
  }
  if (arguments.json)
    std::cout << Json{{"words", std::move(all)}}.dump(2) << std::endl;
  else
    for (const auto& row : rows) std::cout << row[0] << "\n  " << row[1] << "\n";
  std::cout << std::flush;
  return Exit::done;
}

}  // namespace lockstep
