// Exercises: what they ask, with the numbers of the default code. No answer stands here: the program works it
// out.
#include "app/stories/exercise_check.hpp"
#include "html.hpp"
#include "page_texts.hpp"
#include "pictures.hpp"
#include "site_pages.hpp"

namespace lockstep {
namespace {

// How an answer is given.
std::string way_of_answering(const ExercisePart& part) {
  switch (part.kind) {
    case PartKind::number:
      return part.ask.unit.empty() ? tr("a number") : tr("a number, in {0}", {tr(part.ask.unit)});
    case PartKind::predict:
      return tr("a number; it stands once the run has started");
    case PartKind::choice:
      return tr("one of them");
    case PartKind::several:
      return tr("any of them");
    case PartKind::order:
      return tr("those that belong, in their order");
    case PartKind::set:
      return tr("a setting of the lab");
    case PartKind::program:
      return tr("a kernel to write");
    case PartKind::text:
      return tr("a text; nobody grades it");
  }
  return "";
}

class ExerciseWriter {
 public:
  ExerciseWriter(Site& site, const Exercise& exercise, const DrawnExercise& drawn, std::string path)
      : site_(site),
        exercise_(exercise),
        drawn_(drawn),
        path_(std::move(path)),
        figures_(site.options().sources),
        nothing_(drawn.values, nullptr),
        texts_(site, path_, nothing_) {}

  std::string front() {
    if (exercise_.parts.empty()) return "";
    PartFigures staged(drawn_, 0, nullptr, figures_);
    DrawnFigures all(drawn_.values, &staged);
    texts_.use(all);
    std::string out = texts_.paragraphs(exercise_.text);
    return texts_.use(nothing_), out;
  }

  std::string part(std::size_t i) {
    const ExercisePart& part = exercise_.parts[i];
    PartFigures staged(drawn_, i, nullptr, figures_);
    DrawnFigures all(drawn_.values, &staged);
    texts_.use(all);
    std::string out = "<h2 id=\"" + html_text(part.id) + "\"><span class=\"count\">" + std::to_string(i + 1) +
                      "</span>" + html_text(part.title) + "</h2>\n" + texts_.paragraphs(part.text) +
                      picture(i) + asked(part, i);
    out += hints(part, 0);
    if (!part.program.empty()) out += program();
    return texts_.use(nothing_), out;
  }

  const std::optional<Error>& fault() const { return texts_.fault(); }

 private:
  // Where the part sets the lab.
  std::string picture(std::size_t i) {
    if (!exercise_.parts[i].setup) return "";
    const PartScene scene = scene_of_part(drawn_, i);
    if (!scene.setup) return "";
    const auto drawn =
        stage_picture(site_, {exercise_.slug + "-part-" + std::to_string(i + 1), path_, scene.lab,
                              &*scene.setup, "exercises/" + exercise_.slug, int(i) + 1});
    if (!drawn) texts_.keep(drawn.error());
    return drawn ? drawn->html : "";
  }

  std::string asked(const ExercisePart& part, std::size_t i) {
    std::string out = html_element("p", html_text(tr("QUESTION")), "label") +
                      html_element("p", texts_.text(part.ask.question), "question");
    if (!drawn_.options[i].empty()) {
      std::string options;
      for (const std::size_t option : drawn_.options[i])
        options += html_element("li", texts_.text(part.ask.options[option].text));
      out += html_element("ol", options, "options");
    }
    if (!part.reason.empty()) out += html_element("p", texts_.text(part.reason));
    return html_element(
        "div", out + html_element("p", html_text(tr("You give: {0}.", {way_of_answering(part)})), "meta"),
        "ask");
  }

  // Each behind the one before.
  std::string hints(const ExercisePart& part, std::size_t from) {
    if (from >= part.hints.size()) return "";
    return html_details(
        html_text(tr("hint {0} of {1}", {std::to_string(from + 1), std::to_string(part.hints.size())})),
        html_element("p", texts_.text(part.hints[from])) + hints(part, from + 1));
  }

  std::string program() const {
    return html_command("lockstep exercise start " + exercise_.slug + "\nlockstep exercise check " +
                        exercise_.slug + " " + exercise_.slug + ".cu");
  }

  Site& site_;
  const Exercise& exercise_;
  const DrawnExercise& drawn_;
  const std::string path_;
  StoryFigures figures_;
  DrawnFigures nothing_;
  PageTexts texts_;
};

std::string about(const Exercise& exercise) {
  std::string text =
      exercise.parts.size() == 1 ? tr("1 part") : tr("{0} parts", {std::to_string(exercise.parts.size())});
  if (exercise.minutes) text += " · " + tr("{0} min", {std::to_string(exercise.minutes)});
  return text + " · " + tr(find_lab(exercise.lab)->info().title);
}

std::string how_to_answer(const Site& site, const Exercise& exercise, const std::string& path) {
  return html_element("h2", html_text(tr("To answer it"))) +
         html_element(
             "p", html_text(tr(
                      "Open it in Lockstep, under Exercises: it checks each part, shows a formula and the "
                      "run beside what you said, and explains. A student's code gives everybody numbers of "
                      "their own; those above belong to no code."))) +
         html_command("lockstep exercise show " + exercise.slug) +
         html_element(
             "ul",
             html_element("li", html_link(site.app_url(path), html_text(tr("Open Lockstep")), "button")) +
                 html_element("li",
                              html_link(site.url(path, SitePage::writing_exercises),
                                        html_text(tr("For teachers: codes, grading, exercises of your own")),
                                        "quiet")),
             "actions");
}

}  // namespace

Status write_exercise(Site& site, const Exercise& exercise) {
  SiteText page{page_path(SitePage::exercise, exercise.slug), exercise.title, about(exercise), ""};
  const auto drawn = draw_exercise(exercise, Seed{});
  if (!drawn) return bad_input("{0}:{1}", {exercise.file.string(), drawn.error().text()});
  ExerciseWriter write(site, exercise, *drawn, page.path);
  page.body =
      html_element("p", html_link(site.url(page.path, SitePage::exercises), html_text(tr("Exercises"))),
                   "eyebrow") +
      html_element("h1", html_text(exercise.title)) + html_element("p", html_text(about(exercise)), "meta") +
      write.front();
  for (std::size_t i = 0; i < exercise.parts.size(); ++i) page.body += write.part(i);
  if (write.fault()) return bad_input("{0}:{1}", {exercise.file.string(), write.fault()->text()});
  page.body += how_to_answer(site, exercise, page.path);
  return site.put(page);
}

Status write_exercises(Site& site) {
  const std::string path = page_path(SitePage::exercises);
  SiteText page{path, tr(site_page(SitePage::exercises).title),
                tr("Situations in parts, with hints; the program checks what you say."), ""};
  page.body =
      html_element("h1", html_text(page.title)) + html_element("p", html_text(page.description), "lead");
  std::string items, track;
  const auto close = [&] {
    if (!items.empty()) page.body += html_element("ul", items, "list");
    items.clear();
  };
  for (const Exercise& exercise : site.exercises()) {
    if (exercise.track != track) {
      close(), track = exercise.track;
      page.body += html_element("h2", html_text(track == "kernels" ? tr("Write these kernels") : track));
    }
    items += html_element(
        "li", html_link(site.url(path, SitePage::exercise, exercise.slug),
                        (exercise.number.empty()
                             ? ""
                             : "<span class=\"count\">" + html_text(exercise.number) + "</span>") +
                            html_text(exercise.title)) +
                  html_element("p", html_text(about(exercise))));
  }
  close();
  return site.put(page);
}

}  // namespace lockstep
