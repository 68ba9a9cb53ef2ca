// What is to be predicted cannot be read off: every scene of every story is drawn before its answer, and
// everything outside the story's card is searched for it, tooltips included.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr Rect kSearched{0, 0, 1600, 900};

// What somebody looks for who would rather read the answer than think.
struct Wanted {
  double value = 0;
  bool whole = true;
  std::vector<std::string> words;  // what it counts
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_plural(std::string word) {
  if (word.size() > 2 && word.ends_with('s')) word.pop_back();
  if (word.starts_with("个")) word.erase(0, std::string("个").size());
  return word;
}

// The unit that the question states, and the figure of a step or a run that it is.
Wanted wanted_of(const Ask& ask, double value) {
  Wanted wanted{value, value == std::floor(value), {}};
  const auto add = [&](const std::string& word) {
    if (word.size() < 3) return;
    wanted.words.push_back(without_plural(word)), wanted.words.push_back(without_plural(tr(word)));
  };
  add(ask.unit);
  for (const char* word : {"sectors", "wavefronts"})
    if (ask.answer->text().ends_with(word)) add(word);
  return wanted;
}

// The number that begins at text[at]: its value and its end.
std::pair<double, std::size_t> number_at(std::string_view text, std::size_t at) {
  std::string digits;
  for (; at < text.size() && (is_digit(text[at]) || text[at] == '.' || text[at] == ','); ++at)
    if (text[at] != ',') digits += text[at];
  return {std::atof(digits.c_str()), at};
}

bool is_answer(double x, const Wanted& wanted) {
  return wanted.whole ? x == wanted.value : std::abs(x - wanted.value) < 0.006 * std::abs(wanted.value);
}

// Right behind the number, or right in front of it with nothing but a few letters between.
bool says_word(std::string_view near, const Wanted& wanted) {
  return std::any_of(wanted.words.begin(), wanted.words.end(),
                     [&](const std::string& word) { return near.find(word) != near.npos; });
}

bool reads_off(std::string_view text, const Wanted& wanted) {
  std::size_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at]) || (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])))) {
      ++at;
      continue;
    }
    const auto [value, end] = number_at(text, at);
    std::size_t next = end;
    while (next < text.size() && !is_digit(text[next]) && next - end < 24 &&
           std::string_view(".;,\n").find(text[next]) == std::string_view::npos)
      ++next;
    const std::string_view front = text.substr(before, at - before);
    const std::string_view follows = text.substr(end, next - end);
    const bool points = follows.find("→") != follows.npos;  // "Lanes of warp 4 → sectors": which warp it is
    const bool behind = !points && says_word(follows, wanted);
    const bool colon = front.ends_with(": ") || front.ends_with("：");
    if (is_answer(value, wanted) && (behind || (colon && says_word(front, wanted)))) return true;
    before = at = end;
  }
  return false;
}

bool is_number_text(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == ',' || c == '.'; });
}

class Eye {
 public:
  Eye(App& app, const Wanted& wanted) : app_(app), wanted_(wanted) {}

  // Everything from which the answer can be read; `everywhere`: the pointer goes to everything that reacts.
  std::vector<std::string> look(bool everywhere) {
    found_.clear();
    SvgCanvas canvas(kSearched.w, kSearched.h, app_.theme().ground);
    draw_app(canvas, app_, kSearched);
    read(canvas);
    if (!everywhere) return found_;
    for (const auto& area : canvas.hits()) {
      if (says_the_same_always(area.id)) continue;
      const bool large = area.rect.w > 120 && area.rect.h > 60;
      const float step = large ? 0.25f : 0.5f;
      for (float y = step; y < 1; y += step)
        for (float x = step; x < 1; x += step)
          point({area.rect.x + x * area.rect.w, area.rect.y + y * area.rect.h}, canvas.hits());
    }
    return found_;
  }

 private:
  static bool says_the_same_always(std::string_view id) {
    return std::any_of(std::begin(kFixed), std::end(kFixed),
                       [&](std::string_view one) { return id.starts_with(one); });
  }
  static constexpr std::string_view kFixed[] = {"rail", "switch", "splitter", "tab/", "word/", "story/"};

  void add(const std::string& where, const std::string& text) { found_.push_back(where + ": " + text); }

  // The story's own card may say its numbers.
  Rect card() const {
    for (const auto& [name, area] : app_.panel_areas)
      if (name == "story") return area;
    return {};
  }

  void read(const SvgCanvas& canvas) {
    const Rect story = card();
    const Layout l = lay_out(app_, kSearched);
    const Rect headline{l.stage.x, l.stage.y, l.stage.w, app_.stage_area.y - l.stage.y};
    for (const auto& text : canvas.texts()) {
      if (story.contains(text.rect.center())) continue;
      if (reads_off(text.text, wanted_)) add("drawn", text.text);
      const bool bare = is_number_text(text.text) && is_answer(number_at(text.text, 0).first, wanted_);
      if (bare && headline.contains(text.rect.center())) add("headline", text.text);
      if (bare && in_asked_column(canvas, text))
        add("column",
            text.text + " at " + std::to_string(int(text.rect.x)) + ", " + std::to_string(int(text.rect.y)));
    }
    for (const auto& hint : canvas.hints())
      if (reads_off(hint, wanted_)) add("hint", hint);
  }

  // In a column of costs that is about what is asked for.
  bool in_asked_column(const SvgCanvas& canvas, const SvgCanvas::DrawnText& number) const {
    return std::any_of(canvas.landmarks().begin(), canvas.landmarks().end(), [&](const auto& one) {
      return one.name.starts_with(kCosts) && says_word(one.name, wanted_) &&
             one.rect.contains(number.rect.center());
    });
  }

  void point(Vec2 at, const std::vector<SvgCanvas::DrawnHit>& areas) {
    if (card().contains(at)) return;
    SvgCanvas canvas(kSearched.w, kSearched.h, app_.theme().ground);
    canvas.put_pointer({at}, areas);
    draw_app(canvas, app_, kSearched);
    for (const auto& tip : canvas.tooltips())
      if (reads_off(tip, wanted_)) add("tooltip", tip);
  }

  App& app_;
  const Wanted& wanted_;
  std::vector<std::string> found_;
};

// Walks the numbers that a story asks for; returns how many of them stand on the screen once they are given.
int look_through(App& app, bool everywhere) {
  int revealed = 0;
  for (int i = 0; i < int(app.story()->scenes.size()); ++i) {
    REQUIRE(app.enter_story_scene(i));
    settle(app);
    const StoryScene& scene = app.told_scene();
    if (!scene.ask || scene.ask->kind != Ask::Kind::number || !app.scene_words().value) continue;
    CAPTURE(scene.title);
    const Wanted wanted = wanted_of(*scene.ask, *app.scene_words().value);
    for (const char* tab : {"story", "numbers"}) {
      app.tab = tab;
      const auto found = Eye(app, wanted).look(everywhere && tab == std::string("story"));
      const std::string first = found.empty() ? "" : found.front();
      CHECK_MESSAGE(found.empty(), tab << ", " << first);
    }
    app.tab = "story";
    app.show_story_answer();
    settle(app);
    revealed += !Eye(app, wanted).look(false).empty();
  }
  return revealed;
}

}  // namespace

TEST_CASE("no scene's answer can be read off before it is given, and many can after" *
          doctest::test_suite("slow")) {
  for (const Language language : walked_languages()) {
    int revealed = 0;
    for (const Lab* lab : labs()) {
      CAPTURE(lab->info().slug);
      EngineRunner runner;
      App app(opening_of(lab->info().slug, language), &runner);
      tell_shipped(app);
      settle(app);
      if (app.story()) revealed += look_through(app, false);
    }
    CHECK(revealed >= 10);  // else the eye sees nothing
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("no tooltip tells a scene's answer before it is given" * doctest::test_suite("slow")) {
  for (const Lab* lab : labs()) {
    CAPTURE(lab->info().slug);
    EngineRunner runner;
    App app(opening_of(lab->info().slug), &runner);
    tell_shipped(app);
    settle(app);
    if (app.story()) look_through(app, true);
  }
}

TEST_CASE("what a scene puts in front is on the stage, in a story and where something is tried" *
          doctest::test_suite("slow")) {
  int frames = 0;
  for (const Lab* lab : labs()) {
    EngineRunner runner;
    App app(opening_of(lab->info().slug), &runner);
    tell_shipped(app);
    settle(app);
    for (int i = 0; i < int(app.story()->scenes.size()); ++i) {
      const StoryScene& scene = app.story()->scenes[std::size_t(i)];
      if (scene.setup.frame.empty()) continue;
      REQUIRE(app.enter_story_scene(i));
      settle(app);
      SvgCanvas canvas(kSearched.w, kSearched.h, app.theme().ground);
      draw_app(canvas, app, kSearched);
      CAPTURE(lab->info().slug);
      CAPTURE(scene.title);
      std::string known;
      for (const auto& one : canvas.landmarks()) known += one.name + ", ";
      CHECK_MESSAGE(app.framed, "'" << scene.setup.frame << "' is none of " << known);
      ++frames;
    }
  }
  CHECK(frames >= 6);
}

namespace {

// The transpose's first scenes in a folder of a teacher's own.
struct OwnStory {
  explicit OwnStory(const std::string& scene, const std::string& ask) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "transpose.md")
        << "---\nlab: transpose\ntitle: Own\n---\n# One\n```scene\nrung: naive\nn: 128\n" + scene +
               "```\nText.\n```ask\n" + ask + "```\nWhy.\n";
    app.tell_stories({folder, in_source("assets/stories")});
    settle(app);
    REQUIRE(app.enter_story_scene(0));
    settle(app);
    if (app.banner) FAIL_CHECK(app.banner->text());
    REQUIRE(app.story()->title == "Own");
  }
  ~OwnStory() { std::filesystem::remove_all(folder); }
  std::vector<std::string> texts_in(const std::string& landmark) {
    SvgCanvas canvas(kSearched.w, kSearched.h, app.theme().ground);
    draw_app(canvas, app, kSearched);
    std::vector<std::string> found;
    for (const auto& one : canvas.landmarks())
      if (one.name == landmark)
        for (const auto& text : canvas.texts())
          if (one.rect.contains(text.rect.center())) found.push_back(text.text);
    return found;
  }
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "lockstep-own-story";
  EngineRunner runner;
  App app{opening_of("transpose"), &runner};
};

}  // namespace

TEST_CASE("a frame that names nothing on the screen is noticed") {
  OwnStory own("frame: the moon\n", "number: How many?\nanswer: 1\n");
  SvgCanvas canvas(kSearched.w, kSearched.h, own.app.theme().ground);
  draw_app(canvas, own.app, kSearched);
  CHECK(own.app.wanted_frame() == "the moon");
  CHECK_FALSE(own.app.framed);
}

TEST_CASE("what a question hides is veiled until it is answered") {
  OwnStory own("", "choice: Which is faster?\nhides: ladder, costs\n- naive\n+ copy\n");
  CHECK(own.texts_in("ladder").size() == 1);  // what says why
  for (const std::string& text : own.texts_in("costs/sectors")) CHECK_FALSE(is_number_text(text));
  own.app.answer_story("2");
  settle(own.app);
  CHECK(own.texts_in("ladder").size() > 10);
  CHECK(own.texts_in("costs/sectors").size() > 1);
}

TEST_CASE("what is hidden is veiled with what lies in it, and not what it lies in") {
  const auto drawn = [](Rect hidden) {
    SvgCanvas svg(400, 300, light_theme().ground);
    StoryMask mask;
    mask.hides = {"lanes"};
    StoryCanvas told(svg, mask);
    told.landmark("stage", {0, 0, 400, 300});
    told.landmark("lanes", hidden);
    told.landmark("row", {150, 120, 20, 20});
    told.draw_veils(light_theme(), "later");
    return svg.texts();
  };
  const auto around_the_middle = drawn({100, 50, 200, 200});
  REQUIRE(around_the_middle.size() == 1);  // the row's veil lies in it and has no words of its own
  CHECK(around_the_middle.front().rect.center().x == doctest::Approx(200).epsilon(0.02));
  CHECK(drawn({0, 0, 40, 40}).size() == 1);
}

TEST_CASE("a number is hidden by what it counts, not by its looks") {
  HiddenAnswer sectors;
  sectors.value = 32, sectors.words = {"sector", "扇区"};
  const auto shown = [&](const char* text) { return mask_answer(text, sectors, MaskedNumbers::named); };
  CHECK(shown("32 lanes write to 32 sectors") == "32 lanes write to ? sectors");
  CHECK(shown("sectors touched: 32; bytes: 128") == "sectors touched: ?; bytes: 128");
  CHECK(shown("碰到 32 个扇区") == "碰到 ? 个扇区");
  CHECK(shown("sectors of 32 bytes") == "sectors of 32 bytes");  // another unit's
  CHECK(shown("lane 32, 33 sectors") == "lane 32, 33 sectors");
  CHECK(shown("sectors: 32 = 4 needed + 28 more") == "sectors: ? = ? needed + ? more");
  CHECK(shown("H32 and L2") == "H32 and L2");
  CHECK(mask_answer("32", sectors, MaskedNumbers::bare) == "?");
  HiddenAnswer time;
  time.value = 0.447, time.allowed = 0.02, time.unit = "ms";
  CHECK(mask_answer("447 µs of 582 µs, 0.45 ms", time, MaskedNumbers::named) == "? µs of 582 µs, ? ms");
}

TEST_CASE("what stands along an axis keeps its numbers, whatever is asked; beside it they are hidden") {
  SvgCanvas svg(400, 300, light_theme().ground);
  StoryMask mask;
  mask.answer.emplace();
  mask.answer->value = 8, mask.answer->words = {"wavefront"};
  StoryCanvas told(svg, mask);
  told.landmark("wavefronts", {0, 0, 400, 300});
  told.landmark(kScale, {0, 250, 400, 50});
  const TextStyle style{Font::mono_semibold, 11, {}};
  told.text({20, 100}, "8", style);
  told.text({20, 270}, "8", style);
  REQUIRE(svg.texts().size() == 2);
  CHECK(svg.texts()[0].text == "?");
  CHECK(svg.texts()[1].text == "8");
}

TEST_CASE("what is the same in every run keeps its numbers: names, comments, other units") {
  HiddenAnswer sectors;
  sectors.value = 4, sectors.words = {"sector", "扇区"};
  const auto shown = [&](const char* text) { return mask_answer(text, sectors, MaskedNumbers::named); };
  CHECK(shown("Lanes of warp 4, and the sectors they touch") ==
        "Lanes of warp 4, and the sectors they touch");
  CHECK(shown("line 4: sectors") == "line 4: sectors");
  CHECK(shown("线程束 4 的扇区") == "线程束 4 的扇区");
  CHECK(shown("each warp 4 sectors") == "each warp ? sectors");
  CHECK(shown("每个线程束 4 个扇区") == "每个线程束 ? 个扇区");
  CHECK(shown("sectors, error 4 %") == "sectors, error 4 %");
  sectors.value = 32;
  CHECK(mask_answer("// 32 sectors for 32 floats.", sectors, MaskedNumbers::worded) ==
        "// ? sectors for 32 floats.");
  CHECK(mask_answer("// sectors of 32 bytes: from stride 8 on", sectors, MaskedNumbers::worded) ==
        "// sectors of 32 bytes: from stride 8 on");
}

TEST_CASE("an answer is not told by its singular, nor by what follows from it") {
  HiddenAnswer one;
  one.value = 1, one.words = {"wavefront"};
  CHECK(mask_answer("it takes 1 wavefront, not 2", one, MaskedNumbers::named) ==
        "it takes ? wavefronts, not 2");
  HiddenAnswer sectors, bytes;
  sectors.value = 5, sectors.words = {"sector"};
  bytes.value = 160, bytes.unit = "bytes";
  sectors.also = {bytes};
  CHECK(mask_answer("5 sectors, so 160 bytes are fetched for 128", sectors, MaskedNumbers::named) ==
        "? sectors, so ? bytes are fetched for 128");
}

TEST_CASE("an ask may name what gives its answer away") {
  OwnStory own("",
               "number: How many?\nanswer: step.sectors\nunit: sectors\nalso: step.sectors * 32 | bytes\n");
  const StoryMask mask = own.app.story_mask();
  REQUIRE(mask.answer);
  const HiddenAnswer& hidden = *mask.answer;
  REQUIRE(hidden.also.size() == 1);
  CHECK(hidden.also[0].value == 32 * hidden.value);
  CHECK(hidden.also[0].unit == "bytes");
}

TEST_CASE("an answer near enough is told beside the exact one, and before it how near is enough") {
  OwnStory own("", "number: How many?\nanswer: 0.4474\nunit: ms\ntolerance: 10 %\n");
  CHECK(own.app.scene_words().allowed == "± 10 %");
  own.app.answer_story("0.44");
  CHECK(tr(own.app.scene_words().right) == "Right: 0.44 ms; exactly 0.4474 ms.");
}

TEST_CASE("a setting's solution stands without what was wrong, and without the way to the settings") {
  OwnStory own("", "set: Set n to 64.\nanswer: params.n == 64\n");
  const auto says = [&](const std::string& part) {
    SvgCanvas canvas(kSearched.w, kSearched.h, own.app.theme().ground);
    draw_app(canvas, own.app, kSearched);
    std::string all;  // a text's words are drawn one by one
    for (const auto& text : canvas.texts()) all += text.text + " ";
    std::string single;
    for (const char c : all)
      if (c != ' ' || !single.ends_with(' ')) single += c;
    return single.find(part) != single.npos;
  };
  CHECK(says("not set that way"));
  own.app.answer_story("show me");
  settle(own.app);
  CHECK_FALSE(says("not set that way"));
  CHECK_FALSE(says("Open the settings"));
  CHECK(says("Why."));
}
