#include "exercise_check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/model/portable.hpp"
#include "story_text.hpp"

namespace lockstep {
namespace {

using Said = Verdict::Kind;

constexpr std::size_t kMaxAnswerBytes = 4000;

Verdict is_no_answer(Message reason) { return {Said::not_understood, std::move(reason)}; }

bool only_spaces(std::string_view text) { return plain_name(text).empty(); }

// "1, 3" or "a c": places of options, from 0; nothing where one of them is none.
std::optional<std::vector<std::size_t>> places_in(std::string_view typed, std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < typed.size();) {
    const char c = typed[i];
    if (c == ' ' || c == ',' || c == ';' || c == '\t' || c == '\n') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(typed.size(), typed.find_first_of(" ,;\t\n", i));
    const std::string_view word = typed.substr(i, end - i);
    std::size_t place = 0;
    if (word.size() == 1 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      place = std::size_t((c | 0x20) - 'a') + 1;
    } else {
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), place);
      if (error != std::errc{} || stop != word.data() + word.size()) return {};
    }
    if (place < 1 || place > count || places.size() == count) return {};
    places.push_back(place - 1);
    i = end;
  }
  return places;
}

// One part of a drawn exercise with all that its check needs.
class PartCheck {
 public:
  PartCheck(const DrawnExercise& drawn, std::size_t part, FigureSource& figures)
      : part_(drawn.exercise->parts[part]),
        shown_(drawn.options[part]),
        values_(drawn.values),
        figures_(drawn.values, &figures) {}

  Result<Verdict> check(const PartAnswer& answer, ProgramJudge* judge) {
    switch (part_.kind) {
      case PartKind::number:
      case PartKind::predict:
        return check_answer(part_.ask, std::string_view(answer.text).substr(0, kMaxAnswerBytes), figures_);
      case PartKind::set:
        return check_setting(part_.ask, figures_);
      case PartKind::choice:
        return choice(answer.text);
      case PartKind::several:
        return several(answer);
      case PartKind::order:
        return order(answer.text);
      case PartKind::program:
        if (only_spaces(answer.text)) return is_no_answer(msg("There is no answer yet."));
        if (!judge) return Verdict{Said::unanswerable, msg("programs are not judged here")};
        return program(answer.text, *judge);
      case PartKind::text:
        break;
    }
    if (only_spaces(answer.text)) return is_no_answer(msg("There is no answer yet."));
    return Verdict{Said::right, msg("Kept for your teacher; nobody grades it here.")};
  }

  Result<std::string> right() {
    if (part_.kind == PartKind::number || part_.kind == PartKind::predict) {
      auto value = part_.ask.answer->evaluate(figures_);
      if (!value) return value.error();
      if (const auto* text = std::get_if<std::string>(&*value)) return *text;
      const std::string number = shortest_text(number_of(*value));
      return part_.ask.unit.empty() ? number : number + " " + part_.ask.unit;
    }
    auto belongs = right_options();
    if (!belongs) return belongs.error();
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < shown_.size(); ++place)
      if ((*belongs)[shown_[place]]) places.push_back(place);
    if (part_.kind == PartKind::order)
      std::sort(places.begin(), places.end(),
                [&](std::size_t a, std::size_t b) { return shown_[a] < shown_[b]; });
    std::string all;
    for (const std::size_t place : places) all += (all.empty() ? "" : ", ") + std::to_string(place + 1);
    return all.empty() ? "0" : all;
  }

  // Text of an expression's value with the question's unit; why not, where it is not to be had here.
  Result<std::string> side(const std::optional<Expression>& expression) {
    if (!expression) return std::string();
    auto value = expression->evaluate(figures_);
    if (!value && value.error().exit == Exit::unavailable)
      return tr("(not answerable here, because {0})", {tr(value.error().message)});
    if (!value) return value.error();
    const std::string text = format_figure(*value, {});
    return part_.ask.unit.empty() ? text : text + " " + part_.ask.unit;
  }

 private:
  // By the file's order.
  Result<std::vector<bool>> right_options() {
    std::vector<bool> belongs;
    for (std::size_t i = 0; i < part_.ask.options.size(); ++i) {
      if (!part_.option_right[i]) {
        belongs.push_back(part_.ask.options[i].right);
        continue;
      }
      auto value = part_.option_right[i]->evaluate(figures_);
      if (!value) return value.error();
      if (!is_number(*value)) return bad_input("what decides on an option is a comparison, not a text");
      belongs.push_back(number_of(*value) != 0);
    }
    return belongs;
  }

  Verdict none_of_them(const std::string& typed) const {
    if (only_spaces(typed)) return is_no_answer(msg("There is no answer yet."));
    return is_no_answer(msg("'{0}' is none of the answers: choose by number, 1 to {1}.",
                            {typed.substr(0, kMaxAnswerBytes), std::to_string(shown_.size())}));
  }

  // A figure that is not to be had makes the question unanswerable, never wrong.
  static Result<Verdict> failed(const Error& error) {
    if (error.exit != Exit::unavailable) return error;
    return Verdict{Said::unanswerable, msg("not answerable here, because {0}", {tr(error.message)})};
  }

  const InlineText* why_of(std::size_t option) {
    if (!part_.option_why[option].empty()) return &part_.option_why[option];
    for (const Tempting& one : part_.ask.tempting) {
      const auto number = one.answer.evaluate(figures_);
      if (number && is_number(*number) && number_of(*number) == double(option + 1)) return &one.why;
    }
    return nullptr;
  }

  Result<Verdict> choice(const std::string& typed) {
    const auto places = places_in(typed, shown_.size());
    if (!places || places->size() != 1) return none_of_them(typed);
    auto belongs = right_options();
    if (!belongs) return failed(belongs.error());
    const std::size_t option = shown_[places->front()];
    const std::string number = std::to_string(places->front() + 1);
    if ((*belongs)[option]) return Verdict{Said::right, msg("Right: {0}.", {number})};
    return Verdict{Said::wrong, msg("It is not {0}.", {number}), why_of(option)};
  }

  Result<Verdict> several(const PartAnswer& answer) {
    const auto places = places_in(answer.text, shown_.size());
    // Nothing chosen may be the answer, but then it is said: "0" or "none".
    const std::string plain = plain_name(answer.text);
    const bool none = plain == "0" || plain == "none" || plain == "-";
    if (!none && (!places || places->empty())) return none_of_them(answer.text);
    if (!part_.reason.empty() && only_spaces(answer.reason))
      return is_no_answer(msg("Say why, in a sentence: it is kept for your teacher."));
    auto belongs = right_options();
    if (!belongs) return failed(belongs.error());
    std::set<std::size_t> chosen;
    if (!none)
      for (const std::size_t place : *places) chosen.insert(place);
    for (const std::size_t place : chosen)
      if (!(*belongs)[shown_[place]])
        return Verdict{Said::wrong, msg("Not all that you chose belongs there."), why_of(shown_[place])};
    const auto wanted = std::size_t(std::count(belongs->begin(), belongs->end(), true));
    if (chosen.size() < wanted)
      return Verdict{Said::wrong, msg("What you chose belongs there, but something is missing.")};
    return Verdict{Said::right, msg("Right: {0}.", {none ? "0" : *right()})};
  }

  Result<Verdict> order(const std::string& typed) {
    const auto places = places_in(typed, shown_.size());
    if (!places || places->empty()) return none_of_them(typed);
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < part_.ask.options.size(); ++i)
      if (part_.ask.options[i].right) wanted.push_back(i);
    for (std::size_t i = 0; i < places->size(); ++i) {
      const std::size_t option = shown_[(*places)[i]];
      if (i < wanted.size() && option == wanted[i]) continue;
      const std::string step = std::to_string(i + 1), number = std::to_string((*places)[i] + 1);
      return Verdict{Said::wrong, msg("Step {0} is wrong: {1} does not come there.", {step, number}),
                     why_of(option)};
    }
    if (places->size() < wanted.size())
      return Verdict{Said::wrong, msg("What is there stands in the right order, but something is missing.")};
    return Verdict{Said::right, msg("Right: {0}.", {*right()})};
  }

  Result<Verdict> program(const std::string& text, ProgramJudge& judge) {
    auto verdict = judge.judge(part_.program, text, values_);
    return verdict ? verdict : failed(verdict.error());
  }

  const ExercisePart& part_;
  const std::vector<std::size_t>& shown_;
  const Params& values_;
  DrawnFigures figures_;
};

}  // namespace

Result<Verdict> check_part(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                           FigureSource& figures, ProgramJudge* judge) {
  return PartCheck(drawn, part, figures).check(answer, judge);
}

Result<std::string> right_part_answer(const DrawnExercise& drawn, std::size_t part, FigureSource& figures) {
  return PartCheck(drawn, part, figures).right();
}

Result<Compared> compare_part(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                              FigureSource& figures) {
  PartCheck check(drawn, part, figures);
  const ExercisePart& asked = drawn.exercise->parts[part];
  auto formula = check.side(asked.formula), measured = check.side(asked.measured);
  if (!formula) return formula.error();
  if (!measured) return measured.error();
  return Compared{plain_name(answer.text), *formula, *measured};
}

Status put_on_stage(const DrawnExercise& drawn, std::size_t part, const PartAnswer* answer,
                    StoryFigures& figures) {
  PartScene scene = scene_of_part(drawn, part);
  if (answer && drawn.exercise->parts[part].kind == PartKind::set) {
    auto setup = setup_of_answer(scene.lab, answer->text);
    if (!setup) return setup.error();
    scene.setup = std::move(*setup);
  }
  if (!scene.setup) return Unit{};
  const Status shown = figures.show(scene.lab, *scene.setup);
  return shown || shown.error().exit == Exit::unavailable ? Status(Unit{}) : shown;
}

Result<Value> PartFigures::figure(const FigurePath& asked) {
  if (!std::exchange(staged_, true))
    if (Status staged = put_on_stage(drawn_, part_, answer_, figures_); !staged) return staged.error();
  return figures_.figure(asked);
}

Result<Verdict> check_part_alone(const DrawnExercise& drawn, std::size_t part, const PartAnswer& answer,
                                 StoryFigures& figures, ProgramJudge* judge) {
  PartFigures staged(drawn, part, &answer, figures);
  if (drawn.exercise->parts[part].kind == PartKind::set) {
    if (only_spaces(answer.text)) return is_no_answer(msg("There is no answer yet."));
    auto setup = setup_of_answer(scene_of_part(drawn, part).lab, answer.text);
    if (!setup) return is_no_answer(setup.error().message);
  }
  return check_part(drawn, part, answer, staged, judge);
}

std::string settings_answer(const Request& request) {
  std::string text = request.rung;
  for (const auto& [name, value] : request.params)
    text += (text.empty() ? "" : "; ") + name + "=" + to_string(value);
  return text;
}

Result<SceneSetup> setup_of_answer(const std::string& slug, std::string_view text) {
  const Lab* lab = find_lab(slug);
  if (!lab) return bad_input("there is no lab '{0}'", {slug});
  SceneSetup setup;
  if (text.size() > kMaxAnswerBytes) return bad_input("these settings are too long");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.size(), text.find(';', begin));
    std::string word = plain_name(text.substr(begin, end - begin));
    if (word.find('=') != std::string::npos)
      setup.settings.push_back(std::move(word));
    else if (!word.empty() && setup.rung.empty())
      setup.rung = std::move(word);
    else if (!word.empty())
      return bad_input("'{0}' is no setting: name=value is expected", {word});
    begin = end + 1;
  }
  const LabInfo& info = lab->info();
  if (!info.rungs.empty() && info.rung_index(setup.rung) < 0)
    return bad_input("there is no rung '{0}' in {1}", {setup.rung, slug});
  if (info.rungs.empty() && !setup.rung.empty())
    return bad_input("{0} has no rungs, so no '{1}'", {slug, setup.rung});
  auto request = scene_request(slug, setup);
  if (!request) return request.error();
  return setup;
}

}  // namespace lockstep
