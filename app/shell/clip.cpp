#include "clip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/platform/files.hpp"
#include "app/platform/run_program.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr double kStepSeconds = 0.5, kMotionSeconds = 0.25;  // as the window plays

struct Frame {
  std::string name;
  std::vector<std::uint8_t> png;
};

Result<Frame> draw_frame(const ClipOptions& o, int step, int between, float motion) {
  ShotOptions shot = o.shot;
  shot.step = step, shot.at.reset(), shot.motion = motion;
  shot.output = clip_frame_name(step);  // a figure's caption names it
  auto png = shot_bytes(shot);
  if (!png) return png.error();
  return Frame{clip_frame_name(step, between), std::move(*png)};
}

// The pictures of one step: on its way, where anything moves, and arrived.
Result<std::vector<Frame>> frames_of(const ClipOptions& o, int step) {
  std::vector<Frame> frames;
  auto arrived = draw_frame(o, step, 0, 1);
  if (!arrived) return arrived.error();
  const int moving = std::max(1, int(std::lround(kMotionSeconds * o.fps)));
  for (int i = 1; i < moving && step > o.first; ++i) {
    auto frame = draw_frame(o, step, i, float(i) / float(moving));
    if (!frame) return frame.error();
    if (frame->png == arrived->png) break;  // nothing moves
    frames.push_back(std::move(*frame));
  }
  frames.push_back(std::move(*arrived));
  return frames;
}

Error stopped() { return {Exit::worker_died, {"the clip was cancelled", {}}}; }

// Numbered as ffmpeg reads them; the arrived picture stands until the step's time is over.
class NumberedFrames {
 public:
  NumberedFrames(fs::path folder, int fps) : folder_(std::move(folder)), fps_(fps) {}
  Status add(const std::vector<Frame>& frames) {
    const int per_step = std::max(int(frames.size()), int(std::lround(kStepSeconds * fps_)));
    for (int i = 0; i < per_step; ++i) {
      const Frame& frame = frames[std::size_t(std::min(i, int(frames.size()) - 1))];
      char name[24];
      std::snprintf(name, sizeof name, "%06d.png", count_++);
      if (Status written = write_file_atomically(folder_ / name, frame.png); !written) return written;
    }
    return Unit{};
  }

 private:
  fs::path folder_;
  int fps_, count_ = 0;
};

// What ffmpeg is to make of the pictures; the picture plays once, as in the window.
std::vector<std::string> ffmpeg_words(const ClipOptions& o, const fs::path& frames, const fs::path& to) {
  std::vector<std::string> words{
      "-hide_banner", "-loglevel",           "error", "-y",
      "-framerate",   std::to_string(o.fps), "-i",    (frames / "%06d.png").string()};
  const auto add = [&](std::initializer_list<const char*> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const auto ending = o.output.extension();
  if (ending == ".gif")
    add({"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none", "-loop", "-1"});
  else if (ending == ".webp")
    add({"-c:v", "libwebp", "-lossless", "1", "-loop", "1"});
  else  // players want even sizes and this format of colours
    add({"-c:v", "libx264", "-crf", "16", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
         "-movflags", "+faststart"});
  words.push_back(to.string());
  return words;
}

Status write_folder(const ClipOptions& o, const std::function<bool(int, int)>& progress) {
  for (int step = o.first; step <= o.last; ++step) {
    const auto frames = frames_of(o, step);
    if (!frames) return frames.error();
    for (const Frame& frame : *frames)
      if (Status written = write_file_atomically(o.output / frame.name, frame.png); !written) return written;
    if (!progress(step - o.first + 1, o.last - o.first + 1)) return stopped();
  }
  return Unit{};
}

}  // namespace

std::string clip_frame_name(int step, int between) {
  char name[40];
  between ? std::snprintf(name, sizeof name, "step-%05d-%d.png", step, between)
          : std::snprintf(name, sizeof name, "step-%05d.png", step);
  return name;
}

bool is_clip_folder(const fs::path& output) {
  constexpr std::array kEndings{".gif", ".mp4", ".webp"};
  return std::find(kEndings.begin(), kEndings.end(), output.extension()) == kEndings.end();
}

Status write_clip(const ClipOptions& o, const std::function<bool(int, int)>& progress) {
  // A step that there is not is told before the others are drawn.
  if (const auto last = draw_frame(o, o.last, 0, 1); !last) return last.error();
  if (is_clip_folder(o.output)) return write_folder(o, progress);
  const auto ffmpeg = program_on_path("ffmpeg");
  if (!ffmpeg)
    return unavailable(
        "animations are made by ffmpeg, which is not on PATH: install it, or write the pictures "
        "into a folder with -o {0}/",
        {o.output.stem().string()});
  const ScratchFolder scratch("lockstep-clip");
  if (scratch.path().empty())
    return bad_input("no folder for temporary files can be made in {0}",
                     {fs::temp_directory_path().string()});
  NumberedFrames numbered(scratch.path(), o.fps);
  for (int step = o.first; step <= o.last; ++step) {
    const auto frames = frames_of(o, step);
    if (!frames) return frames.error();
    if (Status added = numbered.add(*frames); !added) return added;
    if (!progress(step - o.first + 1, o.last - o.first + 1)) return stopped();
  }
  const fs::path made = scratch.path() / ("clip" + o.output.extension().string());
  if (Status ran = run_program(*ffmpeg, ffmpeg_words(o, scratch.path(), made)); !ran) return ran;
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  const auto bytes = read_file(made, kMostBytes);
  if (!bytes) return bytes.error();
  return write_file_atomically(o.output, *bytes);
}

}  // namespace lockstep
