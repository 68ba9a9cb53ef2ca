// Scenes and files: what is copied, saved and opened. A scene that cannot be opened changes nothing.
#include <algorithm>
#include <cstdlib>

#include "app.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "program_desk.hpp"
#include "scene.hpp"
#include "scene_link.hpp"

namespace lockstep {
namespace {

// What a scene asks for, checked against the labs of this program.
Result<AppState> state_of(const SceneFile& scene, AppState state) {
  const Lab* lab = find_lab(scene.lab);
  if (!lab) return bad_input("the scene shows the lab {0}, which this program does not have", {scene.lab});
  const bool beside_rung = !scene.compare.empty() && !names_device(scene.compare);
  for (const std::string& rung : {scene.rung, beside_rung ? scene.compare : scene.rung})
    if (lab->info().rung_index(rung) < 0)
      return bad_input("the scene names the rung {1}, which the lab {0} does not have", {scene.lab, rung});
  Params given;
  for (const std::string& setting : scene.settings) {
    const auto parsed = parse_setting(lab->info(), setting);
    if (!parsed) return parsed.error();
    given[parsed->first] = parsed->second;
  }
  const auto params = complete_params(lab->info(), scene.rung, given);
  if (!params) return params.error();
  state.home = state.program = false, state.page = ListPage::none;
  state.lab = scene.lab, state.rung = scene.rung, state.params = *params;
  state.block = scene.block, state.warp = scene.warp, state.step = std::max(0, scene.step);
  state.compare = scene.compare == scene.rung ? "" : scene.compare;
  state.saved.clear();
  state.pinned = scene.pinned;
  state.timeline = scene.timeline.value_or(TimelineView{});
  state.dark = scene.dark.value_or(state.dark), state.projector = scene.projector.value_or(state.projector);
  state.language = scene.language.value_or(state.language);
  return state;
}

}  // namespace

bool App::failed(const Error& error) {
  banner = error.message;
  return false;
}

bool App::open_scene(const SceneFile& scene) {
  const auto next = state_of(scene, state_);
  if (!next) return failed(next.error());
  const bool same = scene_ && state_.saved.empty() && next->lab == run()->request.lab &&
                    next->rung == run()->request.rung && next->params == run()->request.params &&
                    next->block == run()->request.block;
  const auto named = same && scene.at ? step_named(*scene.at) : Result<int>(scene.step);
  if (!named) return failed(named.error());
  remember();
  if (!same) scene_.reset(), compared_.reset(), pending_.reset();
  banner.reset();
  apply(*next);
  fresh_ = !same && scene.step < 0 && !scene.at;
  if (same)
    state_.step = *named < 0 ? scene_->opening_step(state_.warp) : std::min(*named, last_step());
  else
    awaited_moment_ = scene.at, changed(true);
  return true;
}

bool App::open_link(const std::string& text) {
  const auto link = parse_scene_link(text);
  if (!link) return failed(link.error());
  if (link->scene) {
    if (!open_scene(*link->scene)) return false;
    state_.book.clear();
    if (const Story* told = story(); told && link->story_scene >= 0)
      state_.story_scene = std::min(link->story_scene, int(told->scenes.size()) - 1), tab = "story";
    return true;
  }
  if (!link->book.empty() && !open_book(link->book, link->story_scene))
    return failed(bad_input("the link leads to {0}, which this program does not have", {link->book}));
  if (link->home) link->page == ListPage::none ? go_home() : open_list(link->page);
  banner.reset();
  return true;
}

bool App::open_text(const std::string& text, const std::string& name) {
  if (looks_like_link(text)) return open_link(text);
  const auto scene = parse_scene(text, name);
  return scene ? open_scene(*scene) : failed(scene.error());
}

Result<Run> App::load(const std::string& typed) {
  if (!runner_) return unavailable("saved runs cannot be opened here");
  auto run = runner_->load(typed_path(typed));
  if (run && !find_lab(run->request.lab))
    return bad_input("{0} holds a run of the lab {1}, which this program does not have",
                     {typed, run->request.lab});
  return run;
}

bool App::open_file(const std::string& typed) {
  if (names_program(typed)) return open_program(typed);
  if (names_tour(typed)) return open_tour(typed_path(typed));
  if (!names_saved_run(typed)) {
    const auto scene = load_scene(typed_path(typed));
    return scene ? open_scene(*scene) : failed(scene.error());
  }
  auto run = load(typed);
  if (!run) return failed(run.error());
  banner.reset();
  keep_saved(typed, std::move(*run));
  show_saved(typed);
  return true;
}

bool App::open_beside(const std::string& typed) {
  if (!names_saved_run(typed))
    return failed(bad_input("{0} is not the name of a saved run: it has to end in .npz", {typed}));
  auto run = load(typed);
  if (!run) return failed(run.error());
  if (run->request.lab != state_.lab)
    return failed(bad_input("{0} holds a run of the lab {1}; only runs of {2} can stand beside this one",
                            {typed, run->request.lab, state_.lab}));
  keep_saved(typed, std::move(*run));
  set_compare(typed);
  return true;
}

bool App::save_scene(const std::string& typed) {
  const std::string text = scene_text(state_, moment());
  const Status written = write_file_atomically(
      typed_path(typed), {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  if (!written) return failed(written.error());
  notice = Message{"saved as {0}", {typed}};
  return true;
}

void App::copy_scene() {
  to_clipboard =
      page_address.empty() ? scene_text(state_, moment()) : page_address + "#" + scene_link(state_, moment());
  notice = page_address.empty() ? msg("the scene is copied") : msg("the link to this moment is copied");
}

void App::copy_command() {
  notice = Message{"the command is copied", {}};
  if (shows_program()) {
    to_clipboard = program_->shot_command(view_width, view_height, state_.dark);
    return;
  }
  to_clipboard =
      shot_command(state_, {view_width, view_height, view_scale}, default_file_name(state_, ".png"));
}

}  // namespace lockstep
