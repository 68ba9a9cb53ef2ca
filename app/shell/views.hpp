// The window's parts, all drawn on a Canvas: what is seen in the window, in a PNG and in an SVG is the same
// code.
#pragma once
#include "app.hpp"
#include "app/draw/ladder_strip.hpp"

namespace lockstep {

// The areas of LOOK: rail, top bar, ladder, right column, stepper; the stage takes the rest.
struct Layout {
  Rect rail, top, ladder, right, bottom, stage;
  bool folded = false;        // the rail shows initials only
  bool low = false;           // the ladder shows names and times alone
  float switches_height = 0;  // of the rail's lower end
};
Layout lay_out(const App& app, Rect window);

void draw_app(Canvas& canvas, App& app, Rect window);

// The stage for a room of people: headline, picture, sentence, one line of code, steps.
void draw_presentation(Canvas& canvas, App& app, Rect window);

// The home, right of the rail.
void draw_home(Canvas& canvas, App& app, Rect page);
std::string home_title();  // what stands large there
// What went wrong and what to do, until it is closed; returns the height it takes of the area's upper edge.
float draw_banner(Canvas& canvas, App& app, Rect r, const Theme& theme);
void draw_rail(Canvas& canvas, App& app, Rect r, bool folded);
void draw_top_bar(Canvas& canvas, App& app, Rect r);
void draw_program_bar(Canvas& canvas, App& app, Rect r);  // over a reader's own program
// The rungs with their recorded times; height 0 for a lab with one rung.
float ladder_height(const App& app, const Theme& theme, bool low);
// What this rung takes at the ladder's size: its share of the vendor's, or its time.
std::optional<HeadFigure> ladder_figure(const App& app);
void draw_ladder(Canvas& canvas, App& app, Rect r, bool low);
LadderStrip ladder_strip_of(const App& app);
// The card with its tabs, and the kernel below it.
void draw_right_column(Canvas& canvas, App& app, Rect r, const StoryMask& mask = {});
// Why something is veiled; around what the scene on the stage puts in front, if it is among these.
std::string hidden_words();
void draw_story_frame(Canvas& canvas, App& app, const Theme& theme, const std::vector<Landmark>& landmarks);
// The scene that the lab's story is at, and the way to its neighbours.
float story_height(Canvas& canvas, App& app, float width, const Theme& theme);
void draw_story(Canvas& canvas, App& app, Rect r, const Theme& theme);
// The part of the open exercise.
float exercise_height(Canvas& canvas, App& app, float width, const Theme& theme);
void draw_exercise(Canvas& canvas, App& app, Rect r, const Theme& theme);
void draw_story_arrows(Canvas& canvas, App& app, Rect r, const Theme& theme);
// What is asked now, without a title: of a scene, or of what is tried.
float asked_height(Canvas& canvas, App& app, float width, const Theme& theme);
void draw_asked(Canvas& canvas, App& app, Rect r, const Theme& theme);
// What there is to try, each with a tick once it is done; the open one with its question.
float tries_height(Canvas& canvas, App& app, float width, const Theme& theme);
void draw_tries(Canvas& canvas, App& app, Rect r, const Theme& theme);
// From the settings back to the question that they are for.
float back_link_height(const App& app, const Theme& theme);
void draw_back_link(Canvas& canvas, App& app, Rect r, const Theme& theme);
// Words that stand somewhere with a dotted underline: hovered, or with the keyboard where they are
// `focusable`, they are explained. `view`: the part of the window, for their ids.
void explain_terms(Canvas& canvas, App& app, const Theme& theme, const std::vector<TermPlace>& terms,
                   std::string_view view, bool focusable);
// The first place of each word in these lines; nothing of a line that lies outside `within`.
void explain_lines(Canvas& canvas, App& app, const Theme& theme, const std::vector<StoryCanvas::Line>& lines,
                   std::string_view view, Rect within);
// The word that is explained now, beside its place, over everything else.
void draw_shown_word(Canvas& canvas, App& app, Rect window);
// A word's term, picture and sentence; the height that they take of this width.
float word_card_height(const Canvas& canvas, const Word& word, float width, const Theme& theme);
void draw_word_card(Canvas& canvas, const Word& word, Rect r, const Theme& theme);
constexpr float kColumnGap = 34;  // between two columns of a tab
int card_columns(float width, const Theme& theme);
// What the settings need in a tab of this width.
float settings_height(const Canvas& canvas, const App& app, float width, const Theme& theme);
void draw_settings(Canvas& canvas, App& app, Rect r, const Theme& theme);
// The numbers of the run, or those in which two runs differ.
void draw_numbers(Canvas& canvas, App& app, Rect r, const Theme& theme);
// Says that the numbers on the stage are another setting's, or that theirs are on the way; "" where they are
// this setting's. They are drawn in numbers_theme() then: dimmed.
std::string numbers_note(const App& app);
// The same of the whole stage, which draw_veil() makes pale then: of two runs both, but for a saved one that
// is `compared` with.
std::string picture_note(const App& app);
bool is_pale(const App& app, bool compared);
void draw_veil(Canvas& canvas, const App& app, Rect stage, const Theme& theme, bool compared = false);
Theme numbers_theme(const App& app, const Theme& theme);
float numbers_height(const Canvas& canvas, const App& app, float width, const Theme& theme);
// What limits the blocks per SM, or why that is not known; every rung on the device's roofline. Height 0: the
// lab is not about it.
bool knows_occupancy(const App& app);  // of the run on the stage, which is there
float occupancy_height(const Canvas& canvas, const App& app, float width, const Theme& theme);
void draw_occupancy(Canvas& canvas, const App& app, Rect r, const Theme& theme);
float roofline_height(const App& app, const Theme& theme);
void draw_roofline_panel(Canvas& canvas, App& app, Rect r, const Theme& theme);
// A card of the lab's own.
float lab_panel_height(const LabPanel& panel, const Theme& theme);
void draw_lab_panel(Canvas& canvas, const LabPanel& panel, Rect r, const Theme& theme);
// The lines of this step in the text that is shown, ascending, from 0; none where the step is another file's.
std::vector<int> executing_lines(App& app, const CodeText& code);
void draw_source_panel(Canvas& canvas, App& app, Rect r);
// All of the kernel from its first line of code on, without scrolling.
float source_panel_height(Canvas& canvas, App& app, float width);
void draw_stepper(Canvas& canvas, App& app, Rect r);
void draw_stage(Canvas& canvas, App& app, Rect r);
// What stands on the stage, each alone: the lab's picture, the large numbers, what this step does.
void draw_stage_picture(Canvas& canvas, App& app, Rect r);
std::vector<HeadFigure> headline_of(const App& app);
std::vector<std::string> step_sentences(const App& app);
void draw_menu(Canvas& canvas, App& app, const Layout& layout, Rect window);
Rect compare_button(Rect top_bar, float type);
float rail_switches_height(bool folded, float type);
// Every key that the window answers, and what it does. Keys of one line are separated by spaces.
struct KeyHelp {
  std::string keys, meaning;
};
std::vector<KeyHelp> key_help(const App& app);
void draw_help(Canvas& canvas, App& app, Rect window);
// The open list of engines lies over everything else.
void draw_engine_list(Canvas& canvas, App& app, Rect top_bar);

}  // namespace lockstep
