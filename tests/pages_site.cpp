// The web site that `lockstep pages` writes: everything is there, every link leads somewhere, nothing is run
// or asked for, and its numbers are the program's.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/labs/lab.hpp"
#include "app/pages/html.hpp"
#include "app/stories/exercise_reader.hpp"
#include "app/stories/glossary.hpp"
#include "app/stories/markdown.hpp"
#include "app/stories/page_names.hpp"
#include "app/stories/story_reader.hpp"
#include "pages_support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using nlohmann::json;

namespace {

const std::string& page(const std::string& path) {
  static const std::string none;
  const auto at = site().find(path);
  CHECK_MESSAGE(at != site().end(), path);
  return at == site().end() ? none : at->second;
}

std::string resolved(const std::string& from, const std::string& url) {
  return (std::filesystem::path(from).parent_path() / url).lexically_normal().generic_string();
}

// Where a link of this page leads; "" for one to the program itself.
struct Target {
  std::string path, anchor;
};
Target target_of(const std::string& from, const std::string& url) {
  const std::size_t hash = std::min(url.find('#'), url.size());
  Target target{url.substr(0, hash), url.substr(std::min(hash + 1, url.size()))};
  target.path = target.path.empty() ? from : resolved(from, target.path);
  if (target.path == "app/" || target.path.starts_with("app/")) target.path.clear();
  return target;
}

template <class F>
void for_each_page(F&& f) {
  int pages = 0;
  for (const auto& [path, html] : site())
    if (is_page(path)) ++pages, f(path, html);
  CHECK(pages > 100);
}

constexpr const char* kLanguages[] = {"en", "zh"};

}  // namespace

TEST_SUITE("slow" * doctest::description("it emulates every scene of every story")) {
  TEST_CASE("every lab, story, claim and exercise has its page in both languages, and so has every list") {
    for (const std::string language : kLanguages) {
      const auto shelf = load_stories({in_source("assets/stories")}, language);
      const auto exercises = load_exercises({in_source("assets/exercises")}, language);
      const auto has = [&](SitePage kind, const std::string& name, const std::string& title) {
        const std::string& html = page(language + "/" + page_path(kind, name));
        CHECK_MESSAGE(html.find("<h1>" + html_text(title) + "</h1>") != html.npos, name);
        CHECK(html.find(language == "zh" ? "<html lang=\"zh-Hans\">" : "<html lang=\"en\">") != html.npos);
      };
      for (const Lab* lab : labs())
        CHECK(page(language + "/" + page_path(SitePage::lab, lab->info().slug)).find("<h1>") !=
              std::string::npos);
      for (const Story& story : shelf.stories) has(SitePage::story, story.slug, story.title);
      for (const Story& claim : shelf.claims) has(SitePage::claim, claim.slug, claim.title);
      for (const Exercise& exercise : exercises.exercises)
        has(SitePage::exercise, exercise.slug, exercise.title);
      for (const SitePageName& name : site_pages())
        if (std::string_view(name.path).find('*') == std::string_view::npos)
          CHECK(page(language + "/" + name.path).find("<h1>") != std::string::npos);
    }
  }

  TEST_CASE("every link inside the site leads to a file and a place that are there") {
    std::map<std::string, std::set<std::string>> anchors;
    for_each_page([&](const std::string& path, const std::string& html) {
      for (const std::string& id : attributes(html, "id"))
        CHECK_MESSAGE(anchors[path].insert(id).second, path << " has two places called " << id);
    });
    int links = 0;
    for_each_page([&](const std::string& path, const std::string& html) {
      for (const char* attribute : {"href", "src", "srcset"})
        for (const std::string& url : attributes(html, attribute)) {
          const Target target = target_of(path, url);
          if (target.path.empty()) continue;
          ++links;
          CHECK_MESSAGE(site().contains(target.path), path << " links to " << url);
          if (!target.anchor.empty())
            CHECK_MESSAGE(anchors[target.path].contains(target.anchor), path << " links to " << url);
        }
    });
    CHECK(links > 3000);
  }

  TEST_CASE("no page runs a script, carries a style of its own, or asks another server for anything") {
    for_each_page([](const std::string& path, const std::string& html) {
      CAPTURE(path);
      for (const char* forbidden : {"<script", "javascript:", "<iframe", "<style", "<object", "<form"})
        CHECK(html.find(forbidden) == html.npos);
      CHECK(attributes(html, "style").empty());
      for (const char* attribute : {"href", "src", "srcset"})
        for (const std::string& url : attributes(html, attribute))
          CHECK_MESSAGE(url.find("//") == url.npos, url);
      CHECK(html.find("default-src 'none'") != html.npos);
      CHECK(html.find("script-src") == html.npos);
    });
    for (const auto& file : site()) {
      const std::string &path = file.first, &svg = file.second;
      if (!path.ends_with(".svg")) continue;
      CHECK_MESSAGE(svg.find("<script") == svg.npos, path);
      CHECK_MESSAGE(svg.find("url(http") == svg.npos, path);
    }
    CHECK(page("style.css").find("http") == std::string::npos);
  }

  TEST_CASE("what opens a page closes it: every element ends where it must") {
    const std::set<std::string> kEmpty{"meta", "link", "img", "source", "br", "!DOCTYPE"};
    for_each_page([&](const std::string& path, const std::string& html) {
      std::vector<std::string> open;
      for (std::size_t at = html.find('<'); at != html.npos; at = html.find('<', at + 1)) {
        const bool closes = html[at + 1] == '/';
        const std::size_t begin = at + 1 + std::size_t(closes);
        const std::string tag = html.substr(begin, html.find_first_of(" >", begin) - begin);
        if (kEmpty.contains(tag)) continue;
        if (!closes) {
          open.push_back(tag);
          continue;
        }
        const std::string inner = open.empty() ? "" : open.back();
        CHECK_MESSAGE(inner == tag, path << ": </" << tag << "> inside <" << inner << ">");
        if (inner != tag) return;
        open.pop_back();
      }
      CHECK_MESSAGE(open.empty(), path);
    });
  }

  TEST_CASE("every picture says in words what it shows, has its size, and a narrow form where it is large") {
    int pictures = 0;
    for_each_page([&](const std::string& path, const std::string& html) {
      for (std::size_t at = html.find("<figure"); at != html.npos; at = html.find("<figure", at + 1)) {
        const std::string figure = html.substr(at, html.find("</figure>", at) - at);
        ++pictures;
        CHECK_MESSAGE(attributes(figure, "srcset").size() == 1, path);
        REQUIRE_MESSAGE(attributes(figure, "alt").size() == 1, path);
        CHECK_MESSAGE(attributes(figure, "alt")[0].size() > 20, path);
        CHECK_MESSAGE(attributes(figure, "width").size() == 2, path);
        CHECK_MESSAGE(figure.find("app/#%7B%22schema%22") != figure.npos, path);
      }
    });
    CHECK(pictures > 200);
  }

  TEST_CASE("the numbers of a story's page are those that `lockstep story` prints") {
    for (const std::string language : kLanguages)
      for (const char* name : {"transpose", "graphs", "attention"}) {
        const std::string text = text_in(page(language + "/" + page_path(SitePage::story, name)));
        const ProgramResult told = run_program({"story", name, "--lang", language, "--json"});
        REQUIRE_MESSAGE(told.exit == 0, told.err);
        int texts = 0;
        const auto stands = [&](std::string said) {
          if (said.starts_with("- ")) said.erase(0, 2);
          if (said.starts_with("[")) said.erase(0, said.find("] ") + 2);
          ++texts;
          CHECK_MESSAGE(text.find(said) != text.npos, name << " " << language << ": " << said);
        };
        const json story = json::parse(told.out);
        for (const json& scene : story["scenes"]) {
          for (const char* part : {"text", "why"})
            for (const json& one : scene[part]) stands(one.get<std::string>());
          if (scene["ask"].is_null()) continue;
          stands(scene["ask"]["question"].get<std::string>());
          if (scene["ask"]["kind"] == "number") stands(scene["ask"]["answer"].get<std::string>());
          for (const json& one : scene["ask"]["tempting"]) stands(one["why"].get<std::string>());
        }
        CHECK(texts > 20);
      }
  }

  TEST_CASE("an answer stands behind a fold; a picture before it does not say it") {
    const std::string& html = page("en/stories/transpose.html");
    const std::size_t scene = html.find("id=\"scene-2\"");
    const std::string two = html.substr(scene, html.find("id=\"scene-3\"") - scene);
    const std::size_t fold = two.find("<details class=\"answer\">");
    REQUIRE(fold != two.npos);
    CHECK(two.find("32 sectors") > fold);
    CHECK(attributes(two.substr(0, fold), "alt")[0].find("sectors") == std::string::npos);
    const std::string& picture = page("en/pictures/transpose-2.svg");
    CHECK(picture.find(">32</text>") == picture.npos);
    CHECK(picture.find(">?</text>") != picture.npos);
  }

  TEST_CASE("a picture whose answer is covered does not tell it in its caption: no step is named there") {
    int covered = 0;
    for_each_page([&](const std::string& path, const std::string& html) {
      if (!path.starts_with("en/")) return;
      for (std::size_t at = html.find("<figure"); at != html.npos; at = html.find("<figure", at + 1)) {
        const std::string figure = html.substr(at, html.find("</figure>", at) - at);
        if (figure.find("What answers the question is covered.") == figure.npos) continue;
        ++covered;
        const std::string said = figure.substr(0, figure.find("<details"));
        CHECK_MESSAGE(said.find("step ") == said.npos, path << ": " << said);
      }
    });
    CHECK(covered > 30);
  }

  TEST_CASE("no page of an exercise holds what is shown after an attempt") {
    for (const std::string language : kLanguages)
      for (const Exercise& exercise : load_exercises({in_source("assets/exercises")}, language).exercises) {
        const std::string text = text_in(page(language + "/" + page_path(SitePage::exercise, exercise.slug)));
        for (const ExercisePart& part : exercise.parts) {
          CHECK_MESSAGE(text.find(part.title) != text.npos, exercise.slug);
          for (const Paragraph& why : part.why)
            for (const Inline& piece : why.pieces)
              if (piece.kind == Inline::Kind::text && piece.text.size() > 30)
                CHECK_MESSAGE(text.find(piece.text) == text.npos, exercise.slug << ": " << piece.text);
        }
      }
  }

  TEST_CASE("a word of the glossary is a link at its first place in a story, and only there") {
    const std::string& html = page("en/stories/banks.html");
    const std::string link = "href=\"../glossary.html#bank\"";
    const std::size_t first = html.find(link);
    REQUIRE(first != html.npos);
    CHECK(html.find(link, first + 1) == html.npos);
    CHECK(page("zh/glossary.html").find("<dt id=\"bank\">") != std::string::npos);
  }

  TEST_CASE("a page links to itself in the other language") {
    for_each_page([](const std::string& path, const std::string& html) {
      if (path == "index.html") return;
      const std::string other = (path.starts_with("en/") ? "zh/" : "en/") + path.substr(3);
      bool links = false;
      for (const std::string& url : attributes(html, "href")) links |= resolved(path, url) == other;
      CHECK_MESSAGE(links, path);
    });
  }

  TEST_CASE("two sites are the same, byte for byte, and name neither the machine nor the day") {
    const SiteFiles again = written_site();
    CHECK(again.size() == site().size());
    for (const auto& file : site()) {
      const auto found = again.find(file.first);
      CHECK_MESSAGE((found != again.end() && found->second == file.second), file.first);
    }
  }
}

TEST_CASE("what cannot be read is named, and no page is written of it") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& words, const char* said, int exit = 2) {
    const ProgramResult result = run_program(words);
    CHECK(result.exit == exit);
    CHECK_MESSAGE(result.err.find(said) != std::string::npos, result.err);
  };
  std::filesystem::create_directory(folder / "stories");
  std::ofstream(folder / "stories/banks.md")
      << "---\nlab: banks\ntitle: Mine\n---\n# One\n```scene\nrung: strided\n```\n{1 +}\n";
  refused({"pages", "-o", folder / "site", "--stories", folder / "stories"},
          "banks.md:9:5: expected a number");
  refused({"pages", "-o", "/proc/site"}, "/proc");
  refused({"pages", "-o", folder / "site", "--app", "javascript:alert(1)"}, "--app takes the address");
  refused({"pages", "-o", folder / "site", "--app", "https://example.org/\"x"}, "--app takes the address");
  refused({"pages", "--completion", "tcsh"}, "--completion takes bash, zsh or fish");
  refused({"pages", "--man", "--completion", "bash"}, "not both");
}
