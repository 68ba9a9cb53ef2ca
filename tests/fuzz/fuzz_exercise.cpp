// Exercises and result files of strangers: text that ends in an error with its place, or in parts that can be
// checked whatever is answered. Nothing is run for it.
#include "app/stories/exercise_answers.hpp"
#include "app/stories/exercise_reader.hpp"
#include "app/stories/story_text.hpp"
#include "fuzz.hpp"

using namespace lockstep;

namespace {

// Any figure is 7.
class Sevens final : public FigureSource {
 public:
  Result<Value> figure(const FigurePath& asked) override {
    return asked.called ? Result<Value>(unavailable("not here")) : Value{std::int64_t{7}};
  }
};

void walk(const Exercise& exercise) {
  for (const Seed seed : {Seed{}, Seed{0x12345}}) {
    const auto drawn = draw_exercise(exercise, seed);
    if (!drawn) continue;
    Sevens figures;
    DrawnFigures all(drawn->values, &figures);
    for (std::size_t i = 0; i < exercise.parts.size(); ++i) {
      const PartScene scene = scene_of_part(*drawn, i);
      // One value beside the default ones was tried at reading; several at once may not fit.
      if (scene.setup && seed == Seed{})
        fuzz::promise(scene_request(scene.lab, *scene.setup).ok(), "the default scene's settings are legal");
      (void)computed_text(exercise.parts[i].ask.question, all).ok();
      for (const char* typed : {"7", "4 KB", "b", "1, 2", "0", "copy; n=8", ""})
        (void)check_part(*drawn, i, {typed, "so"}, figures, nullptr).ok();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds(
      {"e---\nlab: transpose\ntitle: x\nvary: n = 8..64 by 8, *16\nvary: w = *a, b\nlet: m = 2 * "
       "n\n---\nText {n}.\n"
       "# One\n```scene\nrung: copy\nn: {n}\n```\n```ask\npart: a\nnumber: ?\nanswer: m + step.x\nunit: us\n"
       "tolerance: 1 %\nhint: a\nhint: b\nformula: n\nmeasured: run.rung\n```\nWhy {m | 2}.\n",
       "e---\nlab: banks\ntitle: y\n---\n# One\n```ask\npart: a\nseveral: ?\n+ a\n- b || c\n? 1 < 2 | d\n"
       "reason: why?\n```\n# Two\n```ask\npart: b\norder: ?\n+ a\n+ b\n- c\n```\n# Three\n```ask\npart: c\n"
       "program: ?\ntask: map\n```\n",
       "r{\"schema\":1,\"exercise\":\"mfu\",\"name\":\"A\",\"seed\":\"K7QM-2T9X\",\"version\":\"0\","
       "\"parts\":[{\"id\":"
       "\"a\",\"answer\":\"1\",\"hints\":1,\"locked\":true,\"attempts\":[{\"answer\":\"1\",\"time\":"
       "\"2026-11-23T09:00:00Z\",\"verdict\":\"right\"}]}]}",
       "cK7QM-2T9X"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  if (data[0] == 'r') {
    const auto answers = read_answers(text, "input");
    fuzz::promise(answers.ok() || answers.error().text().starts_with("input"), "a file's error names it");
    if (answers)
      fuzz::promise(read_answers(answers_json(*answers), "input").ok(), "what was read is written legibly");
  } else if (data[0] == 'c') {
    if (const auto seed = seed_from_code(text))
      fuzz::promise(seed_from_code(seed_code(*seed)) == seed, "a code comes back");
  } else {
    const auto exercise = read_exercise(text, "input");
    fuzz::promise(exercise.ok() || exercise.error().text().starts_with("input:"),
                  "an exercise's error has its place");
    if (exercise) walk(*exercise);
  }
  return 0;
}
