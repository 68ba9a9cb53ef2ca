// "Save picture" in the window: a panel as a figure, by the same code as `lockstep shot --panel`.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "figure.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

// One that a figure may change: the same state and runs, without a runner.
std::unique_ptr<App> app_for_figure(const App& app) {
  auto figure = std::make_unique<App>(app.state(), nullptr);
  figure->timed_without_runner = app.timed();
  figure->plain_source = app.plain_source;
  if (!app.scene()) return figure;
  figure->show(app.scene()->shared_run());
  if (app.compared()) figure->compare(app.compared()->shared_run());
  figure->go_to(app.state().step);
  if (app.state().pinned) figure->pin(app.state().pinned);
  figure->look_at(app.state().timeline);
  return figure;
}

constexpr float kTremor = 4;  // px that a click may move

}  // namespace

void App::open_pictures(const std::string& panel) {
  if (!scene_) return;
  const auto figure = app_for_figure(*this);
  open_menu(MenuKind::picture);
  for (const std::string& name : figure_panels(*figure)) {
    if (name == panel) menu.row = int(menu.pictures.size());
    menu.pictures.push_back({"panel/" + name, figure_panel_title(*figure, name), "", name});
  }
}

void App::open_save_picture(const std::string& panel) {
  picture_panel = panel;
  open_menu(MenuKind::save_picture);
  menu.edit = TextEdit(default_file_name(state_, "-" + panel + ".svg"));
}

void App::pointer_right(Vec2 at, bool down) {
  const auto pressed = std::exchange(right_press_, down ? std::optional(at) : std::nullopt);
  if (down || !pressed || std::hypot(at.x - pressed->x, at.y - pressed->y) > kTremor || takes_keys()) return;
  for (const auto& [panel, area] : panel_areas)
    if (area.contains(at)) return open_pictures(panel);
}

bool App::save_picture(const std::string& panel, const std::string& typed) {
  const std::filesystem::path file = typed_path(typed);
  const auto ending = file.extension();
  if (ending != ".svg" && ending != ".pdf" && ending != ".png")
    return failed(
        bad_input("{0} is not the name of a picture: it has to end in .svg, .pdf or .png", {typed}));
  const auto copy = app_for_figure(*this);
  FigureOptions options;
  options.panels = {panel};
  const auto figure = draw_figure(*copy, options, file);
  if (!figure) return failed(figure.error());
  if (const Status written = write_file_atomically(file, figure->bytes); !written)
    return failed(written.error());
  notice = Message{"saved as {0}", {typed}};
  return true;
}

}  // namespace lockstep
