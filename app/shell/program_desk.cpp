#include "program_desk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/draw/language.hpp"
#include "app/platform/files.hpp"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostBytes = CodeEdit::kMost;
constexpr double kStepSeconds = 0.25;

std::string text_of_bytes(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

Status write_text_file(const fs::path& file, const std::string& text) {
  return write_file_atomically(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

fs::file_time_type time_of(const fs::path& file) {
  std::error_code unknown;
  return fs::last_write_time(file, unknown);
}

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c, any = true;
    } else if (c == ' ' && !quote) {
      if (any) words.push_back(word);
      word.clear(), any = false;
    } else {
      word += c == '\\' && quote != '\'' && i + 1 < line.size() ? line[++i] : c, any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

ProgramDesk::ProgramDesk(ProgramRunner* runner, fs::path drafts)
    : runner_(runner), drafts_(std::move(drafts)) {}

// --- the file

// One for each file, whatever folder it lies in.
fs::path ProgramDesk::draft_file() const {
  if (drafts_.empty() || file_.empty()) return {};
  char hash[20];
  std::error_code unknown;
  const fs::path whole = fs::absolute(file_, unknown);
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(hash_of(whole.string())));
  return drafts_ / (file_.stem().string() + "-" + hash + ".cu");
}

void ProgramDesk::open_text(const fs::path& file, std::string text) {
  if (runner_) runner_->cancel();
  file_ = file;
  edit = CodeEdit(text);
  saved_text_.clear(), saved_version_ = ~std::uint64_t{0}, disk_time_ = time_of(file_);
  run_.reset(), failed_.reset(), scene_.reset(), failure_.reset(), segments_.clear();
  traced_launch_.reset(), launch_ = step_ = 0, scroll = scroll_x = 0, finding = 0, pinned.reset(),
                          note.reset();
  restore_fields({}), typed_field.reset(), bar = Bar::none;
  seen_version_ = edit.version(), kept_version_ = edit.version();
  syntax_version_ = ~std::uint64_t{0}, caret_line_ = 1, lit_line = 0;
  scrolled_to_caret.reset(), focused = true, playing_ = false;
  run_due_ = runner_ != nullptr, quiet_ = kQuietSeconds;
}

Status ProgramDesk::open(const fs::path& file) {
  const auto bytes = read_file(file, kMostBytes);
  if (!bytes) return bytes.error();
  open_text(file, text_of_bytes(*bytes));
  saved();
  const fs::path draft = draft_file();
  const auto kept = draft.empty() ? Result<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{})
                                  : read_file(draft, kMostBytes);
  if (kept && !kept->empty() && text_of_bytes(*kept) != edit.text()) {
    edit.replace_all(text_of_bytes(*kept));
    seen_version_ = kept_version_ = edit.version();
    note = msg("What was typed and not saved is here again; Ctrl+Z goes back to the file.");
  }
  return Unit{};
}

Status ProgramDesk::save() {
  if (Status written = write_text_file(file_, edit.file_text()); !written) return written;
  saved(), disk_time_ = time_of(file_);
  note.reset();
  return keep_draft();
}

Status ProgramDesk::keep_draft() {
  const fs::path draft = draft_file();
  if (draft.empty()) return Unit{};
  kept_version_ = edit.version();
  std::error_code gone;
  if (!unsaved()) return fs::remove(draft, gone), Status(Unit{});
  fs::create_directories(drafts_, gone);
  return write_text_file(draft, edit.text());
}

// Another program may have written the file. What is unsaved here is not thrown away: it stays, and that is
// said.
bool ProgramDesk::watch(double seconds) {
  if ((since_watch_ += seconds) < kWatchSeconds || file_.empty()) return false;
  since_watch_ = 0;
  const auto time = time_of(file_);
  if (time == disk_time_ || time == fs::file_time_type::min()) return false;
  disk_time_ = time;
  const auto bytes = read_file(file_, kMostBytes);
  if (!bytes) return false;
  const std::string text = CodeEdit(text_of_bytes(*bytes)).text();
  if (text == saved_text_) return false;
  const bool ours = unsaved();
  saved_text_ = text;
  if (ours) {
    note = msg("The file has changed on disk. This text was kept; saving it replaces the other one.");
    return true;
  }
  edit.replace_all(text);
  saved_version_ = seen_version_ = edit.version();
  note = msg("The file has changed on disk and was read again.");
  run_due_ = runner_ != nullptr, quiet_ = kQuietSeconds;
  return true;
}

// --- runs

void ProgramDesk::edited() {
  if (edit.version() == seen_version_) return;
  seen_version_ = edit.version();
  run_due_ = runner_ != nullptr, quiet_ = 0;
}

void ProgramDesk::run_now() { run_due_ = runner_ != nullptr, quiet_ = kQuietSeconds; }

void ProgramDesk::trace_launch() {
  traced_launch_ = launch_;
  run_now();
}

void ProgramDesk::cancel() {
  run_due_ = false;
  if (runner_) runner_->cancel();
}

void ProgramDesk::start() {
  run_due_ = false, started_version_ = edit.version();
  reader::ProgramRequest request;
  if (!fill_request(request)) return;
  answered_ = false;
  runner_->start(request);
}

bool ProgramDesk::tick(double seconds) {
  bool moved = watch(seconds);
  if (motion < 1) motion = std::min(1.f, motion + float(seconds / kStepSeconds)), moved = true;
  moved |= play_on(seconds);
  if ((since_kept_ += seconds) >= kDraftSeconds && edit.version() != kept_version_)
    since_kept_ = 0, (void)keep_draft().ok();
  if (!runner_) return moved;
  if (run_due_ && (quiet_ += seconds) >= kQuietSeconds) start(), moved = true;
  if (auto run = runner_->poll()) take(std::move(*run)), moved = true;
  // Nothing is drawn while only time passes: the compiler needs the cores.
  const std::string progress = runner_->busy() ? runner_->progress_text().id : "";
  moved |= std::exchange(progress_, progress) != progress;
  return moved;
}

bool ProgramDesk::wants_frames() const {
  return playing_ || motion < 1 || run_due_ || busy() || edit.version() != kept_version_;
}

void ProgramDesk::take(Result<reader::ProgramRun> run) {
  if (!run) {
    failure_ = run.error().message;
    return;
  }
  const std::uint64_t now = edit.version();
  show(std::move(*run));
  if (started_version_ != now && run_ && !failed_) run_version_ = started_version_;
}

void ProgramDesk::show(std::shared_ptr<const reader::ProgramRun> shared) {
  failure_.reset(), answered_ = true;
  if (!shared->compiled) {
    failed_ = std::move(shared);
    return;
  }
  failed_.reset();
  const int line = step_line(), before = launch_;
  const std::string kernel = scene_ ? scene_->launch().kernel : "";
  const int step = step_;
  run_ = std::move(shared), run_version_ = edit.version();
  scene_.reset(), segments_.clear();
  finding = std::clamp(finding, 0, std::max(0, int(run_->findings.size()) - 1));
  if (run_->launches.empty()) return;
  int chosen = std::clamp(before, 0, int(run_->launches.size()) - 1);
  if (kernel.empty())  // the first that has something to show
    for (int l = int(run_->launches.size()); l-- > 0;)
      if (run_->launches[std::size_t(l)].traced()) chosen = l;
  open_scene(chosen);
  if (kernel.empty() || !scene_) return;
  // Where the reader was: at the same line, and at the same step of it where that is still there.
  step_ = std::clamp(step, 0, last_step());
  if (line > 0 && step_line() != line) (void)go_to_line(line);
}

void ProgramDesk::open_scene(int launch) {
  launch_ = launch;
  scene_ = std::make_unique<ProgramScene>(run_, launch);
  segments_.clear();
  for (const Phase& phase : scene_->axis().phases())
    segments_.push_back({phase.first, phase.count, scene_->phase_color(phase)});
  step_ = has_steps() ? scene_->opening_step(warp_) : 0;
  motion = 1, stage_scroll = 0, playing_ = false;
  for (int f = 0; f < int(run_->findings.size()); ++f)
    if (const auto& found = run_->findings[std::size_t(f)]; found.launch == launch) {
      finding = f;
      if (is_this_file(found.file)) (void)go_to_line(found.line);
      break;
    }
  motion = 1;
}

void ProgramDesk::choose_launch(int launch) {
  if (!run_ || launch < 0 || launch >= int(run_->launches.size()) || (scene_ && launch == launch_)) return;
  open_scene(launch);
}

// --- what is known of lines

bool ProgramDesk::is_this_file(const std::string& file) const {
  if (file.empty() || file == file_.string() || (run_ && file == run_->program)) return true;
  return fs::path(file).filename() == file_.filename();
}

const std::vector<reader::Diagnostic>& ProgramDesk::diagnostics() const {
  static const std::vector<reader::Diagnostic> none;
  return failed_ ? failed_->diagnostics : run_ ? run_->diagnostics : none;
}

const std::vector<reader::ProgramFinding>& ProgramDesk::findings() const {
  static const std::vector<reader::ProgramFinding> none;
  return run_ ? run_->findings : none;
}

bool ProgramDesk::stopped(int launch) const {
  return run_ && !run_->launches[std::size_t(launch)].traced() &&
         std::any_of(findings().begin(), findings().end(),
                     [&](const reader::ProgramFinding& f) { return f.launch == launch; });
}

std::vector<int> ProgramDesk::findings_at(int line) const {
  std::vector<int> found;
  for (int i = 0; i < int(findings().size()); ++i)
    if (const auto& f = findings()[std::size_t(i)]; f.line == line && is_this_file(f.file))
      found.push_back(i);
  return found;
}

std::vector<int> ProgramDesk::diagnostics_at(int line) const {
  std::vector<int> found;
  for (int i = 0; i < int(diagnostics().size()); ++i)
    if (const auto& d = diagnostics()[std::size_t(i)]; d.line == line && is_this_file(d.file))
      found.push_back(i);
  return found;
}

const reader::ProgramLine* ProgramDesk::line_of_launch(int line) const {
  if (!scene_) return nullptr;
  for (const reader::ProgramLine& one : scene_->launch().lines)
    if (one.line == line && is_this_file(one.file)) return &one;
  return nullptr;
}

LineCost ProgramDesk::cost_of(int line) const {
  const reader::ProgramLine* one = line_of_launch(line);
  return one ? one->cost : LineCost{};
}

const std::vector<std::vector<SyntaxSpan>>& ProgramDesk::syntax() {
  if (syntax_version_ != edit.version() || int(syntax_.size()) != edit.lines())
    syntax_ = syntax_of_lines(edit.text()), syntax_version_ = edit.version();
  syntax_.resize(std::size_t(edit.lines()));
  return syntax_;
}

std::string ProgramDesk::shot_command(int width, int height, bool dark) const {
  std::string command = "lockstep shot '" + file_.string() + "'";
  if (const TextEdit& given = text_of(Field::arguments); given.length() > 0)
    command += " --args '" + given.text() + "'";
  if (scene_) command += " --launch " + std::to_string(launch_ + 1);
  if (has_steps()) command += " --step " + std::to_string(step_);
  command += " --size " + std::to_string(width) + "x" + std::to_string(height);
  return command + (dark ? " --theme dark" : "") + " -o " + file_.stem().string() + ".png";
}

// --- steps

void ProgramDesk::caret_moved() {
  const int line = edit.caret_line() + 1;
  if (std::exchange(caret_line_, line) == line || outdated()) return;
  play(false);
  if (step_line() != line) (void)go_to_line(line);
}

void ProgramDesk::pointer_pressed(Vec2 at) {
  if (bar != Bar::none && !bar_area.contains(at)) bar = Bar::none;
  if (typed_field && !field_areas[std::size_t(*typed_field)].contains(at)) typed_field.reset();
  focused = focused && editor_area.contains(at);
}

void ProgramDesk::take_finding(int index) {
  if (index < 0 || index >= int(findings().size())) return;
  finding = index;
  const reader::ProgramFinding& f = findings()[std::size_t(index)];
  if (f.launch >= 0) choose_launch(f.launch);
  finding = index;
  if (!is_this_file(f.file) || f.line < 1 || f.line > edit.lines()) return;
  edit.go_to_line(f.line - 1), edit.move(CodeEdit::Move::line_begin, false);
  (void)go_to_line(f.line);
  lit_line = 0;
}

void ProgramDesk::go_to(int step, bool animate) {
  step = std::clamp(step, 0, last_step());
  if (step == step_) return;
  const bool single = std::abs(step - step_) == 1;
  step_ = step;
  if (has_steps() && !scene_->steps.steps[std::size_t(step_)].barrier)
    warp_ = scene_->steps.steps[std::size_t(step_)].instruction.warp;
  motion = animate && single && animates ? 0.f : 1.f;
}

void ProgramDesk::phase_by(int phases) {
  if (!has_steps()) return;
  const auto& all = scene_->axis().phases();
  int current = 0;
  while (current + 1 < int(all.size()) && all[std::size_t(current + 1)].first <= step_) ++current;
  if (phases < 0 && step_ > all[std::size_t(current)].first) ++phases;
  go_to(all[std::size_t(std::clamp(current + phases, 0, int(all.size()) - 1))].first);
}

void ProgramDesk::follow_warp(std::int64_t warp) {
  if (!has_steps()) return;
  if (const int step = scene_->axis().step_of_warp(step_, warp); step >= 0) go_to(step);
}

bool ProgramDesk::go_to_line(int line) {
  if (!has_steps()) return false;
  for (const SourceFile& file : run_->files) {
    if (!is_this_file(file.name)) continue;
    const int step = scene_->step_of_line(file.name, line, warp_);
    if (step < 0) continue;
    go_to(step);
    return true;
  }
  return false;
}

int ProgramDesk::step_line() const {
  const Step* step = has_steps() ? scene_->steps.at(step_) : nullptr;
  if (!step) return 0;
  const std::string& file = scene_->file_of(*step);
  return !file.empty() && is_this_file(file) ? int(step->instruction.line) : 0;
}

void ProgramDesk::play(bool on) {
  if (on && step_ == last_step()) go_to(0);
  playing_ = on && last_step() > 0, play_clock_ = 0;
}

bool ProgramDesk::play_on(double seconds) {
  if (!playing_) return false;
  play_clock_ += seconds * steps_per_second;
  const int due = int(play_clock_);
  play_clock_ -= due;
  if (due <= 0) return true;
  if (step_ + due >= last_step()) playing_ = false;
  go_to(step_ + due, steps_per_second <= 4);
  return true;
}

}  // namespace lockstep
