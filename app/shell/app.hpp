// The application behind the window: state, run, undo. Draws nothing and knows no ImGui.
#pragma once
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/canvas_story.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/text_edit.hpp"
#include "app/labs/lab.hpp"
#include "app_state.hpp"
#include "code_text.hpp"
#include "exercise_desk.hpp"
#include "home.hpp"
#include "menu.hpp"
#include "runner.hpp"
#include "settings.hpp"
#include "story_desk.hpp"

namespace lockstep {

struct SceneFile;
class ProgramDesk;

class App {
 public:
  // Without a runner nothing runs: pictures and tests hand the run over.
  App(AppState state, Runner* runner, Settings settings = {});
  App(App&&) noexcept;
  ~App();

  const AppState& state() const { return state_; }
  const Lab& lab() const { return *lab_; }
  const LabInfo& info() const { return lab_->info(); }
  int rung_index() const { return info().rung_index(state_.rung); }
  // Whose numbers those of run() are. Numbers of another setting never stand under this one's name: they are
  // dimmed, and it says what they are of.
  enum class Numbers { none, current, under_way, of_another };
  Numbers numbers_are() const;
  // What is shown; nullptr before the first run, and after one that failed.
  const LabScene* scene() const { return scene_.get(); }
  const Run* run() const { return scene_ ? &scene_->run() : nullptr; }
  // A recording may hold times only: then there is nothing to step through.
  bool has_steps() const { return scene_ && has_steps(*scene_); }
  static bool has_steps(const LabScene& scene) {
    return !scene.axis().empty() && (!scene.run().launches.empty() || !scene.steps_are_launched());
  }
  LabView view() const { return {state_.step, state_.warp, state_.pinned, state_.timeline}; }
  const std::vector<Segment>& segments() const { return segments_; }  // the axis' phases in their colours
  int last_step() const { return has_steps() ? scene_->axis().count() - 1 : 0; }
  std::int64_t shown_warp() const;  // the one that this step shows, -1 at a barrier of all
  Theme theme() const;
  float presentation_scale() const;       // of the window's size: 1 at 1280 x 720
  std::vector<float> type_scale() const;  // the presentation's sizes of text, ascending; else none
  std::optional<Color> paper;             // of a figure: the ground of everything
  float motion() const { return motion_; }
  void set_motion(float motion) { motion_ = motion; }  // for pictures of a step's way
  Runner* runner() const { return runner_; }
  // Recorded runs of this lab that hold a time; pictures are handed theirs.
  const std::vector<Run>& timed() const {
    return runner_ ? runner_->timed(state_.lab) : timed_without_runner;
  }
  std::vector<Run> timed_without_runner;
  // Of each rung of this lab the run that was timed at the size at which its ladder is; nullptr for none.
  const std::vector<const Run*>& ladder_times() const;
  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }

  // Changes of state; each can be taken back.
  void choose_lab(const std::string& slug);  // as it was left, else as it opens
  void go_home();
  void go_on();  // from the home to where the reader was
  void choose_rung(const std::string& slug);
  void set_param(const std::string& name, Value value);
  void set_params(const Params& together);
  void choose_engine(EngineKind engine);
  void follow(std::int64_t block);
  void follow_warp(std::int64_t warp);  // goes to the same access of this warp
  void go_to(int step, bool animate = false);
  void step_by(int steps);
  void phase_by(int phases);
  void set_dark(bool dark);
  void set_language(Language language);
  void set_projector(bool on);
  void set_speed(double steps_per_second);
  void pin(std::optional<std::pair<std::uint16_t, std::uint64_t>> element);
  void look_at(const TimelineView& timeline);
  bool back();
  bool forward();
  void play(bool on);  // at the end: from the beginning
  bool playing() const { return playing_; }

  void request_run();  // R: run now
  void cancel();
  // A run from outside (file, picture, test). Where one of this lab is shown already, its step is kept by
  // key.
  void show(Run run) { show(std::make_shared<const Run>(std::move(run))); }
  void show(std::shared_ptr<const Run> run);
  // A run from a file gets a name, under which it can be shown and compared with.
  void keep_saved(const std::string& name, Run run);
  void show_saved(const std::string& name);
  std::vector<std::string> saved_runs() const;  // names of those of this lab

  // The same settings on another rung, or a saved run, beside this run: its numbers, and its step with the
  // same key.
  void set_compare(const std::string& with);  // "" leaves
  // Of which devices there are recordings of this rung with these settings, in the order of their folders.
  std::vector<std::string> recorded_devices() const;
  void compare(Run other) { compare(std::make_shared<const Run>(std::move(other))); }
  void compare(std::shared_ptr<const Run> other);  // the run itself, from outside
  bool comparing() const { return compared_ || !state_.compare.empty(); }
  const LabScene* compared() const { return compared_.get(); }
  std::string run_name() const, compared_name() const;  // what stands above them
  AlignedStep compared_step() const;                    // of the other run; nothing without steps
  // The step's key as text, "write out, warp 4"; "" without steps.
  std::string moment() const;
  Result<int> step_named(const StepKey& key) const;
  void go_to_compared(int step);  // a step of the other run: goes to the one with its key
  bool compare_wanted() const;    // the second run is still to come
  // Scenes and files; false: it could not be done, the banner says why, and nothing has changed.
  bool open_scene(const SceneFile& file);
  bool open_text(const std::string& text, const std::string& name);  // `name` is what an error calls it
  bool open_link(const std::string& text);                           // scene_link.hpp
  bool open_file(const std::string& typed);                          // a scene, or a saved run by its ending
  bool open_beside(const std::string& typed);                        // a saved run to compare with
  bool save_scene(const std::string& typed);
  // As a text, or, in a page of a browser, as the address that leads there.
  void copy_scene();
  std::string page_address;  // of that page, without what follows '#'; "": this is no page
  // The written page (`lockstep pages`) of what is on screen, below the site's folder: "en/labs/banks.html".
  std::string written_page() const;
  bool has_pages = false;   // a site can be opened from here
  std::string wanted_page;  // one that is to be opened; taken by the window
  void copy_command();
  // A panel as a figure into a file, .svg, .pdf or .png.
  bool save_picture(const std::string& panel, const std::string& typed);
  void paste(const std::string& text);  // into the open field, else it is a scene
  // For the window, which has the clipboard: text to put there; a wish for what is there.
  std::optional<std::string> to_clipboard;
  bool wants_clipboard = false;

  Menu menu;
  void open_menu(MenuKind kind);
  void close_menu() { menu = {}; }
  void open_word(const std::string& name);  // the glossary at this word
  // The panels that can become a picture, with `panel` chosen; the field for its file's name.
  void open_pictures(const std::string& panel = "");
  void open_save_picture(const std::string& panel);
  std::string picture_panel;  // that the field is for
  // The right button: a click opens the pictures of the panel that it hit.
  void pointer_right(Vec2 at, bool down);
  std::vector<std::pair<std::string, Rect>> panel_areas;  // set while drawing
  // The field that has the keyboard, of a value or of the open list; nullptr: the window's keys work.
  TextEdit* field();
  bool takes_text() const { return types_value() || has_field(menu.kind) || program_takes_text(); }
  bool takes_keys() const { return types_value() || menu.kind != MenuKind::none || program_takes_text(); }
  void open_choices(const std::string& parameter);  // the list of a setting
  std::string wanted_focus;  // a control that is to have the keyboard; taken by the window
  // The window's size, for the command that draws the same picture. Set while drawing.
  int view_width = 1600, view_height = 900;
  float view_scale = 1;

  // Lets time pass: outcomes of the runner, a scheduled run, playing, motion. True if something changed on
  // screen.
  bool tick(double seconds);
  bool wants_frames() const;    // something moves by itself, or a run is under way
  bool moves() const;           // the former alone
  bool tells_progress() const;  // a run has been under way for long enough to be worth a word
  bool progress_due() const { return progress_due_; }  // behind tick(): how far it is may be told anew
  bool on_key(const KeyPress& key);

  // A reader's own program; nullptr: none was opened. False: it could not be opened, and the banner says why.
  ProgramDesk* program() const { return program_.get(); }
  bool shows_program() const { return state_.program && program_ && !state_.home; }
  bool open_program(const std::string& typed);
  bool new_program(const std::string& name);  // from a template, in the folder where the program was started
  void show_desk(std::unique_ptr<ProgramDesk> desk);  // from outside
  void go_to_program();                // the one that was open, else the list of what can be opened
  std::string program_glyphs() const;  // what its text needs beside ASCII

  // The home: its cards, and where the reader would go on.
  const HomeCards& cards() const { return cards_; }
  void show_card(Run run) { cards_.take(std::move(run)), cards_.open_all(); }  // from outside
  bool can_go_on() const { return visited_; }
  std::string place_text() const;  // "transpose · tiled, step 78 of 129"
  // What the settings hold of it: into them, and out of them when the program starts.
  void keep_place();
  void return_to_place();
  std::vector<Runner::EngineState> engines() const {
    return runner_ ? runner_->engines() : engines_without_runner;
  }
  std::vector<Runner::EngineState> engines_without_runner;
  // The home's entries and cards as drawn, for the arrow keys, and the one that has the keyboard. Set while
  // drawing.
  struct HomeStop {
    std::string id;
    Rect area;
  };
  std::vector<HomeStop> home_stops;
  std::string home_focus;
  float home_scroll = 0;

  // Exercises: the open one is told as a book, its parts as scenes. Answers are kept in `answers`; nowhere
  // where that is empty (pictures). `judge` outlives this; nullptr: programs cannot be judged here.
  void give_exercises(const std::filesystem::path& answers, ProgramJudge* judge = nullptr);
  ExerciseDesk* exercises() const { return exercises_.get(); }
  bool open_exercise(const std::string& slug);  // where its reader goes on
  const OpenExercise* exercise() const;         // nullptr: none is open
  const ExercisePart& part() const { return exercise()->exercise->parts[std::size_t(story_scene())]; }
  const PartRecord* part_record() const;  // nullptr: nothing was given yet
  std::string part_text() const;          // what stands in it, tried or not
  std::string part_reason() const;
  std::vector<int> part_choices() const;  // of `several` and `order`, from 1
  void choose_option(int option);         // several: on and off; order: behind the others, or out again
  void hand_in_part();                    // what stands in it, as an attempt
  void take_hint();
  void try_part_again();
  void point_at_control();  // "show me": what the part speaks of
  bool judging_program() const { return judging_.valid(); }
  void open_part_program();
  bool choose_seed(const std::string& code);  // the teacher's; false: `exercise_fault` says why
  std::optional<Message> exercise_fault;
  Status keep_exercises();  // what has changed, on disk

  // The lab's story: its scenes set the lab, ask, and keep what was answered in the settings.
  void tell_stories(std::vector<std::filesystem::path> folders, RunSources sources = {});
  // What it has read already need not be read again, here and whenever the language changes.
  void read_from(std::shared_ptr<Bookshelf> bookshelf) { bookshelf_ = std::move(bookshelf); }
  bool tells_stories() const { return desk_ != nullptr; }
  std::string story_glyphs() const {
    return (desk_ ? desk_->glyphs() + tour_glyphs() : "") + (exercises_ ? exercises_->glyphs() : "");
  }
  const Story* story() const {  // the open book, else the lab's; nullptr: this lab has none
    const Story* open = book();
    return open ? open : story_of(state_.lab);
  }
  const Story* story_of(const std::string& lab) const { return desk_ ? desk_->of(lab) : nullptr; }
  int story_scene() const;  // the one that was entered, else where the reader goes on
  const StoryScene& told_scene() const { return story()->scenes[std::size_t(story_scene())]; }
  bool stage_shows_scene() const;  // the lab is set as the scene sets it
  bool enter_story_scene(int scene);
  void story_scene_by(int scenes);  // to its neighbour; from a claim to the claim beside it
  bool has_scene_by(int scenes) const;
  // What comes behind this scene: its neighbour, another lab, the list of what is told; "": nothing.
  std::string words_of_next() const;
  void tell_next();
  // What is told in place of the lab's story; nullptr: nothing.
  const Story* book() const;
  bool open_book(const std::string& name, int scene = 0);  // sets the lab for it
  void open_list(ListPage page);
  // The claims put to the test, in their order, and what the reader said of each.
  const std::vector<Story>& claims() const;
  bool tells_claim() const { return state_.book.starts_with("claims/"); }
  int claim_index() const;  // of the open one, from 0
  StoryReply claim_reply(const Story& claim) const;
  // A lecture: a tour that is told in place of the lab's story while it is open. Its answers are not kept.
  bool open_tour(const std::filesystem::path& file, int scene = 0);  // false: the banner says why
  bool open_tour(Story tour, int scene = 0);                         // from outside
  const Story* tour() const { return tour_.get(); }                  // nullptr: none is open
  bool tells_tour() const;  // false too where a student's click went on to another lab
  int tour_scene() const;   // the one that was entered last, from 0
  const std::string& tour_glyphs() const { return tour_glyphs_; }
  bool tour_answer_comes() const;  // before the next scene
  void tour_forward();
  void tour_backward();
  // Has anything been changed since the scene was entered?
  bool off_tour_scene() const;
  // The scene as it was entered; asked again, the stage as it was left.
  void return_to_tour_scene();
  bool arrows_walk_tour = false;             // in the presentation, for a clicker that sends them
  const SceneWords& tour_words();            // of its scene, wherever the stage is
  bool notes_wanted = false;                 // on a second window
  float notes_scroll = 0, notes_hidden = 0;  // px; hidden: of what has no room there. Set while drawing
  void scroll_notes(float notches);
  double lecture_seconds = 0;  // since the tour was opened
  bool lecture_goes_on(double seconds);
  bool lens = false;  // the presentation is enlarged under the pointer
  int claims_done() const;
  const SceneWords& scene_words();
  StoryReply story_reply() const;
  // What the question on the stage keeps back until it is answered: what is to be predicted is not told
  // before.
  StoryMask story_mask();
  // What the scene on the stage puts in front, by its landmark; "" for nothing.
  std::string wanted_frame() const;
  bool framed = false;  // it is there. Set while drawing
  // What was typed, or the option's number; `answer_fault` says why it cannot be taken.
  void answer_story(const std::string& typed);
  void show_story_answer();
  StoryDesk::Judged story_setting();  // of a question that asks to set the lab
  struct StoryProgress {
    int done = 0, scenes = 0;
    bool finished() const { return scenes > 0 && done == scenes; }
  };
  StoryProgress story_progress(const std::string& lab) const;
  // What there is to try in this lab: each asks, and is done once it is answered.
  const Story* tries() const { return desk_ && !book() ? desk_->tries(state_.lab) : nullptr; }
  int open_try = -1;          // from 0, whose question is open; -1: none
  bool asks_try() const;      // it is what is asked now, and not the story's scene
  void enter_try(int index);  // sets the lab for it; the open one closes
  StoryReply try_reply(int index) const;
  void try_again(int index);
  StoryProgress tries_progress(const std::string& lab) const;
  // The one that is asked: the open try, else the story's scene.
  const Story* asked_story() const { return asks_try() ? tries() : story(); }
  int asked_index() const { return asks_try() ? open_try : story_scene(); }
  const StoryScene& asked_scene() const { return asked_story()->scenes[std::size_t(asked_index())]; }
  void set_stage_for_asked();  // the reader has moved on by themselves: back to where it is asked
  bool asked_entered() const { return asks_try() || state_.story_scene >= 0; }
  // To the settings, for a question that asks to set the lab, and back to it.
  void go_to_settings();
  void back_from_settings();
  const std::vector<std::string>& program_sentences() const { return program_sentences_; }
  std::string settings_are_for;  // the tab to go back to, "" for none
  void forget_stories();
  // The way from the beginning: where its reader goes on (nullptr: at its end), how far they are.
  const Lab* next_on_path() const;
  int labs_done_on_path() const;
  void start_path();
  void go_to_lab_after();
  // The glossary, and the word that is explained: hovered, focused, or chosen in a list. Set while drawing.
  const Glossary* glossary() const { return desk_ ? &desk_->glossary() : nullptr; }
  struct ShownWord {
    std::string name;
    Rect area;  // of the word, beside which it is explained
  };
  std::optional<ShownWord> shown_word;
  std::vector<std::string> words_in_view;  // that have a dotted underline. Set while drawing
  std::optional<Message> answer_fault;
  bool story_hint = false;  // it is shown

  std::optional<Message> banner;  // an error, until it is dismissed
  std::optional<Message> notice;  // what was done, until the next key or click
  bool help = false;
  bool blank = false;  // the presentation shows nothing until a key or click
  // A pointer that moves is looked for: for a while the presentation shows its way out.
  void pointer_moved();
  bool pointer_awake() const { return awake_seconds_ > 0; }
  bool plain_source = true;  // kernels as plain CUDA, else as compiled
  // The text of a kernel file as the code pane shows it, with its lines.
  const PlainKernel& source(const std::string& file);
  // The text that the pane shows now; what each line of the run on the stage cost.
  const CodeText& code_text();
  const LineCosts& line_costs();
  CodeScroll code_scroll;
  // A value that is being typed. One that cannot be taken stays as it is, with the reason, until it is put
  // right or given up.
  struct Typing {
    enum class Of { parameter, search, block, warp, answer, reason, code } of = Of::parameter;
    std::string name;  // of the parameter
    TextEdit edit = TextEdit();
    std::optional<Message> wrong;
    bool focused = true;
    Rect area{};  // of its field. Set while drawing
  };
  std::optional<Typing> typing;
  bool types_value() const { return typing && typing->focused; }
  bool typing_of(Typing::Of of, std::string_view name = "") const {
    return typing && typing->of == of && typing->name == name;
  }
  void begin_typing(Typing::Of of, const std::string& name, const std::string& text);
  void type_character(char32_t c);
  void commit_typing();
  void give_answer();  // what is typed as the story's answer; nothing else takes it
  std::string focus_after_answer() const;
  // A caret is seen half of the time, always where nothing is to move. `blink` lets time pass: true if it
  // came or went.
  bool caret_shown() const;
  bool blink(double seconds);
  // The stage has a timeline: its keys work. Set while drawing; the keys typed since are taken by the
  // drawing.
  bool has_timeline = false;
  std::vector<TimelineKey> timeline_keys;
  void search_timeline();  // types what is searched for
  bool searching() const { return typing_of(Typing::Of::search); }
  // Before the press reaches what lies under the pointer: what was typed elsewhere is taken.
  void pointer_pressed(Vec2 at);
  // The field no longer has the keyboard: what was typed is taken, or stays with the reason.
  void leave_field();
  // Of the launch on the stage, 0 where there is none; and whom of it the stage follows, where there are
  // steps.
  struct Grid {
    std::int64_t blocks = 0, warps = 0;  // warps of a block
    std::int64_t block = 0, warp = 0;
  };
  Grid grid() const;
  // The slider that has the keyboard; arrows move it. Set while drawing.
  std::string focused_parameter;
  bool code_focused = false;  // the kernel has the keyboard: up and down scroll it. Set while drawing
  Rect stage_area;            // of the first run. Set while drawing
  bool chooser_open = false;
  float right_scroll = 0, rail_scroll = 0;
  bool shows_reply = false;                    // the next frame scrolls to what became of the question
  std::pair<float, float> reply_lines;         // the question's top, the verdict's end. Set while drawing
  std::string tab = "settings";                // of the card; with stories the story's goes before it
  Splitter focused_splitter = Splitter::none;  // it has the keyboard; arrows move it. Set while drawing
  float drawn_card_share = 0.5f;               // of the card in its column. Set while drawing
  int tab_steps = 0;                           // asked for by F6 since the last frame

 private:
  std::optional<Vec2> right_press_;
  Request request() const;
  void changed(bool needs_run);
  void remember();
  void apply(const AppState& state);
  void restore(const AppState& state);
  bool failed(const Error& error);
  bool refused_program(const std::string& file);
  Result<Run> load(const std::string& typed);
  void leave_saved() { state_.saved.clear(); }  // what follows is an engine's answer
  void start_run();
  void start_second();
  void refresh_compared();
  void show_pending();
  void take_outcome(Runner::Outcome outcome);
  void take_second(Runner::Outcome outcome);
  void drop_outdated_run();
  int step_of_warp(std::int64_t warp) const;
  void open_scenes_anew();
  bool left_out(std::int64_t warp) const;
  void play_on(double seconds);
  Result<Params> params_with(const std::string& name, const Value& value) const;
  Status take_typed(const Typing& typed);
  Status take_followed(const Typing& typed);
  void forget_wrong();
  bool on_field_key(TextEdit& edit, const KeyPress& key);
  void nudge_parameter(int direction);
  bool on_menu_key(const KeyPress& key);
  bool on_control(const KeyPress& key);
  bool on_escape();
  std::optional<bool> on_presentation_key(const KeyPress& key);  // nothing: a key as in the window
  void move_splitter(Splitter splitter, int direction);
  bool on_character(const KeyPress& key);
  bool on_arrow(const KeyPress& key);
  bool on_timeline_key(const KeyPress& key);
  bool on_home_key(const KeyPress& key);
  bool on_program_key(const KeyPress& key);
  bool program_takes_text() const;
  void take_program_wishes();
  void keep_program_fields();
  void make_desk();
  bool move_home_focus(Key direction);
  bool tick_cards();
  bool tick_story();
  void keep_typed();
  void return_to_typed();
  void take_background(Runner::Outcome outcome);
  StageNow stage_now() const;
  bool set_lab_for(const Story& told, const StoryScene& scene);
  std::map<std::string, std::vector<std::string>>& kept_replies() {
    return asks_try()      ? settings_.tries
           : tells_claim() ? settings_.claims
           : tells_tour()  ? tour_replies_
                           : settings_.stories;
  }
  void keep_reply(const std::string& reply);
  std::string kept_reply() const;
  void begin_story();
  void settle_story();
  void step_to_claim(int by);
  StoryDesk::PartTold told_part() const;
  void give_part(const PartAnswer& answer);
  void keep_attempt(const PartAnswer& answer, const Verdict& verdict);
  void keep_typed_part();
  void start_judging(const PartAnswer& answer);
  bool tick_exercise();
  std::string part_reply() const;
  StoryDesk::Judged part_setting();
  bool is_tab(const std::string& name) const;
  void hand_in_setting();
  void read_tour_anew();
  void tour_entered(int scene);
  std::optional<bool> on_tour_key(const KeyPress& key);  // nothing: a key as without a tour
  std::string code_file() const;

  std::unique_ptr<ProgramDesk> program_;
  AppState state_;
  const Lab* lab_ = nullptr;
  Runner* runner_;
  Settings settings_;
  std::unique_ptr<LabScene> scene_, compared_;
  std::map<std::string, std::shared_ptr<const Run>> saved_;
  // The runner has one run at a time: the second one follows the first, and both appear together.
  std::optional<Run> pending_;
  bool second_due_ = false, second_running_ = false;
  std::vector<Segment> segments_;
  std::vector<std::filesystem::path> story_folders_;
  RunSources story_sources_;
  std::shared_ptr<Bookshelf> bookshelf() const {
    return bookshelf_ ? bookshelf_ : std::make_shared<Bookshelf>();
  }
  std::shared_ptr<Bookshelf> bookshelf_;  // none: every time anew
  std::unique_ptr<StoryDesk> desk_;
  std::unique_ptr<ExerciseDesk> exercises_;
  ProgramJudge* judge_ = nullptr;
  struct Judging {  // a program that is compiled and run elsewhere
    std::string book;
    int part = 0;
    PartAnswer answer;
  };
  Judging judged_program_;
  std::future<Result<Verdict>> judging_;
  std::vector<std::string> program_sentences_;  // of the verdict on it
  bool retries_ = false;                        // the part is open again after an attempt
  std::string points_at_;                       // what "show me" has put in front
  std::unique_ptr<Story> tour_;
  std::string tour_glyphs_;
  std::map<std::string, std::vector<std::string>> tour_replies_;
  struct Entered {  // what a scene of the tour found, and what goes back with it
    int scene = 0;
    EngineKind engine = EngineKind::automatic;
    double steps_per_second = 8;
  };
  Entered entered_;
  SceneWords tour_words_;
  std::optional<AppState> left_stage_;  // as it was before the scene was restored
  struct SettingJudged {                // asked in every frame, computed once for a run and a step
    const Ask* ask = nullptr;
    std::shared_ptr<const Run> run;
    int step = 0;
    StoryDesk::Judged judged;
  };
  SettingJudged setting_judged_;
  HomeCards cards_;
  bool cards_asked_ = false;
  int home_frames_ = 0;   // ticks with the home on screen, until its runs are asked for
  bool visited_ = false;  // a lab was on screen, now or when the program ended
  // Of labs that were left: what was asked for, and the moment that was on screen.
  bool place_waits_ = false;  // the state is what the settings held, its run still to come
  bool typed_waits_ = false;  // so does what stood in a field
  std::vector<AppState> undo_, redo_;
  std::string merged_;  // changes of the same kind in a row are one step back
  bool run_due_ = false;
  double quiet_ = 0;  // seconds since the last change that needs a run
  bool playing_ = false;
  double play_clock_ = 0, caret_clock_ = 0, awake_seconds_ = 0, busy_seconds_ = 0;
  bool progress_due_ = false;
  void follow_progress(double seconds);
  float motion_ = 1;
  std::map<std::pair<std::string, bool>, PlainKernel> sources_;  // file, plain
  CodeText code_text_;
  LineCosts line_costs_;
  std::weak_ptr<const Run> line_costs_of_;
  struct LadderTimes {
    std::string lab;
    const Run* runs = nullptr;  // of which runs
    std::size_t count = 0;
    std::vector<const Run*> times;
  };
  mutable LadderTimes ladder_times_;
  bool fresh_ = true;                 // no run has been shown yet: open at the lab's opening step
  bool step_is_of_next_run_ = false;  // state_.step came with a state whose run is still to come
  // Where the reader was in a lab that was left, for when they come back.
  struct Place {
    std::string rung;
    Params params;
    std::int64_t block = 0, warp = 0;
    std::optional<StepKey> at;
    int story_scene = -1;
  };
  // Settings as they were meant before a rung rounded or lacked them, and as they arrived in it.
  struct Carried {
    std::string lab;
    Params meant, arrived;
  };
  Carried carried_;
  Params carried_to(const std::string& rung);
  std::optional<StepKey> left_moment_;  // of a rung that was left for one without such a step
  void align_to(const Axis& before);
  void keep_place_of_lab();
  void return_to(const Place& place);
  std::map<std::string, Place> places_;    // by lab
  std::optional<StepKey> awaited_moment_;  // of a scene whose run is still to come
  bool moment_may_be_gone_ = false;        // it was kept by an earlier program, or before its run came
};

}  // namespace lockstep
