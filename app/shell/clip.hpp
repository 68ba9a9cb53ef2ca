// A stretch of steps as an animation, or as numbered pictures.
#pragma once
#include <filesystem>
#include <functional>

#include "shell.hpp"

namespace lockstep {

struct ClipOptions {
  ShotOptions shot;         // of every step; its step and output are set here
  int first = 0, last = 0;  // steps
  int fps = 12;
  std::filesystem::path output;  // .gif, .mp4 or .webp; else a folder for the pictures
};

// "step-00012.png": the picture that `shot --step 12 -o step-00012.png` draws. On its way from the step
// before "step-00012-1.png" and so on, which sort before it.
std::string clip_frame_name(int step, int between = 0);

bool is_clip_folder(const std::filesystem::path& output);  // it has no ending of an animation

// Draws the steps, two a second as the window plays them, those that move something with pictures in between.
// `progress` is told how many steps are done, and says whether to go on. Without ffmpeg: exit 3, and how to
// get the pictures.
Status write_clip(const ClipOptions& options, const std::function<bool(int, int)>& progress);

}  // namespace lockstep
