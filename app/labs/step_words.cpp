#include "step_words.hpp"

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"

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

std::vector<std::string> step_in_words(const LabScene& scene, const LabView& view) {
  std::vector<std::string> words{
      tr("step {0} of {1}: {2}",
         {std::to_string(view.step + 1), std::to_string(scene.axis().count()), tr(scene.step_title(view))})};
  for (const HeadFigure& figure : scene.headline(view)) words.push_back(figure_in_words(figure));
  words.push_back(tr(scene.sentence(view)));
  return words;
}

}  // namespace lockstep
