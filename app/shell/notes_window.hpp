// The second window: notes for the one who speaks. It has a GL context, an ImGui context and a glyph atlas of
// its own, so that it may stand on a screen of another scale.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "app/draw/language.hpp"

struct GLFWwindow;
struct ImGuiContext;

namespace lockstep {

class App;

class NotesWindow {
 public:
  // `listen`: to its keys, as to those of the window that it stands beside.
  NotesWindow(GLFWwindow* beside, std::function<void(GLFWwindow*)> listen)
      : beside_(beside), listen_(std::move(listen)) {}
  ~NotesWindow() { close(); }
  NotesWindow(const NotesWindow&) = delete;
  NotesWindow& operator=(const NotesWindow&) = delete;

  // Opens or closes it as the app wishes. One that cannot be opened is said, and not wished for any more.
  void follow(App& app);
  void draw(App& app);

 private:
  bool open(std::string& cause);
  void close();
  void prepare_fonts(App& app, int width, int height);

  GLFWwindow* const beside_;
  const std::function<void(GLFWwindow*)> listen_;
  GLFWwindow* handle_ = nullptr;
  ImGuiContext* context_ = nullptr;
  float scale_ = 0, fonts_for_ = 0;
  Language language_ = Language::english;
  std::string characters_, title_;
};

}  // namespace lockstep
