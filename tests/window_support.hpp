// The real program on a display of its own, for tests that look at it from outside.
#pragma once
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "app/draw/canvas.hpp"
#include "engine_support.hpp"
#include "places.hpp"
#include "process_support.hpp"

namespace lockstep::test {

using namespace std::chrono_literals;

inline bool installed(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
}

inline bool can_open_windows() {
  const bool can = installed("Xvfb") && installed("xdotool");
  if (!can) MESSAGE("left out: Xvfb or xdotool is not installed");
  return can;
}

// A child process, ended with the object.
class Child {
 public:
  // What it says on its standard error goes to the file `errors`.
  explicit Child(const std::vector<std::string>& words, int kept_fd = -1,
                 const std::string& errors = "/dev/null") {
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, 0), ::dup2(nowhere, 1);
    if (!std::getenv("LOCKSTEP_TEST_SHOW")) ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    if (kept_fd >= 0) ::dup2(kept_fd, 9);
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Child() {
    if (exit_code(0ms) >= 0 || pid_ <= 0) return;
    ::kill(pid_, SIGTERM);
    if (exit_code(3000ms) < 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // Waits at most so long; -1: still running.
  int exit_code(std::chrono::milliseconds patience) {
    for (const auto end = std::chrono::steady_clock::now() + patience; exit_ < 0;) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_)
        exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (exit_ >= 0 || std::chrono::steady_clock::now() >= end) break;
      std::this_thread::sleep_for(10ms);
    }
    return exit_;
  }
  int pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int exit_ = -1;
};

// A display of its own: Xvfb chooses the number and tells it through a pipe. Without -noreset a server starts
// anew whenever its last client leaves: each look of xdotool is one, and a window that opens meanwhile fails.
class Display {
 public:
  Display() {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    server_ = std::make_unique<Child>(std::vector<std::string>{"Xvfb", "-displayfd", "9", "-screen", "0",
                                                               "1280x720x24", "-nolisten", "tcp", "-noreset"},
                                      ends[1]);
    ::close(ends[1]);
    char number[16] = {};
    const ssize_t length = ::read(ends[0], number, sizeof number - 1);
    ::close(ends[0]);
    REQUIRE(length > 0);
    name_ = ":" + std::to_string(std::atoi(number));
  }
  const std::string& name() const { return name_; }
  void vanish() {
    ::kill(server_->pid(), SIGKILL);
    server_.reset();
  }

 private:
  std::unique_ptr<Child> server_;
  std::string name_;
};

class RealWindow {
 public:
  // It opens with a scene, or, where that is "", with the home. `more` are words of `env`: they come last.
  // `arguments` are the program's own; `width` is what its settings ask for.
  explicit RealWindow(const std::vector<std::string>& more = {},
                      const std::string& scene = R"({"schema": 1, "lab": "transpose", "rung": "copy"})",
                      const std::vector<std::string>& arguments = {}, int width = 1280) {
    std::filesystem::create_directories(folder_ / "lockstep");
    std::ofstream(folder_ / "scene.json") << scene;
    std::ofstream(folder_ / "lockstep/settings.json")
        << R"({"window_width": )" << width << R"(, "window_height": 720})";
    std::vector<std::string> words{
        // The GL driver unloads itself and leaves blocks behind that are not ours to free.
        "env",
        "ASAN_OPTIONS=detect_leaks=0",
        "DISPLAY=" + display_.name(),
        "XDG_CONFIG_HOME=" + folder_.path().string(),
        "XDG_DATA_HOME=" + folder_.path().string(),
        "XDG_CACHE_HOME=" + folder_.path().string(),
        "LIBGL_ALWAYS_SOFTWARE=1"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(kProgram);
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (!scene.empty()) words.push_back(folder_ / "scene.json");
    program_ = std::make_unique<Child>(words, -1, folder_ / "errors");
  }
  // xdotool's answer, without the line's end.
  std::string xdotool(const std::string& words) const {
    const std::string command = "DISPLAY=" + display_.name() + " xdotool " + words + " 2>/dev/null";
    std::string answer;
    if (FILE* pipe = ::popen(command.c_str(), "r")) {
      for (int c; (c = std::fgetc(pipe)) != EOF;) answer += char(c);
      ::pclose(pipe);
    }
    while (!answer.empty() && answer.back() == '\n') answer.pop_back();
    return answer;
  }
  std::string title() const {
    const std::string id = xdotool("search --name Lockstep | head -1");
    return id.empty() ? "" : xdotool("getwindowname " + id);
  }
  // Of the second one; "" while there is none.
  std::string notes_title() const {
    const std::string id = xdotool("search --name '^Notes' | head -1");
    return id.empty() ? "" : xdotool("getwindowname " + id);
  }
  bool shows_notes(const std::string& wanted, std::chrono::milliseconds patience = 60s) const {
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(30ms))
      if (wanted.empty() ? notes_title().empty() : notes_title().find(wanted) != std::string::npos)
        return true;
    MESSAGE("the notes' title is '" << notes_title() << "', not '" << wanted << "'; said: " << errors());
    return false;
  }
  // Waits until the title contains `wanted`: no longer than a machine takes that has other work, too.
  bool shows(const std::string& wanted, std::chrono::milliseconds patience = 60s) const {
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(30ms))
      if (title().find(wanted) != std::string::npos) return true;
    MESSAGE("the title is '" << title() << "', not '" << wanted << "'; said: " << errors());
    return false;
  }
  // No window manager runs here: the focus has to be set.
  void focus() const { xdotool("search --name Lockstep windowfocus --sync"); }
  // 12 ms apart: GLFW takes two presses of a key within one millisecond for one.
  void keys(const std::string& names) const { xdotool("key --delay 12 " + names); }
  void click(Vec2 at, int times = 1) const {
    xdotool("mousemove " + std::to_string(int(at.x)) + " " + std::to_string(int(at.y)));
    xdotool("click --delay 0 --repeat " + std::to_string(times) + " 1");
  }
  Child& program() { return *program_; }
  Display& display() { return display_; }
  std::vector<int> workers() const { return children_of(program_->pid()); }
  std::string errors() const { return text_of(folder_ / "errors"); }
  std::string settings() const { return text_of(folder_ / "lockstep/settings.json"); }
  // Share of one core used within the next second.
  double load() const {
    const auto ticks = [&] {
      std::ifstream file("/proc/" + std::to_string(program_->pid()) + "/stat");
      std::string word;
      double sum = 0;
      for (int i = 1; file >> word && i <= 15; ++i)
        if (i >= 14) sum += std::atof(word.c_str());  // utime, stime
      return sum;
    };
    const double before = ticks();
    std::this_thread::sleep_for(1s);
    return (ticks() - before) / double(::sysconf(_SC_CLK_TCK));
  }

 private:
  TemporaryFolder folder_;
  Display display_;
  std::unique_ptr<Child> program_;
};

}  // namespace lockstep::test
