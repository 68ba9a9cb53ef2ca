// Fields: which one has the keyboard, what its keys do, and what becomes of what was typed.
#include <charconv>
#include <cmath>
#include <utility>

#include "app.hpp"
#include "field_keys.hpp"
#include "program_desk.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr double kBlinkSeconds = 0.5;      // on, and off
constexpr std::size_t kMaxTyped = 200;     // code points of a value
constexpr std::size_t kMaxWritten = 2000;  // of an answer in words

}  // namespace

TextEdit* App::field() {
  if (types_value()) return &typing->edit;
  return has_field(menu.kind) ? &menu.edit : nullptr;
}

void App::type_character(char32_t c) {
  if (program_takes_text() && menu.kind == MenuKind::none)
    return caret_clock_ = 0, program_->type_character(c);
  TextEdit* const edit = field();
  if (!edit) return;
  edit->type(c);
  caret_clock_ = 0, menu.row = 0;
}

void App::paste(const std::string& text) {
  if (program_takes_text() && menu.kind == MenuKind::none) return caret_clock_ = 0, program_->paste(text);
  TextEdit* const edit = field();
  if (!edit) {
    open_text(text, tr("the text on the clipboard"));
    return;
  }
  edit->paste(text.substr(0, text.find_first_of("\r\n")));
  caret_clock_ = 0, menu.row = 0;
}

void App::begin_typing(Typing::Of of, const std::string& name, const std::string& text) {
  commit_typing();
  const bool words = exercise() && (of == Typing::Of::answer || of == Typing::Of::reason);
  typing = Typing{of, name, TextEdit(text, words ? kMaxWritten : kMaxTyped), {}, true, {}};
  caret_clock_ = 0;
}

void App::search_timeline() { begin_typing(Typing::Of::search, "", state_.timeline.search); }

void App::commit_typing() {
  if (!typing) return;
  keep_typed_part();
  if (typing->of == Typing::Of::answer || typing->of == Typing::Of::reason)
    return typing.reset();                              // only give_answer() takes it
  Typing typed = *std::exchange(typing, std::nullopt);  // what follows may begin another one
  if (const Status taken = take_typed(typed); !taken) {
    typed.wrong = taken.error().message;
    typing = std::move(typed);
  }
}

void App::leave_field() {
  if (!types_value()) return;
  keep_typed_part();
  if (typing->of == Typing::Of::answer && typing->edit.length() > 0) {
    typing->focused = false;
    return;
  }
  const bool emptied = typing->edit.length() == 0 && !searching();
  if (emptied) return typing.reset();  // the value that stood there stays
  commit_typing();
  if (typing) typing->focused = false;
}

void App::pointer_pressed(Vec2 at) {
  notice.reset();
  blank = false;
  if (typing && !typing->area.contains(at)) leave_field();
  if (shows_program() && menu.kind == MenuKind::none) program_->pointer_pressed(at);
}

Status App::take_typed(const Typing& typed) {
  const std::string text = typed.edit.text();
  switch (typed.of) {
    case Typing::Of::search: {
      TimelineView view = state_.timeline;
      view.search = text;
      return look_at(view), Status(Unit{});
    }
    case Typing::Of::parameter: {
      const auto setting = parse_setting(info(), typed.name + "=" + text);
      if (!setting) return setting.error();
      const auto params = params_with(setting->first, setting->second);
      if (!params) return params.error();
      return set_param(setting->first, setting->second), Status(Unit{});
    }
    case Typing::Of::block:
    case Typing::Of::warp:
      return take_followed(typed);
    case Typing::Of::code:
      return choose_seed(text) ? Status(Unit{}) : Status(Error{Exit::bad_input, *exercise_fault});
    case Typing::Of::answer:
    case Typing::Of::reason:
      break;
  }
  return Unit{};
}

App::Grid App::grid() const {
  if (!run() || run()->launches.empty()) return {};
  const auto warps_of = [](const Launch& launch) { return (launch.threads() + kWarpSize - 1) / kWarpSize; };
  if (has_steps()) {  // a launch of fewer blocks than another shows its last one
    const auto at = std::size_t(scene_->axis().launch_of(std::clamp(state_.step, 0, last_step())));
    const Launch& launch = run()->launches[std::min(at, run()->launches.size() - 1)];
    const std::int64_t blocks = launch.blocks(), warps = warps_of(launch);
    return {blocks, warps, std::clamp<std::int64_t>(state_.block, 0, std::max<std::int64_t>(0, blocks - 1)),
            std::min(shown_warp(), std::max<std::int64_t>(0, warps - 1))};
  }
  Grid largest{0, 0, state_.block, shown_warp()};
  for (const Launch& launch : run()->launches)
    largest.blocks = std::max(largest.blocks, launch.blocks()),
    largest.warps = std::max(largest.warps, warps_of(launch));
  return largest;
}

Status App::take_followed(const Typing& typed) {
  const std::string text = typed.edit.text();
  const bool block = typed.of == Typing::Of::block;
  const std::int64_t count = block ? grid().blocks : grid().warps;
  std::int64_t number = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 0 || number >= count)
    return block ? bad_input("this grid has no block '{0}': its blocks are 0 to {1}",
                             {text, std::to_string(count - 1)})
                 : bad_input("this block has no warp '{0}': its warps are 0 to {1}",
                             {text, std::to_string(count - 1)});
  if (number == (block ? grid().block : grid().warp)) return Unit{};
  block ? follow(number) : follow_warp(number);
  return Unit{};
}

bool App::caret_shown() const {
  return !state_.motion || std::fmod(caret_clock_, 2 * kBlinkSeconds) < kBlinkSeconds;
}

bool App::blink(double seconds) {
  if (!takes_text() || !state_.motion) return false;
  const bool shown = caret_shown();
  caret_clock_ += seconds;
  return caret_shown() != shown;
}

// What else it is told (Enter, Escape, up, down, Tab) is for whoever opened it.
bool App::on_field_key(TextEdit& edit, const KeyPress& key) {
  caret_clock_ = 0;
  ClipboardWish wish;
  const bool taken = edit_by_key(edit, key, wish);
  if (taken && (key.key == Key::backspace || key.key == Key::del)) menu.row = 0;
  if (!wish.copied.empty()) to_clipboard = std::move(wish.copied);
  wants_clipboard |= wish.paste;
  return taken;
}

}  // namespace lockstep
