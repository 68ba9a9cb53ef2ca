#include "shot_app.hpp"

#include "app/draw/canvas_svg.hpp"
#include "lens.hpp"
#include "program_desk.hpp"
#include "view_notes.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

// Of a reader's program, where the options say.
std::unique_ptr<ProgramDesk> desk_for(const ShotOptions& o) {
  auto desk = std::make_unique<ProgramDesk>(nullptr, std::filesystem::path{});
  desk->open_text(o.program_file, o.program_text);
  desk->saved();
  desk->show(o.program);
  desk->focused = false, desk->motion = o.motion;
  if (o.launch >= 0) desk->choose_launch(o.launch);
  if (o.line > 0) desk->edit.go_to_line(o.line - 1), (void)desk->go_to_line(o.line);
  if (o.step >= 0) desk->go_to(o.step);
  desk->motion = o.motion;
  return desk;
}

}  // namespace

App app_for(const ShotOptions& o) {
  AppState state;
  const Request& request = o.run ? o.run->request : o.request;
  state.lab = request.lab, state.rung = request.rung, state.params = request.params;
  state.block = request.block, state.warp = request.warp;
  state.dark = o.dark, state.language = o.language, state.projector = o.projector;
  state.pinned = o.pinned, state.timeline = o.timeline, state.engine = o.engine;
  state.saved = o.run_name, state.compare = o.compare_name;
  state.home = o.home, state.page = o.page;
  App app(state, nullptr);
  app.read_from(o.bookshelf);
  app.view_width = o.width, app.view_height = o.height;
  if (o.program) app.show_desk(desk_for(o));
  app.engines_without_runner = o.engines;
  for (const Run& card : o.cards) app.show_card(card);
  app.timed_without_runner = o.timed;
  if (o.run) app.show(*o.run);
  if (o.compare) app.compare(*o.compare);
  if (o.home && !o.stories.empty()) app.tell_stories(o.stories, o.sources), app.give_exercises({});
  if (o.story > 0) {
    app.tell_stories(o.stories, o.sources), app.give_exercises({});
    if (o.tour)
      app.open_tour(*o.tour, o.story - 1);
    else
      o.book.empty() ? app.enter_story_scene(o.story - 1) : app.open_book(o.book, o.story - 1);
    if (!o.answer.empty()) app.answer_story(o.answer);
  }
  return app;
}

// Where the options say; an error where this run has no such step.
Status go_there(App& app, const ShotOptions& o) {
  if (o.at) {
    const auto named = app.step_named(*o.at);
    if (!named) return named.error();
    return app.go_to(*named), Status(Unit{});
  }
  if (o.step < 0 || !o.run) return Unit{};
  const std::string step = std::to_string(o.step);
  if (!app.has_steps()) return bad_input("--step {0} is not possible: this run has no steps", {step});
  if (o.step > app.last_step())
    return bad_input("--step {0} is not possible: this run has the steps 0 to {1}",
                     {step, std::to_string(app.last_step())});
  return app.go_to(o.step), Status(Unit{});
}

void draw_shot(Canvas& canvas, App& app, const ShotOptions& o) {
  const Rect window{0, 0, float(o.width), float(o.height)};
  o.notes ? draw_notes(canvas, app, window) : draw_app(canvas, app, window);
}

std::string svg_of_window(App& app, const ShotOptions& o) {
  SvgCanvas canvas(float(o.width), float(o.height), app.theme().ground);
  draw_shot(canvas, app, o);
  if (o.lens) draw_lens(canvas, app, {0, 0, float(o.width), float(o.height)}, *o.lens);
  return canvas.finish();
}

FigureOptions usual_figure(App& app, const ShotOptions& o) {
  FigureOptions figure;
  figure.size = {o.width, o.height}, figure.ground = FigureGround::theme, figure.scale = o.scale;
  const auto known = figure_panels(app);
  for (const char* name : {"headline", "stage", "sentence"})
    if (std::find(known.begin(), known.end(), name) != known.end()) figure.panels.emplace_back(name);
  if (figure.panels.empty()) figure.panels = {"numbers"};
  return figure;
}

}  // namespace lockstep
