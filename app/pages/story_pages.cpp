// Stories and claims: what each scene says and asks; the run's answer and why stand folded below.
#include "app/stories/answer.hpp"
#include "html.hpp"
#include "page_texts.hpp"
#include "pictures.hpp"
#include "site_pages.hpp"

namespace lockstep {
namespace {

Error in_file(const Story& story, const Error& error) {
  return {error.exit, {"{0}:{1}", {story.file.string(), error.text()}}};
}

// What is asked, and behind a fold what answers it.
class AskWriter {
 public:
  AskWriter(const Ask& ask, PageTexts& texts, FigureSource& figures)
      : ask_(ask), texts_(texts), figures_(figures) {}

  std::string question() {
    std::string out = html_element("p", html_text(tr("QUESTION")), "label") +
                      html_element("p", texts_.text(ask_.question), "question");
    if (!ask_.options.empty()) {
      std::string options;
      for (const Option& option : ask_.options) options += html_element("li", texts_.text(option.text));
      out += html_element("ol", options, "options");
    }
    if (!ask_.hint.empty())
      out += html_details(html_text(tr("A hint")), html_element("p", texts_.text(ask_.hint)));
    return html_element("div", out, "ask");
  }

  std::string answer() {
    const auto right = right_answer(ask_, figures_);
    if (!right && right.error().exit == Exit::unavailable)
      return html_element("p",
                          html_text(tr("not answerable here, because {0}", {tr(right.error().message)})));
    if (!right) return texts_.keep(right.error()), "";
    if (ask_.kind == Ask::Kind::set)
      return html_element("p", html_text(tr("Any setting that does it: the lab checks.")), "answer-value");
    if (ask_.kind == Ask::Kind::choice) return chosen();
    return html_element("p", html_text(*right), "answer-value");
  }

  std::string tempting() {
    std::string out;
    for (const Tempting& one : ask_.tempting)
      out += html_element("dt", html_text(tr("Tempting:") + " ") + tempted(one)) +
             html_element("dd", texts_.text(one.why));
    return out.empty() ? "" : html_element("dl", out, "tempting");
  }

 private:
  std::string chosen() {
    for (std::size_t i = 0; i < ask_.options.size(); ++i)
      if (ask_.options[i].right)
        return html_element("p",
                            std::string(1, char('A' + int(i))) + ": " + texts_.text(ask_.options[i].text),
                            "answer-value");
    return "";
  }
  std::string tempted(const Tempting& one) {
    const auto value = one.answer.evaluate(figures_);
    if (!value && value.error().exit != Exit::unavailable) texts_.keep(value.error());
    if (!value) return html_text(one.answer.text());
    if (ask_.kind == Ask::Kind::choice) {
      const double number = is_number(*value) ? number_of(*value) : 0;
      if (number >= 1 && number <= double(ask_.options.size()))
        return texts_.text(ask_.options[std::size_t(number) - 1].text);
    }
    return html_text(format_figure(*value, {}) + (ask_.unit.empty() ? "" : " " + tr(ask_.unit)));
  }

  const Ask& ask_;
  PageTexts& texts_;
  FigureSource& figures_;
};

// A scene with its picture; `heading` is HTML.
class SceneWriter {
 public:
  SceneWriter(Site& site, const Story& story, PageTexts& texts, StoryFigures& figures, std::string page)
      : site_(site), story_(story), texts_(texts), figures_(figures), page_(std::move(page)) {}

  Result<std::string> write(std::size_t number, const std::string& book) {
    const StoryScene& scene = story_.scenes[number];
    if (const Status shown = figures_.show(story_.lab, scene.setup);
        !shown && shown.error().exit != Exit::unavailable)
      return in_file(story_, shown.error());
    const std::string name =
        book.empty() ? story_.slug + "-" + std::to_string(number + 1) : "claim-" + story_.slug;
    const StagePicture wanted{name, page_, story_.lab, &scene.setup, book, int(number) + 1};
    std::string out = texts_.paragraphs(scene.text);
    const auto picture = stage_picture(site_, wanted);
    if (!picture) return in_file(story_, picture.error());
    out += picture->html + asked(scene, wanted);
    if (texts_.fault()) return in_file(story_, *texts_.fault());
    return out;
  }

 private:
  std::string asked(const StoryScene& scene, const StagePicture& wanted) {
    if (!scene.ask) return texts_.paragraphs(scene.why);
    AskWriter ask(*scene.ask, texts_, figures_);
    const std::string question = ask.question();
    std::string answer = ask.answer() + texts_.paragraphs(scene.why) + ask.tempting();
    if (const std::string words = stage_in_words(site_, wanted); !words.empty())
      answer += html_element("p", html_text(tr("WHAT THE PICTURE SHOWS")), "label") +
                html_element("div", words, "says");
    return question + html_details(html_text(tr("The answer, and why")), answer, "answer");
  }

  Site& site_;
  const Story& story_;
  PageTexts& texts_;
  StoryFigures& figures_;
  const std::string page_;
};

std::string anchor_of(std::size_t scene) { return "scene-" + std::to_string(scene + 1); }

std::string contents(const Story& story) {
  std::string items;
  for (std::size_t i = 0; i < story.scenes.size(); ++i)
    items += html_element("li", html_link("#" + anchor_of(i), html_text(story.scenes[i].title)));
  return "<nav aria-label=\"" + html_text(tr("Scenes")) + "\">" + html_element("ol", items, "contents") +
         "</nav>\n";
}

// Minutes, scenes, and the stories that come before.
std::string about_story(const Site& site, const Story& story, const std::string& page) {
  std::string text = html_text(tr("{0} scenes", {std::to_string(story.scenes.size())}));
  if (story.minutes) text += " · " + html_text(tr("{0} min", {std::to_string(story.minutes)}));
  std::string before;
  for (const std::string& lab : story.after)
    if (const Lab* known = find_lab(lab))
      before += (before.empty() ? "" : ", ") +
                html_link(site.url(page, site.story_of(lab) ? SitePage::story : SitePage::lab,
                                   site.story_of(lab) ? site.story_of(lab)->slug : lab),
                          html_text(tr(known->info().title)));
  if (!before.empty()) text += " · " + html_text(tr("builds on")) + " " + before;
  return html_element("p", text, "meta");
}

// To the lab that comes next.
std::string turn(const Site& site, const Story& story, const std::string& page) {
  std::string out = html_link(site.url(page, SitePage::home), "← " + html_text(tr("All labs")));
  const Lab* lab = find_lab(story.lab);
  const Lab* next = lab ? lab_after(*lab) : nullptr;
  if (const Story* told = next ? site.story_of(next->info().slug) : nullptr)
    out += html_link(site.url(page, SitePage::story, told->slug), html_text(tr(next->info().title)) + " →");
  return html_element("nav", out, "turn");
}

}  // namespace

Status write_story(Site& site, const Story& story) {
  SiteText page{page_path(SitePage::story, story.slug), story.title, "", ""};
  StoryFigures figures(site.options().sources);
  PageTexts texts(site, page.path, figures);
  SceneWriter scenes(site, story, texts, figures, page.path);
  const LabInfo& lab = find_lab(story.lab)->info();
  page.description = tr(lab.question);
  page.body =
      html_element("p", html_link(site.url(page.path, SitePage::lab, lab.slug), html_text(tr(lab.title))),
                   "eyebrow") +
      html_element("h1", html_text(story.title)) + about_story(site, story, page.path) + contents(story);
  for (std::size_t i = 0; i < story.scenes.size(); ++i) {
    const auto scene = scenes.write(i, "");
    if (!scene) return scene.error();
    page.body += "<section class=\"scene\" id=\"" + anchor_of(i) + "\">\n<h2><span class=\"count\">" +
                 std::to_string(i + 1) + "</span>" + html_text(story.scenes[i].title) + "</h2>\n" + *scene +
                 "</section>\n";
  }
  page.body += turn(site, story, page.path);
  return site.put(page);
}

Status write_claim(Site& site, const Story& claim) {
  SiteText page{page_path(SitePage::claim, claim.slug), claim.title, tr("Claims put to the test"), ""};
  StoryFigures figures(site.options().sources);
  PageTexts texts(site, page.path, figures);
  SceneWriter scenes(site, claim, texts, figures, page.path);
  const auto scene = scenes.write(0, "claims/" + claim.slug);
  if (!scene) return scene.error();
  const LabInfo& lab = find_lab(claim.lab)->info();
  page.body =
      html_element("p",
                   html_link(site.url(page.path, SitePage::claims), html_text(tr("Claims put to the test"))),
                   "eyebrow") +
      html_element("h1", html_text(claim.title)) +
      html_element("p", html_link(site.url(page.path, SitePage::lab, lab.slug), html_text(tr(lab.title))),
                   "meta") +
      *scene;
  return site.put(page);
}

Status write_claims(Site& site) {
  const std::string path = page_path(SitePage::claims);
  SiteText page{path, tr(site_page(SitePage::claims).title),
                tr("Popular sentences about GPUs, each beside a model and a run."), ""};
  page.body =
      html_element("h1", html_text(page.title)) + html_element("p", html_text(page.description), "lead");
  std::string items;
  for (const Story& claim : site.shelf().claims)
    items +=
        html_element("li", html_link(site.url(path, SitePage::claim, claim.slug), html_text(claim.title)) +
                               html_element("p", html_text(tr(find_lab(claim.lab)->info().title))));
  page.body += html_element("ul", items, "list");
  return site.put(page);
}

}  // namespace lockstep
