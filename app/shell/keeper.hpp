// Writes down what the reader did as soon as it is done: where the program is killed, what had been done
// before is on disk. The file is replaced by renaming, so that it is always whole.
#pragma once
#include <filesystem>
#include <string>

#include "app.hpp"

namespace lockstep {

class Keeper {
 public:
  // `on_disk`: what the file holds.
  Keeper(App& app, std::filesystem::path file, Settings on_disk);
  // At every turn of the window's loop, before it shows what has changed. A step that plays and what is
  // dragged are written once a second, and where they end.
  void turn(double seconds, bool dragging);
  void keep();  // now

 private:
  // What the settings' place follows; where it is as it was, there is nothing new to be written.
  struct Seen {
    AppState state;
    std::string typed, moment;
    App::Numbers numbers = App::Numbers::none;
    bool operator==(const Seen&) const = default;
  };
  Seen now() const;
  bool only_plays() const;

  App& app_;
  const std::filesystem::path file_;
  Settings kept_;
  Seen seen_;
  double seconds_since_kept_ = 0;
  bool fault_told_ = false;  // of a folder that cannot be written: once
};

}  // namespace lockstep
