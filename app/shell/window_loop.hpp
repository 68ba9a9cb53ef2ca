// What a window does with what comes in, turn by turn, whatever it stands on: GLFW (window.cpp) or a page of
// a browser.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/draw/language.hpp"
#include "canvas_imgui.hpp"
#include "frame_painter.hpp"
#include "grid_renderer.hpp"
#include "lens.hpp"
#include "views.hpp"

namespace lockstep {

class Keeper;

// Every event is queued as it comes and replayed, at most one change of a mouse button per turn, so that a
// click that begins and ends within one slow frame is not lost.
struct MouseAt {
  float x, y;
};
struct MouseButton {
  int button;
  bool down;
};
struct MouseWheel {
  float y;
};
struct Character {
  char32_t c;
};
struct Dropped {
  std::string file;
};
struct NotesWheel {
  float y;
};
using WindowEvent = std::variant<MouseAt, MouseButton, MouseWheel, KeyPress, Character, Dropped, NotesWheel>;

// What the loop asks of the window that it is in.
class WindowHost {
 public:
  struct Size {
    int width = 0, height = 0;             // as the system counts, and as the pointer is told
    int pixels_wide = 0, pixels_high = 0;  // of the picture
    float scale = 1;                       // pixels for one of ours
  };
  virtual ~WindowHost() = default;
  virtual Size size() = 0;
  virtual bool shift_down() = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual void copy(const std::string& text) = 0;         // to the clipboard
  virtual std::optional<std::string> clipboard() = 0;     // nothing: empty, or it comes later as App::paste
  virtual Status open_page(const std::string& page) = 0;  // of App::wanted_page
  virtual bool keeps_pixels() = 0;                        // of the frame that was shown, under the next one
  virtual void show_frame() = 0;                          // what was drawn
  virtual void close() = 0;
};

class WindowLoop {
 public:
  // Needs a current GL context and ImGui with its OpenGL backend.
  WindowLoop(WindowHost& host, App& app, Keeper& keeper);
  void add(WindowEvent event) { events_.push_back(std::move(event)); }
  void redraw() { changed_ = true; }
  // Nothing waits to be done: the host may sleep until an event comes, or for the time of a frame where
  // app.wants_frames().
  bool idle() const { return events_.empty() && still_to_draw_ <= 0 && !changed_; }
  // Replays what has come, and draws where something has changed. `seconds` since the turn before. True: a
  // frame was drawn.
  bool turn(double seconds);
  const std::string& focus() const { return interaction_.focus(); }  // the control that has the keyboard

 private:
  bool replay();
  void replay(const WindowEvent& event);
  void take_key(const KeyPress& key);
  void take_button(const MouseButton& button);
  void grant_wishes();
  void update_scale();
  std::string names_on_screen() const;
  void update_title();
  void draw(float seconds);

  WindowHost& host_;
  App& app_;
  Keeper& keeper_;
  std::deque<WindowEvent> events_;
  MouseAt pointer_{0, 0};  // behind the events that were replayed
  bool changed_ = true;
  Interaction interaction_;
  GridRenderer grids_;
  FramePainter painter_;
  Lens lens_;
  float scale_ = 1, pixels_per_point_ = 1, font_scale_ = 0;
  Language font_language_ = Language::english;
  std::string font_names_, title_;
  std::vector<float> font_sizes_;
  bool fonts_uploaded_ = false;
  int still_to_draw_ = 2;
};

}  // namespace lockstep
