#include "keeper.hpp"

#include <cstdio>
#include <utility>

namespace lockstep {

Keeper::Keeper(App& app, std::filesystem::path file, Settings on_disk)
    : app_(app), file_(std::move(file)), kept_(std::move(on_disk)) {}

Keeper::Seen Keeper::now() const {
  std::string typed;
  if (app_.typing)
    typed = std::to_string(int(app_.typing->of)) + app_.typing->name + ":" + app_.typing->edit.text();
  return {app_.state(), std::move(typed), app_.moment(), app_.numbers_are()};
}

// Since the last time nothing but the step has changed.
bool Keeper::only_plays() const {
  if (!app_.playing() || app_.settings() != kept_) return false;
  Seen seen = now();
  seen.state.step = seen_.state.step, seen.moment = seen_.moment;
  return seen == seen_;
}

void Keeper::turn(double seconds, bool dragging) {
  constexpr double kMovingSeconds = 1;
  seconds_since_kept_ += seconds;
  if ((dragging || only_plays()) && seconds_since_kept_ < kMovingSeconds) return;
  keep();
}

void Keeper::keep() {
  seconds_since_kept_ = 0;
  if (Seen seen = now(); seen != seen_) seen_ = std::move(seen), app_.keep_place();
  const Status answers = app_.keep_exercises();
  if (!answers && !std::exchange(fault_told_, true))
    std::fprintf(stderr, "lockstep: %s\n", answers.error().text().c_str());
  if (app_.settings() == kept_) return;
  kept_ = app_.settings();
  const Status written = save_settings(kept_, file_);
  if (!written && !std::exchange(fault_told_, true))
    std::fprintf(stderr, "lockstep: %s\n", written.error().text().c_str());
}

}  // namespace lockstep
