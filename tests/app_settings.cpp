// Settings: kept, merged with what other versions wrote, and never a reason not to start.
#include <doctest/doctest.h>

#include <fstream>

#include "app/shell/settings.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("settings come back as they were kept") {
  const TemporaryFolder folder;
  Settings settings;
  settings.dark = true, settings.language = "zh", settings.rail_width = 222, settings.window_width = 1920;
  settings.card_share = 0.4f, settings.card_folded = true;
  REQUIRE(save_settings(settings, folder / "new/lockstep/settings.json").ok());
  std::optional<Message> notice;
  Settings loaded = load_settings(folder / "new/lockstep/settings.json", &notice);
  CHECK_FALSE(notice.has_value());
  CHECK(loaded == settings);
}

TEST_CASE("keys of another version are kept") {
  const TemporaryFolder folder;
  write(folder / "s.json", R"({"dark": true, "from_the_future": {"a": [1, 2]}})");
  const Settings settings = load_settings(folder / "s.json", nullptr);
  CHECK(settings.dark);
  REQUIRE(save_settings(settings, folder / "s.json").ok());
  CHECK(text_of(folder / "s.json").find("from_the_future") != std::string::npos);
}

TEST_CASE("without a file the defaults hold, and that is no event") {
  std::optional<Message> notice;
  CHECK(load_settings("/nowhere/at/all/settings.json", &notice) == Settings{});
  CHECK_FALSE(notice.has_value());
}

TEST_CASE("a broken file gives defaults and a notice, and is kept as .bad") {
  for (const char* text : {"", "{", "[1, 2]", "\"dark\"", "\xff\xfe\x00 binary", "{\"dark\": tru"}) {
    CAPTURE(text);
    const TemporaryFolder folder;
    write(folder / "settings.json", text);
    std::optional<Message> notice;
    CHECK(load_settings(folder / "settings.json", &notice) == Settings{});
    CHECK(notice.has_value());
    CHECK(std::filesystem::exists(folder / "settings.json.bad"));
    CHECK_FALSE(std::filesystem::exists(folder / "settings.json"));
  }
}

TEST_CASE("values of the wrong kind or size do no harm") {
  const TemporaryFolder folder;
  write(folder / "s.json", R"({"dark": "yes", "language": "klingon", "rail_width": 1e30, "lesson_width": -5,
                               "window_width": 1e300, "window_height": 0, "card_share": 7, "card_folded": 1, "motion": null})");
  const Settings settings = load_settings(folder / "s.json", nullptr);
  CHECK_FALSE(settings.dark);
  CHECK(settings.language == "en");
  CHECK(settings.rail_width == 320);
  CHECK(settings.lesson_width == 300);
  CHECK(settings.card_share == kMostCardShare);
  CHECK_FALSE(settings.card_folded);
  CHECK(settings.window_width <= 7680);
  CHECK(settings.window_height >= 480);
}

TEST_CASE("where nothing can be written the status says so") {
  CHECK_FALSE(save_settings({}, "/dev/null/lockstep/settings.json").ok());
  CHECK_FALSE(save_settings({}, "").ok());
  const Status full = save_settings({}, "/proc/settings.json");
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().text().find("/proc/settings.json") != std::string::npos);
}

TEST_CASE("the settings lie where XDG says") {
  const char* before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before ? before : "";
  ::setenv("XDG_CONFIG_HOME", "/some/place", 1);
  CHECK(settings_path() == "/some/place/lockstep/settings.json");
  before ? ::setenv("XDG_CONFIG_HOME", kept.c_str(), 1) : ::unsetenv("XDG_CONFIG_HOME");
}
