// The real window under Xvfb, driven by keys and mouse with xdotool. The window's title tells where it
// stands.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "app_support.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

using namespace std::chrono_literals;

bool installed(const char* program) {
  return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
}

// A child process, ended with the object.
class Child {
 public:
  explicit Child(const std::vector<std::string>& words, int kept_fd = -1) {
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, 0), ::dup2(nowhere, 1);
    if (!std::getenv("LOCKSTEP_TEST_SHOW")) ::dup2(nowhere, 2);
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

// A display of its own: Xvfb chooses the number and tells it through a pipe.
class Display {
 public:
  Display() {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    server_ = std::make_unique<Child>(std::vector<std::string>{"Xvfb", "-displayfd", "9", "-screen", "0",
                                                               "1280x720x24", "-nolisten", "tcp"},
                                      ends[1]);
    ::close(ends[1]);
    char number[16] = {};
    const ssize_t length = ::read(ends[0], number, sizeof number - 1);
    ::close(ends[0]);
    REQUIRE(length > 0);
    name_ = ":" + std::to_string(std::atoi(number));
  }
  const std::string& name() const { return name_; }

 private:
  std::unique_ptr<Child> server_;
  std::string name_;
};

class RealWindow {
 public:
  RealWindow() {
    std::filesystem::create_directories(folder_ / "lockstep");
    std::ofstream(folder_ / "lockstep/settings.json") << R"({"window_width": 1280, "window_height": 720})";
    program_ = std::make_unique<Child>(std::vector<std::string>{
        // The GL driver unloads itself and leaves blocks behind that are not ours to free.
        "env", "ASAN_OPTIONS=detect_leaks=0", "DISPLAY=" + display_.name(),
        "XDG_CONFIG_HOME=" + folder_.path().string(), "XDG_DATA_HOME=" + folder_.path().string(),
        "LIBGL_ALWAYS_SOFTWARE=1", LOCKSTEP_PROGRAM});
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
  // Waits until the title contains `wanted`.
  bool shows(const std::string& wanted, std::chrono::milliseconds patience = 10s) const {
    for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;
         std::this_thread::sleep_for(30ms))
      if (title().find(wanted) != std::string::npos) return true;
    MESSAGE("the title is '" << title() << "', not '" << wanted << "'");
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
  std::vector<int> workers() const {
    const std::string pid = std::to_string(program_->pid());
    std::vector<int> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + pid + "/task")) {
      std::ifstream children(thread.path() / "children");
      for (int child; children >> child;) found.push_back(child);
    }
    return found;
  }
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

// Where a control of a window of 1280 x 720 lies, from the same drawing code.
Vec2 place_of(const std::string& id, const std::string& rung) {
  FakeRunner runner;
  App app(state_of(rung, 128), &runner);
  app.show(emulated(rung, 128));
  Screen screen(app, 1280, 720);
  return screen.area(id).center();
}

}  // namespace

TEST_CASE("a real window: it runs, steps by keys and mouse without losing one, and quits") {
  if (!installed("Xvfb") || !installed("xdotool")) {
    MESSAGE("left out: Xvfb or xdotool is not installed");
    return;
  }
  RealWindow window;
  REQUIRE(window.shows("· step ", 20s));  // the first run is there
  window.focus();

  SUBCASE("keys") {
    window.keys("Home");
    CHECK(window.shows("copy · step 1 of"));
    window.keys("Right Right Right Right Right");  // within one slow frame
    CHECK(window.shows("step 6 of"));
    window.keys("Left Left");
    CHECK(window.shows("step 4 of"));
    window.keys("2");
    CHECK(window.shows("naive · step 4 of"));
    window.keys("bracketright");
    CHECK(window.shows("tiled · step 4 of"));
    window.keys("ctrl+z ctrl+z");
    CHECK(window.shows("copy · step 4 of"));
    window.keys("ctrl+shift+z");
    CHECK(window.shows("naive · step 4 of"));
    window.keys("t");
    std::this_thread::sleep_for(500ms);  // until the last frame is drawn
    MESSAGE("idle: " << 100 * window.load() << " % of a core");
  }
  SUBCASE("scenes and find") {
    const TemporaryFolder folder;
    window.keys("4 Home Right Right");
    CHECK(window.shows("padded · step 3 of"));
    window.keys("ctrl+s");
    window.xdotool("type --delay 12 '" + (folder / "a.json").string() + "'");
    window.keys("Return ctrl+c");
    window.keys("slash");
    window.xdotool("type --delay 12 naive");
    window.keys("Return");
    CHECK(window.shows("naive · step 3 of"));
    window.keys("ctrl+v");
    CHECK(window.shows("padded · step 3 of"));
    CHECK(text_of(folder / "a.json").find("\"rung\": \"padded\"") != std::string::npos);
    window.keys("c Return 2 End");  // beside copy, then naive beside copy
    CHECK(window.shows("naive · step 64 of"));
    window.keys("Escape t");
  }
  SUBCASE("a worker that is killed") {
    const auto workers = window.workers();
    REQUIRE(workers.size() > 0);
    for (int pid : workers) ::kill(pid, SIGKILL);
    window.keys("3");
    window.keys("r");  // the first run after the death may have ended with it
    CHECK(window.shows("of 129"));
    window.keys("t");
  }
  SUBCASE("mouse") {
    window.click(place_of("step/first", "copy"));
    CHECK(window.shows("step 1 of"));
    window.click(place_of("step/next", "copy"), 6);  // six fast clicks
    CHECK(window.shows("step 7 of"));
    window.click(place_of("rung/padded", "copy"));
    CHECK(window.shows("padded · step 7 of"));
    window.click(place_of("switch/theme", "padded"));
  }
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(10s) == 0);
  CHECK(window.settings().find("\"dark\": true") != std::string::npos);
}
