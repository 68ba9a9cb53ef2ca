#include "app/cli/say.hpp"

#include <ostream>

#include "app/cli/print.hpp"
#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"

namespace lockstep {
namespace {

std::string figure_in_words(const HeadFigure& figure) {
  std::string text = figure.value;
  if (!figure.unit.empty()) text += " " + figure.unit;
  if (!figure.note.empty()) text = tr("{0}, {1}", {text, figure.note});
  if (figure.provenance.empty()) return text;
  return tr("{0} ({1})", {text, provenance_text(Provenance(figure.provenance))});
}

}  // namespace

void say_steps(const Run& run, std::ostream& out) {
  const auto scene = open_run(run);
  const int count = scene && !run.launches.empty() ? scene->axis().count() : 0;
  if (count == 0) {
    out << tr("This run has no steps.") << "\n";
    return;
  }
  for (int step = 0; step < count; ++step) {
    const LabView view{step, run.request.warp, {}, {}};
    if (step > 0) out << "\n";
    out << one_line(tr("step {0} of {1}: {2}",
                       {std::to_string(step + 1), std::to_string(count), tr(scene->step_title(view))}))
        << "\n";
    for (const HeadFigure& figure : scene->headline(view)) out << one_line(figure_in_words(figure)) << "\n";
    out << one_line(tr(scene->sentence(view))) << "\n";
  }
}

}  // namespace lockstep
