// A lab's page: what it asks, its ladder with recorded times, its settings; and the home with a card for
// each.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/number_text.hpp"
#include "app/shell/shot_app.hpp"
#include "app/shell/views.hpp"
#include "html.hpp"
#include "pictures.hpp"
#include "site_pages.hpp"

namespace lockstep {
namespace {

std::string list_item(const std::string& link, const std::string& text) {
  return html_element("li", link + (text.empty() ? "" : html_element("p", html_text(text))));
}

// --- a lab

Result<LadderStrip> strip_of(Site& site, const Lab& lab) {
  ShotOptions shot;
  auto run = site.options().sources.run(opening_request(lab));
  if (!run) return run.error();
  shot.request = run->request, shot.run = std::move(*run), shot.language = site.language();
  shot.timed = site.options().timed(lab.info().slug);
  const App app = app_for(shot);
  return ladder_strip_of(app);
}

std::string ladder_html(const LadderStrip& strip) {
  const bool timed =
      std::any_of(strip.cells.begin(), strip.cells.end(), [](const LadderCell& c) { return c.ms > 0; });
  const bool noted = timed || std::any_of(strip.cells.begin(), strip.cells.end(),
                                          [](const LadderCell& c) { return !c.no_time.empty(); });
  std::vector<std::vector<std::string>> rows{{html_text(tr("rung")), html_text(tr("idea"))}};
  if (noted) rows[0].push_back(html_text(tr("time")));
  for (const LadderCell& cell : strip.cells) {
    rows.push_back({"<code>" + html_text(cell.name) + "</code>", html_text(cell.idea)});
    if (noted)
      rows.back().push_back(cell.ms > 0
                                ? "<span class=\"number\">" + html_text(time_text(cell.ms)) + "</span>"
                                : html_text(cell.no_time));
  }
  std::string about = html_text(strip.timed_at);
  if (strip.provenance) about += " · " + html_text(provenance_text(*strip.provenance));
  return html_element("h2", html_text(tr("The ladder"))) + (timed ? html_element("p", about, "meta") : "") +
         html_table(rows, tr("The ladder"));
}

std::string range_of(const Parameter& p) {
  std::string words;
  for (const std::string& choice : p.choices) {
    const std::string& title = title_of(p, choice);
    words += (words.empty() ? "" : ", ") + ("<code>" + html_text(choice) + "</code>") +
             (title == choice ? "" : " (" + html_text(tr(title)) + ")");
  }
  if (!words.empty() || p.type == "text") return words;
  const auto number = [&](double x) {
    return p.type == "int" ? grouped(std::int64_t(x)) : to_string(Value{x});
  };
  std::string range = html_text(tr("{0} to {1}", {number(p.min), number(p.max)}));
  if (p.multiple > 1) range += ", " + html_text(tr("multiples of {0}", {std::to_string(p.multiple)}));
  return range + (p.unit.empty() ? "" : " " + html_text(tr(p.unit)));
}

std::string settings_html(const LabInfo& lab) {
  if (lab.parameters.empty()) return "";
  std::vector<std::vector<std::string>> rows{{html_text(tr("name")), html_text(tr("what it is")),
                                              html_text(tr("values")), html_text(tr("at first"))}};
  for (const Parameter& p : lab.parameters) {
    std::string what = html_text(tr(title_of(p)));
    if (!p.help.empty() && p.help != title_of(p))
      what += "<br><span class=\"small\">" + html_text(tr(p.help)) + "</span>";
    if (!p.rungs.empty()) {
      std::string names;
      for (const std::string& rung : p.rungs) names += (names.empty() ? "" : ", ") + rung;
      what += "<br><span class=\"small\">" + html_text(tr("only in {0}", {names})) + "</span>";
    }
    rows.push_back({"<code>" + html_text(p.name) + "</code>", what, range_of(p),
                    "<code>" + html_text(to_string(p.default_value)) + "</code>"});
  }
  return html_element("h2", html_text(tr("Settings"))) + html_table(rows, tr("Settings"));
}

// What else there is of this lab.
std::string more_html(const Site& site, const std::string& lab, const std::string& path) {
  std::string items;
  for (const Story& claim : site.shelf().claims)
    if (claim.lab == lab)
      items += list_item(html_link(site.url(path, SitePage::claim, claim.slug), html_text(claim.title)),
                         tr("a claim put to the test"));
  for (const Exercise& exercise : site.exercises())
    if (exercise.lab == lab)
      items +=
          list_item(html_link(site.url(path, SitePage::exercise, exercise.slug), html_text(exercise.title)),
                    tr("an exercise"));
  return items.empty()
             ? ""
             : html_element("h2", html_text(tr("More of this lab"))) + html_element("ul", items, "list");
}

Status write_lab(Site& site, const Lab& lab) {
  const LabInfo& info = lab.info();
  SiteText page{page_path(SitePage::lab, info.slug), tr(info.title), tr(info.question), ""};
  const StagePicture wanted{"lab-" + info.slug, page.path, info.slug};
  const auto picture = stage_picture(site, wanted);
  if (!picture) return picture.error();
  page.body = html_element("p", html_text(tr(info.chapter)), "eyebrow") +
              html_element("h1", html_text(page.title)) +
              html_element("p", html_text(page.description), "lead");
  std::string actions;
  if (const Story* story = site.story_of(info.slug))
    actions += html_element("li", html_link(site.url(page.path, SitePage::story, story->slug),
                                            html_text(tr("Read its story")), "button"));
  actions += html_element("li", html_link(site.app_url(page.path, picture->scene),
                                          html_text(tr("Open this lab in Lockstep")), "quiet"));
  page.body += html_element("ul", actions, "actions") + picture->html;
  if (info.rungs.size() > 1) {
    const auto strip = strip_of(site, lab);
    if (!strip) return strip.error();
    page.body += ladder_html(*strip);
  }
  page.body += settings_html(info) + more_html(site, info.slug, page.path) +
               html_element("h2", html_text(tr("On the command line"))) +
               html_command("lockstep run " + info.slug +
                            (info.rungs.empty() ? "" : " --rung " + info.rungs.front().slug));
  return site.put(page);
}

// --- the home

Result<std::string> lab_card(Site& site, const Lab& lab, const std::string& path) {
  const LabInfo& info = lab.info();
  const auto picture = card_picture(site, path, info.slug);
  if (!picture) return picture.error();
  const Story* story = site.story_of(info.slug);
  const std::string url =
      story ? site.url(path, SitePage::story, story->slug) : site.url(path, SitePage::lab, info.slug);
  std::string text = html_element("h3", html_link(url, html_text(tr(info.title)))) +
                     html_element("p", html_text(tr(info.question)));
  const auto& way = path_labs();
  const auto place = std::find(way.begin(), way.end(), &lab);
  std::string about = story && story->minutes ? tr("{0} min", {std::to_string(story->minutes)}) : "";
  if (place != way.end())
    about +=
        (about.empty() ? "" : " · ") +
        tr("{0} of {1} on the path", {std::to_string(place - way.begin() + 1), std::to_string(way.size())});
  if (!about.empty()) text += html_element("p", html_text(about), "meta");
  return html_element("li", *picture + html_element("div", text), "card");
}

std::string entries(const Site& site, const std::string& path) {
  std::string items;
  const auto add = [&](SitePage page, const std::string& text) {
    items += list_item(html_link(site.url(path, page), html_text(tr(site_page(page).title))), text);
  };
  add(SitePage::exercises, tr("Situations in parts, with hints; the program checks what you say."));
  add(SitePage::claims, tr("Popular sentences about GPUs, each beside a model and a run."));
  add(SitePage::glossary, tr("The words of the field, a sentence each."));
  add(SitePage::manual,
      tr("The command line, file formats, writing stories and exercises, and how the counts are proven."));
  return html_element("ul", items, "list");
}

}  // namespace

Status write_labs(Site& site, const std::string& lab) {
  if (Status written = write_lab(site, *find_lab(lab)); !written) return written;
  for (const Story& story : site.shelf().stories)
    if (story.lab == lab)
      if (Status written = write_story(site, story); !written) return written;
  for (const Story& claim : site.shelf().claims)
    if (claim.lab == lab)
      if (Status written = write_claim(site, claim); !written) return written;
  for (const Exercise& exercise : site.exercises())
    if (exercise.lab == lab)
      if (Status written = write_exercise(site, exercise); !written) return written;
  return Unit{};
}

Status write_home(Site& site) {
  SiteText page{page_path(SitePage::home), tr(site_page(SitePage::home).title),
                tr(site.options().commands.help), "", true};
  page.body =
      html_element("h1", html_text(tr("Real CUDA kernels, one step at a time"))) +
      html_element(
          "p",
          html_text(tr("Each lab runs a kernel, asks what you expect, and shows what the run says. Here "
                       "are its stories to read; in the program they move.")),
          "lead");
  const Lab& first = *path_labs().front();
  std::string actions =
      html_element("li", html_link(site.app_url(page.path), html_text(tr("Open Lockstep")), "button"));
  if (const Story* story = site.story_of(first.info().slug))
    actions += html_element("li", html_link(site.url(page.path, SitePage::story, story->slug),
                                            html_text(tr("Start at the beginning")), "quiet"));
  page.body += html_element("ul", actions, "actions") + html_element("h2", html_text(tr("Labs")));
  std::string cards;
  for (const Lab* lab : labs()) {
    const auto card = lab_card(site, *lab, page.path);
    if (!card) return card.error();
    cards += *card;
  }
  page.body += html_element("ul", cards, "cards") + html_element("h2", html_text(tr("And beside them"))) +
               entries(site, page.path);
  return site.put(page);
}

}  // namespace lockstep
