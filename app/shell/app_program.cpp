// A reader's own program in the window: how it is opened and left, and its keys.
#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "app.hpp"
#include "app/platform/files.hpp"
#include "app/platform/paths.hpp"
#include "program_desk.hpp"

namespace lockstep {
namespace {

std::filesystem::path drafts_folder() {
  const std::filesystem::path settings = settings_path();
  return settings.empty() ? settings : settings.parent_path() / "drafts";
}

std::string whole_name(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::absolute(file, unknown).lexically_normal().string();
}

// The last one first, each once.
void remember_program(std::vector<std::string>& programs, const std::filesystem::path& file) {
  const std::string name = whole_name(file);
  std::erase(programs, name);
  programs.insert(programs.begin(), name);
  if (programs.size() > kMostPrograms) programs.resize(kMostPrograms);
}

}  // namespace

void App::make_desk() {
  if (!program_)
    program_ = std::make_unique<ProgramDesk>(runner_ ? runner_->programs() : nullptr,
                                             runner_ ? drafts_folder() : std::filesystem::path{});
  program_->animates = state_.motion;
}

// A page in a browser has no compiler; it says what does.
bool App::refused_program(const std::string& file) {
  if (page_address.empty()) return false;
  (void)failed(
      unavailable("a page in a browser compiles no CUDA program; with Lockstep on your machine: lockstep {0}",
                  {typed_path(file).filename().string()}));
  return true;
}

bool App::open_program(const std::string& typed) {
  if (refused_program(typed)) return false;
  make_desk();
  if (program_->unsaved()) (void)program_->keep_draft().ok();
  if (const Status opened = program_->open(typed_path(typed)); !opened) return failed(opened.error());
  remember_program(settings_.programs, program_->file());
  const auto kept = settings_.program_fields.find(whole_name(program_->file()));
  if (kept != settings_.program_fields.end()) program_->restore_fields(kept->second);
  remember(), merged_.clear(), typing.reset(), banner.reset(), close_menu();
  playing_ = help = false;
  state_.home = false, state_.program = true;
  return true;
}

// Under a name that no file has yet; nothing is written before it is saved.
bool App::new_program(const std::string& name) {
  if (!runner_ || !runner_->programs()) return false;
  const auto text = runner_->programs()->template_text(name);
  if (!text) return failed(text.error());
  make_desk();
  if (program_->unsaved()) (void)program_->keep_draft().ok();
  std::filesystem::path file = name + ".cu";
  std::error_code unknown;
  for (int n = 2; std::filesystem::exists(file, unknown); ++n) file = name + "-" + std::to_string(n) + ".cu";
  program_->open_text(file, *text);
  remember(), merged_.clear(), typing.reset(), banner.reset(), close_menu();
  state_.home = false, state_.program = true;
  return true;
}

void App::show_desk(std::unique_ptr<ProgramDesk> desk) {
  program_ = std::move(desk);
  state_.program = true, state_.home = false;
}

void App::go_to_program() {
  if (refused_program("my.cu")) return;
  if (!program_) return open_menu(MenuKind::program);
  if (shows_program()) return open_menu(MenuKind::program);
  remember(), merged_.clear(), commit_typing();
  playing_ = false;
  state_.program = true, state_.home = false;
}

bool App::program_takes_text() const { return shows_program() && program_->takes_text(); }

void App::keep_program_fields() {
  auto kept = program_->kept_fields();
  const std::string name = whole_name(program_->file());
  if (kept.empty())
    settings_.program_fields.erase(name);
  else
    settings_.program_fields[name] = std::move(kept);
}

void App::take_program_wishes() {
  if (auto text = std::exchange(program_->to_clipboard, std::nullopt)) to_clipboard = std::move(text);
  wants_clipboard |= std::exchange(program_->wants_clipboard, false);
}

// What is not the program's own: themes, languages, the way home.
bool App::on_program_key(const KeyPress& key) {
  caret_clock_ = 0;
  if (help) return help = false, true;
  if (key.key == Key::f11) return set_projector(!state_.projector), true;
  if (state_.projector && !program_->takes_text()) {
    if (key.key == Key::character && key.character == 'B' && !key.ctrl) return blank = true;
    if (key.key == Key::escape && !banner) return set_projector(false), true;
    // Of what is not there nothing gets the keyboard.
    const bool elsewhere = key.key == Key::enter || key.key == Key::f6 || key.key == Key::tab;
    if (elsewhere ||
        (key.key == Key::character && std::string_view("ASE").find(key.character) != std::string_view::npos))
      return true;
  }
  const bool taken = program_->on_key(key);
  take_program_wishes(), keep_program_fields();
  if (taken) return true;
  if (key.key == Key::escape) {
    if (chooser_open) return chooser_open = false, true;
    if (banner) return banner.reset(), true;
    return go_home(), true;
  }
  if (key.key != Key::character) return true;
  if (key.ctrl) return key.character == 'O' ? on_control(key) : true;
  if (key.character == 'E') {
    chooser_open = !chooser_open;
    if (chooser_open) wanted_focus = "program/engine/emulator";
    return true;
  }
  return std::string_view("TLH/?").find(key.character) != std::string_view::npos ? on_character(key) : false;
}

std::string App::program_glyphs() const {
  if (!program_) return "";
  std::string text = program_->edit.text() + program_->name();
  if (const reader::ProgramRun* run = program_->run()) text += run->output;
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return text;
}

}  // namespace lockstep
