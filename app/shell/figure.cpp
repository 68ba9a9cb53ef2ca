#include "figure.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/draw/canvas_figure.hpp"
#include "app/draw/canvas_scaled.hpp"
#include "app/draw/canvas_story.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/draw/head_figures.hpp"
#include "app/draw/ladder_strip.hpp"
#include "app/model/portable.hpp"
#include "figure_caption.hpp"
#include "figure_paper.hpp"
#include "font_subset.hpp"
#include "view_program.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kMargin = 12, kGap = 18;  // logical px
constexpr double kPxPerMm = 96 / 25.4, kPtPerPx = 0.75, kDotsPerPx = 300.0 / 96;
constexpr double kLeastPt = 6;                          // the smallest type that a reader of print takes
constexpr float kUsualType = 10.5f;                     // the window's smallest, in logical px
constexpr float kStageWidth = 980, kStageHeight = 600;  // where a stage draws all of its parts

// A part of the window that can stand on a page of its own.
struct Panel {
  std::string name, title;
  std::function<float(Canvas&, float)> height;  // that it needs at a width
  std::function<void(Canvas&, Rect)> draw;
  bool stretches = false;  // is drawn into whatever height it gets
};

// Where a drawing goes that is only asked what it would be.
SvgCanvas scratch_canvas() { return {4000, 4000, Color{}}; }

bool fits(const std::function<void(Canvas&)>& draw) {
  SvgCanvas scratch = scratch_canvas();
  FigureCanvas canvas(scratch);
  draw(canvas);
  return canvas.shortened().empty();
}

// --- the panels

// A narrow stage is higher than wide: what stands side by side in the window stands below each other there.
float stage_height(float width) { return std::max(std::min(width * 1.3f, 540.f), width * 0.62f); }

Panel stage_panel(App& app) {
  return {"stage", tr("Stage"), [](Canvas&, float width) { return stage_height(width); },
          [&app](Canvas& canvas, Rect r) {
            constexpr float kBleed = 20;  // of the air that a stage leaves around itself in the window
            canvas.push_clip({r.x - kMargin, r.y - kMargin, r.w + 2 * kMargin, r.h + 2 * kMargin});
            draw_stage_picture(canvas, app, {r.x - kBleed, r.y - kMargin, r.w + 2 * kBleed, r.h + kMargin});
            canvas.pop_clip();
          },
          true};
}

// As many beside each other as fit whole.
int headline_columns(const std::vector<HeadFigure>& figures, const Theme& theme, float width) {
  for (int columns = int(figures.size()); columns > 1; --columns) {
    bool whole = true;
    for (std::size_t i = 0; i < figures.size(); i += std::size_t(columns)) {
      const auto row = std::span(figures).subspan(i, std::min(std::size_t(columns), figures.size() - i));
      whole &= fits([&](Canvas& canvas) { draw_head_figures(canvas, theme, {0, 0, width, 60}, row); });
    }
    if (whole) return columns;
  }
  return 1;
}

Panel headline_panel(App& app) {
  const auto rows_at = [&app](float width) {
    const auto figures = headline_of(app);
    const int columns = headline_columns(figures, app.theme(), width);
    std::vector<std::vector<HeadFigure>> rows;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      if (i % std::size_t(columns) == 0) rows.emplace_back();
      rows.back().push_back(figures[i]);
    }
    return rows;
  };
  return {"headline", tr("Headline"),
          [&app, rows_at](Canvas&, float width) {
            return float(rows_at(width).size()) * head_figures_height(app.theme());
          },
          [&app, rows_at](Canvas& canvas, Rect r) {
            r.h = head_figures_height(app.theme());
            for (const auto& row : rows_at(r.w)) draw_head_figures(canvas, app.theme(), r, row), r.y += r.h;
          }};
}

Panel sentence_panel(App& app) {
  const auto style = [&app] {
    const Theme theme = app.theme();
    return TextStyle{Font::words, 12.5f * theme.type, theme.ink};
  };
  constexpr float kLine = 18;
  return {"sentence", tr("What this step does"),
          [&app, style](Canvas& canvas, float width) {
            int lines = 0;
            for (const std::string& text : step_sentences(app))
              lines += canvas.count_lines(text, style(), width);
            return float(lines) * kLine * app.theme().type;
          },
          [&app, style](Canvas& canvas, Rect r) {
            for (const std::string& text : step_sentences(app))
              r.y += canvas.text_wrap({r.x, r.y}, text, style(), r.w, kLine * app.theme().type);
          }};
}

// What of the stage can stand alone, at the height that it has there.
void add_parts(App& app, std::vector<Panel>& panels) {
  SvgCanvas scratch = scratch_canvas();
  FigureCanvas stage(scratch);
  const Rect whole{0, 0, kStageWidth, kStageHeight};
  draw_stage_picture(stage, app, whole);
  const auto title = [](bool river) {
    return tr(river ? N_("Where the bytes went") : N_("Levels of memory"));
  };
  for (const auto& [name, at] : stage.parts())
    panels.push_back({name, title(name == "river"), [height = at.h](Canvas&, float) { return height; },
                      [&app, whole, part = name](Canvas& canvas, Rect r) {
                        FigureCanvas alone(canvas);
                        alone.draw_only(part, r);
                        draw_stage_picture(alone, app, whole);
                      }});
}

Panel ladder_panel(App& app) {
  return {"ladder", tr("Ladder"),
          [&app](Canvas& canvas, float width) {
            return ladder_list_height(canvas, app.theme(), width, ladder_strip_of(app));
          },
          [&app](Canvas& canvas, Rect r) { draw_ladder_list(canvas, app.theme(), r, ladder_strip_of(app)); }};
}

Panel code_panel(App& app) {
  return {"code", tr("Code"),
          [&app](Canvas& canvas, float width) { return source_panel_height(canvas, app, width); },
          [&app](Canvas& canvas, Rect r) { draw_source_panel(canvas, app, r); }};
}

void add_cards(App& app, std::vector<Panel>& panels) {
  panels.push_back(
      {"numbers", app.compared() ? tr("Differences") : tr("Numbers"),
       [&app](Canvas& canvas, float width) { return numbers_height(canvas, app, width, app.theme()); },
       [&app](Canvas& canvas, Rect r) { draw_numbers(canvas, app, r, app.theme()); }});
  if (knows_occupancy(app))
    panels.push_back(
        {"occupancy", tr("Occupancy"),
         [&app](Canvas& canvas, float width) { return occupancy_height(canvas, app, width, app.theme()); },
         [&app](Canvas& canvas, Rect r) { draw_occupancy(canvas, app, r, app.theme()); }});
  if (roofline_height(app, app.theme()) > 0)
    panels.push_back({"roofline", tr("Roofline"),
                      [&app](Canvas&, float width) {
                        return std::max(roofline_height(app, app.theme()), std::min(width * 0.8f, 360.f));
                      },
                      [&app](Canvas& canvas, Rect r) { draw_roofline_panel(canvas, app, r, app.theme()); }});
}

// Cards below each other, or in two columns where those have room; `place` gets each with its area. Returns
// the height of all.
float place_cards(const std::vector<LabPanel>& cards, const Theme& theme, Rect r,
                  const std::function<void(const LabPanel&, Rect)>& place) {
  const int columns = cards.size() > 1 ? card_columns(r.w, theme) : 1;
  const float w = columns == 2 ? (r.w - kColumnGap) / 2 : r.w;
  float y = r.y, row = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const int column = int(i) % columns;
    const float h = lab_panel_height(cards[i], theme);
    place(cards[i], {r.x + float(column) * (w + kColumnGap), y, w, h});
    row = std::max(row, h);
    if (column == columns - 1 || i + 1 == cards.size()) y += row, row = 0;
  }
  return y - r.y;
}

// The lab's own cards, and all of them together.
void add_lab_panels(App& app, std::vector<Panel>& panels) {
  const auto own = app.scene()->panels({}, app.theme());
  if (own.empty()) return;
  panels.push_back({"curves", tr(app.scene()->panels_title()),
                    [&app, own](Canvas&, float width) {
                      return place_cards(own, app.theme(), {0, 0, width, 0}, [](const LabPanel&, Rect) {});
                    },
                    [&app, own](Canvas& canvas, Rect r) {
                      place_cards(own, app.theme(), r, [&](const LabPanel& card, Rect at) {
                        draw_lab_panel(canvas, card, at, app.theme());
                      });
                    }});
  for (const LabPanel& panel : own)
    panels.push_back(
        {panel.id, tr(panel.title),
         [&app, panel](Canvas&, float) { return lab_panel_height(panel, app.theme()); },
         [&app, panel](Canvas& canvas, Rect r) { draw_lab_panel(canvas, panel, r, app.theme()); }});
}

// Of a reader's program.
std::vector<Panel> program_panels(App& app) {
  const auto text_height = [&app](Canvas&, float) {
    constexpr float kRows = 34;  // of the program, around its chosen line
    return std::min(kRows, float(app.program()->edit.lines()) + 2) * 20 * app.theme().type + 60;
  };
  return {{"stage", tr("Stage"), [](Canvas&, float width) { return stage_height(width) * 1.1f; },
           [&app](Canvas& canvas, Rect r) {
             constexpr float kBleed = 24;  // of the air that it leaves around itself in the window
             draw_program_stage(canvas, *app.program(),
                                {r.x - kBleed, r.y - kMargin, r.w + 2 * kBleed, r.h + kMargin}, app.theme());
           },
           true},
          {"code", tr("The program"), text_height,
           [&app](Canvas& canvas, Rect r) { draw_editor(canvas, *app.program(), r, app.theme(), false); }},
          {"launches", tr("Launches"), [&app](Canvas&, float) { return 78 * app.theme().type; },
           [&app](Canvas& canvas, Rect r) { draw_launches(canvas, *app.program(), r, app.theme()); }}};
}

std::vector<Panel> panels_of(App& app) {
  if (app.shows_program()) return program_panels(app);
  std::vector<Panel> panels;
  if (app.has_steps()) {
    panels.push_back(stage_panel(app));
    if (!headline_of(app).empty()) panels.push_back(headline_panel(app));
    panels.push_back(sentence_panel(app));
    add_parts(app, panels);
  }
  if (app.info().rungs.size() > 1) panels.push_back(ladder_panel(app));
  if (!app.code_text().lines.empty()) panels.push_back(code_panel(app));
  if (app.run()) add_cards(app, panels), add_lab_panels(app, panels);
  return panels;
}

// --- the page

struct Page {
  std::vector<const Panel*> panels;
  FigureCaption caption;
  float width = 0, height = 0;  // logical px
};

float inner_width(const Page& page) { return page.width - 2 * kMargin; }

// What all but the panels takes.
float around(const Page& page, Canvas& canvas, const Theme& theme) {
  return 2 * kMargin + kGap * float(page.panels.size()) +
         caption_height(canvas, page.caption, inner_width(page), theme);
}

float natural_height(const Page& page, Canvas& canvas, const Theme& theme) {
  float height = around(page, canvas, theme);
  for (const Panel* panel : page.panels) height += panel->height(canvas, inner_width(page));
  return std::ceil(height);
}

void draw_page(const Page& page, Canvas& canvas, const Theme& theme) {
  float fixed = around(page, canvas, theme), stretching = 0;
  for (const Panel* panel : page.panels)
    panel->stretches ? void(++stretching) : void(fixed += panel->height(canvas, inner_width(page)));
  Rect r{kMargin, kMargin, inner_width(page), 0};
  for (const Panel* panel : page.panels) {
    r.h = panel->stretches ? (page.height - fixed) / stretching : panel->height(canvas, r.w);
    canvas.landmark(panel->name, r);  // for a question that keeps something back
    panel->draw(canvas, r);
    r.y += r.h + kGap;
  }
  r.h = page.height - kMargin - r.y;
  draw_caption(canvas, page.caption, r, theme);
}

struct Trial {
  float smallest = 0;   // type, logical px
  std::size_t cut = 0;  // texts that were shortened
};

Trial try_page(const Page& page, const Theme& theme) {
  SvgCanvas scratch = scratch_canvas();
  FigureCanvas canvas(scratch);
  draw_page(page, canvas, theme);
  return {canvas.smallest_type(), canvas.shortened().size()};
}

// A page that is `width` px wide on paper is laid out so wide that its smallest type is `least_pt` there;
// wider, with smaller type, only where something would be cut off otherwise.
Page lay_out_page(Page page, double width, const Theme& theme, double least_pt = kLeastPt) {
  constexpr float kWider = 1.08f;
  constexpr int kTries = 7;  // down to 0.63 of it
  SvgCanvas scratch = scratch_canvas();
  page.width = float(width * kPtPerPx / least_pt) * kUsualType * theme.type;
  page.height = natural_height(page, scratch, theme);
  if (const float smallest = try_page(page, theme).smallest; smallest > 0)
    page.width = float(width * kPtPerPx / least_pt) * smallest;
  const float legible = page.width;
  for (int i = 0; i < kTries; ++i, page.width *= kWider) {
    page.height = natural_height(page, scratch, theme);
    if (try_page(page, theme).cut == 0) return page;
  }
  page.width = legible;  // spans of a timeline never have room for all their names
  page.height = natural_height(page, scratch, theme);
  return page;
}

double width_px(const FigureOptions& o) {
  if (o.size) return o.size->first;
  return o.width.mm ? o.width.amount * kPxPerMm : o.width.amount;
}

// "85mm", "51.4mm": what the file says of its size. Two decimals are a hundredth of a millimetre.
std::string on_paper(double px, const FigureOptions& o) {
  const bool mm = o.width.mm && !o.size;
  return fixed_text(std::round((mm ? px / kPxPerMm : px) * 100) / 100) + (mm ? "mm" : "px");
}

Result<std::vector<const Panel*>> chosen(const std::vector<Panel>& all,
                                         const std::vector<std::string>& names) {
  std::vector<const Panel*> panels;
  for (const std::string& name : names) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const Panel& p) { return p.name == name; });
    if (at == all.end()) {
      std::string known;
      for (const Panel& panel : all) known += (known.empty() ? "" : ", ") + panel.name;
      return bad_input("there is no panel '{0}' here; this lab has {1}", {name, known});
    }
    panels.push_back(&*at);
  }
  return panels;
}

// --- the files

Result<std::vector<std::uint8_t>> svg_of(const Page& page, const FigureOptions& o, const Theme& theme) {
  using TextAs = SvgCanvas::TextAs;
  SvgCanvas paper(page.width, page.height, theme.ground,
                  o.outlines ? TextAs::outlines : TextAs::text_in_own_fonts);
  FigureCanvas canvas(paper);
  draw_page(page, canvas, theme);
  const double px = width_px(o);
  paper.set_paper_size(on_paper(px, o), on_paper(px / page.width * page.height, o));
  const std::string text = paper.finish(o.outlines ? "" : own_fonts_css(paper.characters()));
  return std::vector<std::uint8_t>(text.begin(), text.end());
}

PaperSheet sheet_of(const Page& page, const FigureOptions& o, const Theme& theme) {
  PaperSheet sheet{page.width, page.height, 1, theme.ground, o.outlines, page.caption.title, {}};
  sheet.draw = [&page, &theme](Canvas& paper) {
    FigureCanvas canvas(paper);
    draw_page(page, canvas, theme);
  };
  return sheet;
}

Result<std::vector<std::uint8_t>> pdf_of(const Page& page, const FigureOptions& o, const Theme& theme) {
  PaperSheet sheet = sheet_of(page, o, theme);
  sheet.scale = width_px(o) * kPtPerPx / page.width;
  return pdf_file(sheet);
}

Result<std::vector<std::uint8_t>> png_of(const Page& page, const FigureOptions& o, const Theme& theme) {
  constexpr double kLargest = 32767;  // cairo's
  const double dots = o.scale > 0 ? double(o.scale) : o.width.mm && !o.size ? kDotsPerPx : 1;
  PaperSheet sheet = sheet_of(page, o, theme);
  sheet.scale = width_px(o) * dots / page.width;
  if (std::max(page.width, page.height) * sheet.scale > kLargest)
    return bad_input("a picture of {0} x {1} pixels is too large: it can have {2} in each direction",
                     {std::to_string(std::lround(page.width * sheet.scale)),
                      std::to_string(std::lround(page.height * sheet.scale)), std::to_string(int(kLargest))});
  return png_file(sheet);
}

// The ground of everything; nothing where it is the theme's own.
Color ground_of(const FigureOptions& o, const Theme& theme) {
  const FigureGround ground = o.ground.value_or(theme.dark ? FigureGround::dark : FigureGround::white);
  return ground == FigureGround::white  ? Color::hex(0xFFFFFF)
         : ground == FigureGround::dark ? dark_theme().ground
                                        : theme.ground;
}

}  // namespace

std::vector<std::string> figure_panels(App& app) {
  std::vector<std::string> names;
  for (const Panel& panel : panels_of(app)) names.push_back(panel.name);
  return names;
}

std::string figure_panel_title(App& app, const std::string& name) {
  for (const Panel& panel : panels_of(app))
    if (panel.name == name) return panel.title;
  return name;
}

namespace {

// What a page of this width takes when its stages have half of what they like.
float least_height(const Page& page) {
  SvgCanvas scratch = scratch_canvas();
  float least = page.height;
  for (const Panel* panel : page.panels)
    if (panel->stretches) least -= panel->height(scratch, inner_width(page)) / 2;
  return least;
}

}  // namespace

Result<float> place_figure(Canvas& canvas, App& app, const FigureOptions& o, Rect r, const StoryMask& mask,
                           bool draws) {
  app.paper = ground_of(o, app.theme());
  const auto all = panels_of(app);
  auto panels = chosen(all, o.panels);
  if (!panels) return panels.error();
  const Theme theme = app.theme();
  Page page{std::move(*panels), caption_of(app, o, "figure.svg")};
  page = lay_out_page(std::move(page), r.w, theme);
  float scale = r.w / page.width;
  page.height = std::clamp(r.h / scale, least_height(page), page.height);
  scale = std::min(scale, r.h / page.height);
  if (!draws) return page.height * scale;
  const Vec2 corner{r.x + (r.w - page.width * scale) / 2, r.y};
  ScaledCanvas placed(canvas, scale, corner);
  FigureCanvas figure(placed);
  StoryCanvas told(figure, mask);
  draw_page(page, told, theme);
  told.draw_veils(theme, hidden_words());
  return page.height * scale;
}

Result<ScreenFigure> screen_figure(App& app, const std::vector<std::string>& names, int width,
                                   const StoryMask& mask) {
  app.paper.reset();
  app.paper = app.theme().panel;
  const auto all = panels_of(app);
  auto panels = chosen(all, names);
  if (!panels) return panels.error();
  const Theme theme = app.theme();
  const Page page = lay_out_page({std::move(*panels), {}}, width, theme, double(kUsualType) * kPtPerPx);
  SvgCanvas paper(page.width, page.height, theme.ground, SvgCanvas::TextAs::text_in_own_fonts);
  FigureCanvas figure(paper);
  StoryCanvas told(figure, mask);
  draw_page(page, told, theme);
  told.draw_veils(theme, hidden_words());
  const double height = double(width) * double(page.height) / double(page.width);
  paper.set_paper_size(std::to_string(width), std::to_string(std::lround(height)));
  return ScreenFigure{paper.finish(own_fonts_css(paper.characters())), width, int(std::lround(height))};
}

FigureCaption screen_caption(App& app, const std::vector<std::string>& panels) {
  FigureOptions options;
  options.panels = panels;
  return caption_of(app, options, "figure.svg");
}

Result<Figure> draw_figure(App& app, const FigureOptions& o, const std::filesystem::path& file) {
  app.paper = ground_of(o, app.theme());
  const auto all = panels_of(app);
  auto panels = chosen(all, o.panels);
  if (!panels) return panels.error();
  const Theme theme = app.theme();
  Page page{std::move(*panels), caption_of(app, o, file.filename().string())};
  page = lay_out_page(std::move(page), width_px(o), theme);
  if (o.size) {
    const float height = page.width * float(o.size->second) / float(o.size->first);
    const bool stretches =
        std::any_of(page.panels.begin(), page.panels.end(), [](auto* p) { return p->stretches; });
    const float least = least_height(page);
    if (height < least)
      return bad_input("{0} x {1} px are too low for these panels: at this width they need {2} px",
                       {std::to_string(o.size->first), std::to_string(o.size->second),
                        std::to_string(std::lround(std::ceil(least * float(o.size->first) / page.width)))});
    page.height = stretches ? height : std::max(height, page.height);
  }
  const auto ending = file.extension();
  auto bytes = ending == ".svg"   ? svg_of(page, o, theme)
               : ending == ".pdf" ? pdf_of(page, o, theme)
                                  : png_of(page, o, theme);
  if (!bytes) return bytes.error();
  return Figure{std::move(*bytes),
                double(try_page(page, theme).smallest) * width_px(o) / page.width * kPtPerPx};
}

std::vector<std::string> figure_flags(const FigureOptions& o, const AppState& state) {
  std::string names;
  for (const std::string& name : o.panels) names += (names.empty() ? "" : ",") + name;
  std::vector<std::string> flags{"--panel", names};
  const auto add = [&](const char* flag, const std::string& value) {
    flags.insert(flags.end(), {flag, value});
  };
  if (o.size)
    add("--size", std::to_string(o.size->first) + "x" + std::to_string(o.size->second));
  else
    add("--width", shortest_text(o.width.amount) + (o.width.mm ? "mm" : "px"));
  const FigureGround usual = state.dark ? FigureGround::dark : FigureGround::white;
  constexpr const char* names_of_grounds[] = {"white", "theme", "dark"};
  if (const FigureGround ground = o.ground.value_or(usual); ground != usual)
    add("--ground", names_of_grounds[int(ground)]);
  if (o.scale > 0) add("--scale", shortest_text(double(o.scale)));
  if (o.outlines) flags.emplace_back("--outlines");
  for (const std::string& folder : o.recordings) add("--recordings", folder);
  return flags;
}

}  // namespace lockstep
