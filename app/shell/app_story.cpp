// The lab's story: which scene is told, how it sets the lab, and what was answered.
#include <algorithm>

#include "app.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

SceneFile scene_file(const Story& story, const StoryScene& scene, const Request& request) {
  SceneFile file;
  file.lab = story.lab, file.rung = request.rung, file.settings = scene.setup.settings;
  file.block = request.block, file.warp = request.warp;
  file.at = scene.setup.at;
  return file;
}

}  // namespace

void App::tell_stories(std::vector<std::filesystem::path> folders, RunSources sources) {
  story_folders_ = std::move(folders), story_sources_ = std::move(sources);
  RunSources used = story_sources_;
  if (!used.recorded && runner_)
    used.recorded = [runner = runner_](const std::string& lab, const std::string& rung) {
      return runner->recorded_runs(lab, rung);
    };
  if (!desk_) tab = "story";
  desk_ = std::make_unique<StoryDesk>(story_folders_, state_.language, std::move(used));
}

int App::story_scene() const {
  const int scenes = int(story()->scenes.size());
  if (state_.story_scene >= 0) return std::min(state_.story_scene, scenes - 1);
  const auto kept = settings_.stories.find(story()->slug);
  if (kept == settings_.stories.end()) return 0;
  for (int i = 0; i < scenes; ++i)
    if (std::size_t(i) >= kept->second.size() || kept->second[std::size_t(i)].empty()) return i;
  return 0;
}

// What was half answered belongs to the scene before.
void App::settle_story() {
  answer_fault.reset(), story_hint = false;
  if (typing_of(Typing::Of::answer)) typing.reset();
}

bool App::enter_story_scene(int scene) {
  const Story* told = story();
  if (!told || scene < 0 || scene >= int(told->scenes.size())) return false;
  const StoryScene& entered = told->scenes[std::size_t(scene)];
  const auto request = scene_request(told->lab, entered.setup);
  if (!request) return failed(request.error());
  SceneFile file = scene_file(*told, entered, *request);
  if (!open_scene(file)) {  // a run on the stage without this step: the scene is told all the same
    banner.reset(), file.at.reset();
    if (!open_scene(file)) return false;
  }
  if (state_.engine != request->engine && request->engine != EngineKind::automatic)
    state_.engine = request->engine, changed(true);
  state_.story_scene = scene;
  if (!entered.ask && kept_reply().empty()) keep_reply("?");  // what asks nothing is read, and done
  right_scroll = 0;
  settle_story();
  return true;
}

void App::story_scene_by(int scenes) {
  if (!story()) return;
  const bool entered = state_.story_scene >= 0;
  const int last = int(story()->scenes.size()) - 1;
  enter_story_scene(entered ? std::clamp(story_scene() + scenes, 0, last) : story_scene());
}

// A lab that opens for the first time opens with its story; the change that opened it is taken back with it.
void App::begin_story() {
  if (!story() || !state_.saved.empty()) return;
  const std::vector<AppState> before = undo_;
  enter_story_scene(story_scene());
  undo_ = before;
}

bool App::stage_shows_scene() const {
  if (!story() || state_.story_scene < 0 || !state_.saved.empty()) return false;
  const SceneSetup& setup = told_scene().setup;
  const auto request = scene_request(state_.lab, setup);
  if (!request || request->rung != state_.rung || request->params != state_.params ||
      request->block != state_.block)
    return false;
  if (!has_steps() || !setup.at) return true;
  const int step = scene_->axis().step_of(*setup.at);
  return step < 0 || step == state_.step;
}

StageNow App::stage_now() const {
  StageNow now;
  if (!state_.saved.empty()) return now;
  if (numbers_are() == Numbers::current) now.run = scene_->shared_run();
  const bool comes = runner_ && (run_due_ || runner_->busy());
  if (!now.run && comes && !state_.home) now.awaited = request();
  return now;
}

std::string App::kept_reply() const {
  const auto kept = settings_.stories.find(story()->slug);
  const auto scene = std::size_t(story_scene());
  return kept == settings_.stories.end() || scene >= kept->second.size() ? "" : kept->second[scene];
}

void App::keep_reply(const std::string& reply) {
  auto& kept = settings_.stories[story()->slug];
  kept.resize(std::max(kept.size(), story()->scenes.size()));
  kept[std::size_t(story_scene())] = reply;
  settle_story();
  constexpr float kToTheEnd = 1e6f;
  right_scroll = kToTheEnd;  // where the why and what follows stand
}

StoryReply App::story_reply() const { return read_reply(kept_reply()); }

const SceneWords& App::scene_words() {
  return desk_->words(*story(), std::size_t(story_scene()), kept_reply(), stage_now());
}

std::string App::hidden_answer() {
  const bool asks = story() && told_scene().ask && told_scene().ask->kind == Ask::Kind::number;
  if (!asks || !kept_reply().empty() || !stage_shows_scene()) return "";
  const SceneWords& told = scene_words();
  return told.of_the_run ? told.answer.substr(0, told.answer.find(' ')) : "";
}

void App::answer_story(const std::string& typed) {
  if (!story() || !told_scene().ask || !kept_reply().empty()) return;
  const auto judged = desk_->judge(*story(), std::size_t(story_scene()), typed, stage_now());
  if (judged.kind == Verdict::Kind::right) return keep_reply("+" + typed);
  if (judged.kind == Verdict::Kind::wrong) return keep_reply("-" + typed);
  answer_fault = judged.reason;
}

void App::give_answer() {
  if (!typing_of(Typing::Of::answer)) return;
  const std::string typed = typing->edit.text();
  answer_story(typed);
  if (typing)
    typing->wrong = answer_fault;  // it stays, to be put right
  else                             // the field is gone; who typed goes on by the keyboard
    wanted_focus = story_scene() + 1 < int(story()->scenes.size()) ? "story/next" : "tab/story";
}

void App::show_story_answer() {
  if (story() && kept_reply().empty()) keep_reply("?");
}

StoryDesk::Judged App::story_setting() {
  if (!scene_ || numbers_are() != Numbers::current || run()->request.lab != state_.lab)
    return {Verdict::Kind::not_understood, msg("The run is under way.")};
  const Ask* ask = &*told_scene().ask;
  SettingJudged& known = setting_judged_;
  if (desk_->waiting() || known.ask != ask || known.run != scene_->shared_run() || known.step != state_.step)
    known = {ask, scene_->shared_run(), state_.step, desk_->judge_setting(*ask, *scene_, view())};
  return known.judged;
}

App::StoryProgress App::story_progress(const std::string& lab) const {
  const Story* told = story_of(lab);
  if (!told) return {};
  StoryProgress progress{0, int(told->scenes.size())};
  if (const auto kept = settings_.stories.find(told->slug); kept != settings_.stories.end())
    for (std::size_t i = 0; i < std::min(kept->second.size(), told->scenes.size()); ++i)
      progress.done += !kept->second[i].empty();
  return progress;
}

void App::forget_stories() {
  settings_.stories.clear(), settle_story();
  notice = msg("the story progress is forgotten");
}

// A question that asks to set the lab is answered by the reader's run.
bool App::tick_story() {
  if (!desk_) return false;
  if (auto wanted = desk_->take_wanted(); !wanted.empty()) runner_->start_soon(std::move(wanted));
  const bool sets = !state_.home && story() && state_.story_scene >= 0 && told_scene().ask &&
                    told_scene().ask->kind == Ask::Kind::set && kept_reply().empty();
  if (!sets || story_setting().kind != Verdict::Kind::right) return false;
  keep_reply("+");
  return true;
}

}  // namespace lockstep
