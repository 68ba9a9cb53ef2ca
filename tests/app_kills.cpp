// A kill at any moment loses at most the keystroke in flight: what is on disk afterwards is whole, and brings
// back lab, settings, moment, story, exercise and what stood in a field.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "app/engine/engine.hpp"
#include "app/shell/keeper.hpp"
#include "app/shell/scene.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"
#include "exercise_sample.hpp"
#include "window_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char* kLabs[] = {"transpose", "banks", "coalescing"};
constexpr int kKeystrokes = 60;

// Whatever is asked for has been run before, or is run now.
class ReadyRunner final : public FakeRunner {
 public:
  void start(const Request& request) override { FakeRunner::start(request), answer(run_of(request)); }
  void start_soon(std::vector<Request> requests) override {
    for (const Request& request : requests) background_answers.push_back({request, run_of(request)});
  }

 private:
  static Result<Run> run_of(const Request& request) {
    static const Engines engines{nullptr, make_emulator_engine(), nullptr};
    static std::map<std::tuple<std::string, std::string, Params, std::int64_t>, Result<Run>> made;
    const std::tuple key{request.lab, request.rung, request.params, request.block};
    auto known = made.find(key);
    if (known == made.end()) {
      Request emulated = request;
      emulated.engine = EngineKind::emulator;
      known = made.emplace(key, run_request(engines, emulated, [](const Progress&) { return true; })).first;
    }
    if (!known->second) return known->second.error();
    Run run = *known->second;
    run.request = request;
    return run;
  }
};

// What a restart has to bring back; a moment only where its run was there.
struct Memory {
  std::string all, moment;
};

Memory memory_of(App& app) {
  app.keep_place();
  const AppState& s = app.state();
  const Settings& kept = app.settings();
  std::string all = s.lab + "/" + s.rung;
  for (const auto& [name, value] : s.params) all += " " + name + "=" + to_string(value);
  all += " scene " + std::to_string(s.story_scene) + " field '" + kept.typed_field + "' '" + kept.typed_text +
         "' width " + std::to_string(int(kept.lesson_width)) + (kept.dark ? " dark " : " light ") +
         kept.language;
  for (const auto& [story, replies] : kept.stories)
    for (const std::string& reply : replies) all += " " + story + ":" + reply;
  for (const auto& [claim, replies] : kept.claims) all += " " + claim + ":" + replies.front();
  all += " book " + s.book;
  for (const PartRecord& part : app.exercises()->answers("sample").parts) {
    // A first keystroke that was in flight may leave an empty record.
    if (part.answer.text.empty() && part.answer.reason.empty() && part.hints == 0 && part.attempts.empty())
      continue;
    all += " part " + part.id + " '" + part.answer.text + "' '" + part.answer.reason + "' hints " +
           std::to_string(part.hints) + (part.locked ? " locked" : "");
    for (const Attempt& attempt : part.attempts) all += " " + attempt.verdict + ":" + attempt.answer.text;
  }
  return {all, app.numbers_are() == App::Numbers::current ? app.moment() : ""};
}

// The sample exercise lies in `folder`, its answers in `answers`.
App app_with(const Settings& settings, Runner& runner, bool home, const std::filesystem::path& folder,
             const std::filesystem::path& answers) {
  AppState state;
  state.home = home, state.lab = kLabs[0];
  state.dark = settings.dark,
  state.language = settings.language == "zh" ? Language::chinese : Language::english;
  App app(state, &runner, settings);
  app.tell_stories({in_source("assets/stories"), folder / "stories"});
  app.give_exercises(answers);
  return app;
}

// Someone at the keyboard: the same keystrokes for the same seed.
class Reader {
 public:
  Reader(unsigned seed, const std::filesystem::path& folder, const std::filesystem::path& answers)
      : random_(seed), app_(app_with({}, runner_, false, folder, answers)) {
    settle([] {});
  }
  // One keystroke or click and what comes of it; `turn` is called as the window's loop does.
  template <class Turn>
  void keystroke(Turn&& turn) {
    app_.typing ? write() : act();
    turn();
    settle(turn);
  }
  App& app() { return app_; }

 private:
  unsigned pick(unsigned count) { return unsigned(random_() % count); }
  template <class Turn>
  void settle(Turn&& turn) {
    for (int frame = 0; frame < 3; ++frame) {
      app_.tick(0.05);
      if (app_.story() && !app_.state().home) (void)app_.scene_words();
      turn();
    }
  }
  void write() {
    const unsigned kind = pick(8);
    if (kind < 5) return app_.type_character(U"0123456789"[pick(10)]);
    if (kind == 5) return (void)app_.on_key({Key::backspace});
    app_.on_key({kind == 6 ? Key::enter : Key::escape});
  }
  void act() {
    const auto letter = [&](char c, bool ctrl = false) { app_.on_key({Key::character, c, ctrl, false}); };
    switch (pick(20)) {
      case 16:
      case 17:
        if (app_.exercise()) return work();
        return void(app_.open_exercise("sample"));
      case 18:
        return app_.exercise() ? work() : void(app_.open_book("claims/column_stores"));
      case 19:
        return app_.exercise() ? work() : void(app_.open_book("exercises/sample", int(pick(kSampleParts))));
      case 0:
        return letter(']');
      case 1:
        return letter(char('1' + pick(6)));
      case 2:
        return letter('T');
      case 3:
        return pick(4) ? letter('Z', true) : letter('L');
      case 4:
        return app_.choose_lab(kLabs[pick(3)]);
      case 5:
        app_.settings().lesson_width = float(400 + pick(400));
        return;
      case 6:
        return letter('H');
      case 7:
      case 11:
      case 12:
        if (!app_.state().home) app_.on_key({pick(3) ? Key::page_down : Key::page_up});
        return;
      case 8:
      case 9:
      case 10:
        return open_field();
      default:
        constexpr Key moves[] = {Key::left, Key::right, Key::right, Key::end, Key::down};
        app_.on_key({moves[pick(5)], 0, false, pick(3) == 0});
    }
  }
  // At the open part.
  void work() {
    if (app_.state().home || pick(6) == 0) return app_.take_hint();
    if (!app_.part().ask.options.empty()) {
      if (pick(3) == 0 && app_.part().kind != PartKind::choice) return app_.hand_in_part();
      return app_.choose_option(1 + int(pick(3)));
    }
    const bool types = app_.part().kind != PartKind::set && app_.part().kind != PartKind::program;
    if (types && app_.story_reply().kind == StoryReply::Kind::none)
      return app_.begin_typing(App::Typing::Of::answer, "", app_.part_text());
    app_.on_key({Key::page_down});
  }
  void open_field() {
    if (app_.state().home) return;
    if (app_.exercise()) return work();
    const bool asks = app_.state().story_scene >= 0 && app_.told_scene().ask &&
                      app_.told_scene().ask->kind != Ask::Kind::set &&
                      app_.story_reply().kind == StoryReply::Kind::none;
    if (asks && pick(5) == 0) return app_.show_story_answer();
    if (asks && app_.told_scene().ask->kind == Ask::Kind::choice) return app_.answer_story("1");
    if (asks && pick(2)) return app_.begin_typing(App::Typing::Of::answer, "", "");
    const auto& params = app_.state().params;
    if (params.contains("n")) app_.begin_typing(App::Typing::Of::parameter, "n", to_string(params.at("n")));
  }

  std::mt19937 random_;
  ReadyRunner runner_;
  App app_;
};

// Reports each keystroke that is done, in so many bytes; never returns.
[[noreturn]] void walk_and_report(Reader& reader, const std::filesystem::path& file, int to) {
  constexpr std::size_t kReport = 128;
  Keeper keeper(reader.app(), file, {});
  for (int i = 0; i < kKeystrokes; ++i) {
    reader.keystroke([&] { keeper.turn(0.05, false); });
    const std::string report(kReport, 'k');
    if (::write(to, report.data(), report.size()) != ssize_t(report.size())) ::_exit(1);
  }
  for (;;) ::pause();
}

// The keystrokes that were done when the kill came, once so many bytes had been told.
int kill_after(std::size_t bytes, Reader& reader, const std::filesystem::path& file) {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  ::fcntl(ends[0], F_SETPIPE_SZ, 4096);  // the walk cannot run far ahead
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    try {
      walk_and_report(reader, file, ends[1]);
    } catch (const std::exception& fault) {
      ::_exit((std::fprintf(stderr, "%s\n", fault.what()), 1));
    } catch (...) {
      ::_exit(2);
    }
  }
  ::close(ends[1]);
  char buffer[4096];
  std::size_t told = 0;
  const auto take = [&](std::size_t most) {
    const ssize_t got = ::read(ends[0], buffer, std::min(most, sizeof buffer));
    told += std::size_t(std::max<ssize_t>(got, 0));
    return got > 0;
  };
  while (told < bytes && take(bytes - told)) continue;
  ::kill(child, SIGKILL);
  while (take(sizeof buffer)) continue;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CAPTURE(status);
  REQUIRE(WIFSIGNALED(status));
  return int(told / 128);
}

}  // namespace

TEST_CASE("a kill at any of 100 random moments loses at most the keystroke in flight") {
#ifdef __SANITIZE_ADDRESS__  // ten times as slow
  constexpr unsigned kWalks = 3, kKills = 10;
#else
  constexpr unsigned kWalks = 10, kKills = 10;
#endif
  std::mt19937 random(20261123);
  int behind = 0, restored_fields = 0, restored_answers = 0, restored_parts = 0;
  const TemporaryFolder exercises;
  write_sample(exercises.path());
  for (unsigned seed = 0; seed < kWalks; ++seed) {
    std::vector<Memory> done;  // after so many keystrokes
    {
      Reader reader(seed, exercises.path(), {});
      done.push_back(memory_of(reader.app()));
      for (int i = 0; i < kKeystrokes; ++i) reader.keystroke([] {}), done.push_back(memory_of(reader.app()));
    }
    for (unsigned kill = 0; kill < kKills; ++kill) {
      const TemporaryFolder folder;
      Reader reader(seed, exercises.path(), folder / "answers");
      const auto count = std::size_t(kill_after(random() % (kKeystrokes * 128), reader, folder / "s.json"));
      std::optional<Message> damaged;
      const Settings kept = load_settings(folder / "s.json", &damaged);
      CHECK_FALSE(damaged.has_value());
      ReadyRunner runner;
      App again = app_with(kept, runner, true, exercises.path(), folder / "answers");
      again.return_to_place(), again.go_on();
      for (int frame = 0; frame < 3; ++frame) again.tick(0.05);
      const Memory found = memory_of(again);
      CAPTURE(seed);
      CAPTURE(count);
      CAPTURE(done[count].all);
      CAPTURE(done[count].moment);
      CAPTURE(found.moment);
      CHECK_FALSE(again.banner.has_value());
      const bool in_flight = count < kKeystrokes && found.all == done[count + 1].all;
      if (!in_flight) CHECK(found.all == done[count].all);
      if (!in_flight && !done[count].moment.empty()) CHECK(found.moment == done[count].moment);
      behind += !in_flight, restored_fields += again.typing.has_value();
      restored_answers += found.all.find(":") != std::string::npos;
      restored_parts += found.all.find(" part ") != std::string::npos;
    }
  }
  constexpr int kAll = kWalks * kKills;  // a third of them leaves something behind that can be lost
  CHECK(restored_fields > kAll / 20);
  CHECK(restored_answers > kAll * 3 / 10);
  CHECK(restored_parts > kAll * 3 / 10);
  MESSAGE(behind << " of " << kAll
                 << " kills found the last keystroke told, the others the one after it as well");
  REQUIRE(use_language(Language::english, {}).ok());
}

TEST_CASE("what plays or is dragged is written once a second, and where it ends; all else at once") {
  const TemporaryFolder folder;
  FakeRunner runner;
  App app(state_of("tiled", 128), &runner);
  app.show(emulated("tiled", 128)), app.tick(0), app.go_to(0);
  Keeper keeper(app, folder / "s.json", app.settings());
  const auto step_on_disk = [&] { return load_settings(folder / "s.json", nullptr).place_step; };
  keeper.turn(0, false);
  CHECK(step_on_disk() == 1);
  app.play(true);
  app.tick(0.3), keeper.turn(0.3, false);
  REQUIRE(app.state().step > 0);
  CHECK(step_on_disk() == 1);
  app.set_dark(true), keeper.turn(0, false);  // a key, while it plays
  CHECK(step_on_disk() == app.state().step + 1);
  app.tick(0.3), app.play(false), keeper.turn(0.3, false);
  CHECK(step_on_disk() == app.state().step + 1);
  app.go_to(100), keeper.turn(0.3, true);
  CHECK(step_on_disk() < 101);
  keeper.turn(0.8, true);
  CHECK(step_on_disk() == 101);
  app.go_to(110), keeper.turn(0, false);
  CHECK(step_on_disk() == 111);
}

TEST_CASE("half-typed text is there again where the reader goes on") {
  FakeRunner runner;
  Settings kept;
  {
    App app(state_of("tiled", 128), &runner);
    app.show(emulated("tiled", 128)), app.tick(0);
    app.begin_typing(App::Typing::Of::parameter, "n", "128");
    app.type_character(U'2'), app.type_character(U'5');
    app.keep_place(), kept = app.settings();
  }
  const TemporaryFolder folder;
  App app = app_with(kept, runner, true, folder.path(), {});
  app.return_to_place();
  CHECK_FALSE(app.takes_keys());  // the home's keys work
  app.keep_place();
  CHECK(app.settings().typed_text == "25");
  app.go_on();
  REQUIRE(app.typing_of(App::Typing::Of::parameter, "n"));
  app.type_character(U'6'), app.on_key({Key::enter});
  CHECK(std::get<std::int64_t>(app.state().params.at("n")) == 256);
}

TEST_CASE("a real window that is killed has on disk what its title had said") {
  if (!can_open_windows()) return;
  std::mt19937 random(20261123);
  for (int kill = 0; kill < 3; ++kill) {
    RealWindow window;
    REQUIRE(window.shows("· step "));
    window.focus();
    window.keys("Home");
    REQUIRE(window.shows("step 1 of"));
    std::string rights;
    for (int i = 0; i < 30; ++i) rights += "Right ";
    std::thread typist([&] { window.keys(rights); });
    const int wanted = 2 + int(random() % 25);
    int told = 0;
    for (int i = 0; i < 400 && told < wanted; ++i) {
      const std::string title = window.title();
      if (const auto at = title.find("· step "); at != title.npos)
        told = std::atoi(title.c_str() + at + std::string_view("· step ").size());
    }
    ::kill(window.program().pid(), SIGKILL);
    typist.join();
    CHECK(window.program().exit_code(30s) == 128 + SIGKILL);
    const auto settings = nlohmann::json::parse(window.settings(), nullptr, false);
    REQUIRE(settings.is_object());
    CHECK(told >= wanted);
    CHECK(settings["place_step"].get<int>() >= told);
  }
}
