// A reader's own program in the window: its text, the file and the draft that it is kept in, when it runs,
// and what the last run left. Draws nothing.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/code_edit.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/text_edit.hpp"
#include "kernels/plain/syntax.hpp"
#include "program_runner.hpp"
#include "program_scene.hpp"

namespace lockstep {

struct KeyPress;

class ProgramDesk {
 public:
  static constexpr double kQuietSeconds = 0.4;  // after the last key, before it runs again
  static constexpr double kWatchSeconds = 0.5;  // between two looks at the file
  static constexpr double kDraftSeconds = 1;    // what a kill may lose

  // Without a runner nothing runs: pictures and tests hand the run over. An empty folder keeps no drafts.
  ProgramDesk(ProgramRunner* runner, std::filesystem::path drafts);

  // What was typed and not saved when the window was closed last is there again, and said.
  Status open(const std::filesystem::path& file);
  // A file that need not exist yet, with this text in it.
  void open_text(const std::filesystem::path& file, std::string text);
  const std::filesystem::path& file() const { return file_; }
  std::string name() const { return file_.filename().string(); }
  std::string title() const;  // "histogram.cu • · launch 2 of 3 · step 4 of 14": what a screen reader tells
  Status save();
  bool unsaved() const { return edit.version() != saved_version_ && edit.text() != saved_text_; }
  Status keep_draft();  // where something is unsaved; else none is left

  CodeEdit edit;

  const std::vector<std::vector<SyntaxSpan>>& syntax();  // of the text's lines

  // Lets time pass: the text runs once it has been quiet for long enough, the file is looked at. True if
  // something changed on screen.
  bool tick(double seconds);
  bool wants_frames() const;
  void run_now();
  // Runs again, with all blocks of the chosen launch watched.
  void trace_launch();
  // Beside the emulator this machine's GPU, by nvcc. False: nvcc is not here.
  bool can_ask_gpu() const { return runner_ && runner_->has_nvcc(); }
  bool on_gpu() const { return on_gpu_; }
  void set_on_gpu(bool on);
  // The picture is there, and the GPU is still at work.
  bool measuring() const { return busy() && answered_ && on_gpu_; }
  void cancel();
  bool busy() const { return runner_ && runner_->busy(); }
  Message progress_text() const { return runner_ ? runner_->progress_text() : Message{}; }
  ProgramRunner* runner() const { return runner_; }

  // --- what is shown
  void show(reader::ProgramRun run) { show(std::make_shared<const reader::ProgramRun>(std::move(run))); }
  void show(std::shared_ptr<const reader::ProgramRun> run);                     // of the text as it stands
  void saved() { saved_text_ = edit.text(), saved_version_ = edit.version(); }  // the file holds this text
  const reader::ProgramRun* run() const { return run_.get(); }
  // The text has changed since, or did not compile: the picture is the one before, and dimmed.
  bool outdated() const { return run_ && (run_version_ != edit.version() || failed_ != nullptr); }
  // The same, and while it runs again: what is shown is another run's.
  bool pale() const { return outdated() || (run_ && busy() && !answered_); }
  // Of the newest text that was tried.
  const std::vector<reader::Diagnostic>& diagnostics() const;
  const std::optional<Message>& failure() const { return failure_; }
  const std::vector<reader::ProgramFinding>& findings() const;
  bool stopped(int launch) const;                   // something was found in it, and nothing traced
  std::vector<int> findings_at(int line) const;     // indices, of this file; lines count from 1
  std::vector<int> diagnostics_at(int line) const;  // the same
  const ProgramScene* scene() const { return scene_.get(); }
  const std::vector<Segment>& segments() const { return segments_; }
  int launch() const { return launch_; }
  void choose_launch(int launch);
  LineCost cost_of(int line) const;  // of the chosen launch, from 1; nothing where it moved no data
  bool has_costs() const { return scene_ && !scene_->launch().lines.empty(); }
  const reader::ProgramLine* line_of_launch(int line) const;
  bool is_this_file(const std::string& file) const;

  // --- steps of the chosen launch
  bool has_steps() const { return scene_ && scene_->steps.count() > 0; }
  int last_step() const { return has_steps() ? scene_->steps.count() - 1 : 0; }
  LabView view() const { return {step_, warp_, {}, {}}; }
  int step() const { return step_; }
  void go_to(int step, bool animate = false);
  void step_by(int steps) { go_to(step_ + steps, true); }
  void phase_by(int phases);
  void follow_warp(std::int64_t warp);
  // The first visit of this line (from 1), of the warp that is followed. False: no step of it.
  bool go_to_line(int line);
  int step_line() const;  // of this step in this file, from 1; 0: another file's, or none
  void play(bool on);
  bool playing() const { return playing_; }
  float motion = 1;
  bool animates = true;
  double steps_per_second = 2;

  // --- the window's own state of it
  enum class Tab { findings, output, arguments };
  Tab tab = Tab::findings;
  int finding = 0;  // the one that is told
  enum class Bar { none, find, line, shape };
  Bar bar = Bar::none;  // over the editor, with a field of its own
  TextEdit bar_edit = TextEdit();
  bool bar_missed = false;  // nothing of what is searched for
  // What the program is given, a line each: main()'s arguments, the file on its standard input, further
  // sources, and the block that is followed.
  enum class Field { arguments, input, sources, block };
  static constexpr std::size_t kFields = 4;
  TextEdit& text_of(Field field) { return fields_[std::size_t(field)]; }
  const TextEdit& text_of(Field field) const { return fields_[std::size_t(field)]; }
  std::optional<Field> typed_field;       // that has the keyboard
  std::array<Rect, kFields> field_areas;  // set while drawing
  void focus_field(Field field) {
    typed_field = field, focused = false, bar = Bar::none, tab = Tab::arguments;
  }
  // All of them and the arrays' shapes as text, to be kept for this file.
  std::vector<std::string> kept_fields() const;
  void restore_fields(const std::vector<std::string>& kept);
  std::optional<Message> field_fault;  // why what was typed cannot be taken
  bool focused = true;                 // the editor has the keyboard
  bool takes_text() const { return focused || typed_field || bar != Bar::none; }
  void leave_text() { focused = false, typed_field.reset(), bar = Bar::none; }
  TextEdit* field();                             // one line that has the keyboard before the editor
  float scroll = 0, scroll_x = 0;                // rows, px
  std::optional<std::size_t> scrolled_to_caret;  // where it was when it was last brought into view
  int rows_shown = 20;                           // set while drawing
  float stage_scroll = 0, drawer_scroll = 0;
  std::optional<std::pair<std::uint16_t, std::uint64_t>> pinned;  // view, element
  std::optional<Message> note;  // what happened: a draft that came back, a file that changed
  // As the reader wants an array to stand, by its name.
  std::map<std::string, std::vector<std::uint64_t>> shapes;
  // The guessed shape, or the reader's; those that the arrow keys offer.
  std::vector<std::uint64_t> shape_of(const StageArray& array) const;
  std::vector<std::vector<std::uint64_t>> likely_shapes(const StageArray& array) const;
  void open_shape(const StageArray& array);
  std::string shaped_array;  // whose shape is being typed
  int shape_turn = 0;        // the array that the key S takes next

  // `lockstep shot …` of what is shown, for a window of this size.
  std::string shot_command(int width, int height, bool dark) const;

  // --- keys; the window routes them here while the program is shown
  bool on_key(const KeyPress& key);  // false: not one of its own
  void type_character(char32_t c);
  void paste(const std::string& text);
  std::optional<std::string> to_clipboard;
  bool wants_clipboard = false;
  void open_bar(Bar which);
  void edited();       // after every change of the text by a key
  void caret_moved();  // the steps follow it to its line
  void pointer_pressed(Vec2 at);
  void take_finding(int index);  // told below the editor, its launch and line shown
  Rect editor_area, bar_area;    // set while drawing
  int lit_line = 0;              // that was brought into view last, from 1

 private:
  void start();
  void take(Result<reader::ProgramRun> run);
  void open_scene(int launch);
  bool watch(double seconds);
  bool play_on(double seconds);
  std::filesystem::path draft_file() const;
  bool on_editor_key(const KeyPress& key);
  bool on_editor_control(const KeyPress& key);
  bool on_field_key(TextEdit& edit, const KeyPress& key);
  bool on_bar_key(const KeyPress& key);
  bool on_shape_key(const KeyPress& key);
  bool on_fields_key(const KeyPress& key);
  bool on_line_bar_enter();
  const StageArray* array_named(const std::string& name) const;
  bool fill_request(reader::ProgramRequest& request);
  void search(bool backward);

  ProgramRunner* runner_;
  std::filesystem::path drafts_, file_;
  std::string saved_text_;
  std::uint64_t saved_version_ = 0;
  std::filesystem::file_time_type disk_time_{};
  std::uint64_t kept_version_ = 0;  // in the draft
  std::uint64_t seen_version_ = 0;
  double quiet_ = 0, since_watch_ = 0, since_kept_ = 0, play_clock_ = 0;
  bool run_due_ = false, playing_ = false;
  std::string progress_;              // that was drawn last
  std::optional<int> traced_launch_;  // all of whose blocks are asked for
  std::array<TextEdit, kFields> fields_ = {TextEdit(), TextEdit(), TextEdit(), TextEdit()};
  bool on_gpu_ = false, answered_ = false;  // what runs has told what the emulator says
  std::uint64_t started_version_ = 0, run_version_ = 0;
  std::shared_ptr<const reader::ProgramRun> run_, failed_;
  std::optional<Message> failure_;
  std::unique_ptr<ProgramScene> scene_;
  std::vector<Segment> segments_;
  int launch_ = 0, step_ = 0;
  std::int64_t warp_ = 0;
  int caret_line_ = 0;
  std::uint64_t syntax_version_ = ~std::uint64_t{0};
  std::vector<std::vector<SyntaxSpan>> syntax_;
};

// A command line's words: blanks part them, quotes keep them together.
std::vector<std::string> words_of(std::string_view line);
// "64 x 64" of so many elements; one number is a row's length. Nothing where it does not fit them.
std::optional<std::vector<std::uint64_t>> parse_shape(std::string_view text, std::uint64_t elements);
std::string shape_text(const std::vector<std::uint64_t>& shape);  // "64 x 64"

}  // namespace lockstep
