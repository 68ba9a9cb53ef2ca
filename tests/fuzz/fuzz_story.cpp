// Stories and glossaries of strangers: text that ends in an error with its place, or in a story whose
// expressions can all be evaluated. Nothing is run for it.
#include "app/stories/answer.hpp"
#include "app/stories/run_figures.hpp"
#include "app/stories/story_reader.hpp"
#include "app/stories/story_text.hpp"
#include "app/stories/tour.hpp"
#include "app/stories/words.hpp"
#include "fuzz.hpp"

using namespace lockstep;

namespace {

// Any figure is 7, any text as long as asked for.
class Sevens final : public FigureSource {
 public:
  Result<Value> figure(const FigurePath& asked) override {
    if (asked.path == "word") return Value{std::string("padded")};
    return asked.called ? Result<Value>(unavailable("not here")) : Value{std::int64_t{7}};
  }
};

bool has_place(const Error& error) { return error.text().starts_with("input:"); }

void walk(const Story& story) {
  Sevens figures;
  const auto compute = [&](const InlineText& text) { (void)computed_text(text, figures).ok(); };
  for (const StoryScene& scene : story.scenes) {
    for (const Paragraph& one : scene.text) compute(one.pieces);
    for (const Paragraph& one : scene.why) compute(one.pieces);
    for (const Paragraph& one : scene.notes) compute(one.pieces);
    fuzz::promise(scene_request(story.lab, scene.setup).ok(), "a scene's settings are legal");
    if (!scene.ask) continue;
    for (const char* typed : {"7", "4 KB", "b", "-1e9 ms", ""})
      (void)check_answer(*scene.ask, typed, figures).ok();
    (void)right_answer(*scene.ask, figures).ok();
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds(
      {"s---\nlab: transpose\ntitle: x\nminutes: 3\nafter: [banks]\n---\n# One\n```scene\nrung: naive\nn: "
       "64\n"
       "at: write out, warp 4\nframe: river\n```\nText *em* `code` {run(\"padded\", n=64).time.median_ms | "
       "2}.\n\n"
       "- item {n ? 1 : 2}\n\n```ask\nnumber: How {x}?\nanswer: step.sectors * 4 KB / 2.0\nunit: sectors\n"
       "tolerance: 10 %\ntempting: 4 | so\nhint: look\n```\nWhy.\n",
       "s---\nlab: banks\ntitle: y\n---\n# One\n```scene\nrung: strided\n```\n```ask\nchoice: Which?\n- a\n+ "
       "b\n"
       "tempting: 1 | no\n```\n# Two\n```scene\nrung: strided\n```\n```ask\nset: Do it.\nanswer: run.word == "
       "\"x\"\n```\n",
       "t---\ntitle: x\nminutes: 45\n---\n# One\n```scene\nlab: banks\nrung: strided\n```\nText {x}.\n"
       "```ask\nnumber: How many?\nanswer: 7\n```\nWhy.\n```notes\nSay it.\n\n- twice\n```\n",
       "w# warp\nterm: W\nalso: a, b\npicture: p\nThirty-two *threads*.\n\n# lane\nA place.\n",
       "ewavefronts(32, 4) + min(1, 2) << 3 ^ ~x && run(\"a\", n = 3).b || !c ? 4 us : 1e9 % 3",
       "a4,096.5e-3 KB"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  if (data[0] == 'w') {
    const auto words = read_words(text, "input");
    fuzz::promise(words.ok() || has_place(words.error()), "a glossary's error has its place");
  } else if (data[0] == 'e') {
    Sevens figures;
    const auto expression = Expression::parse(text);
    if (expression) (void)expression->evaluate(figures).ok();
  } else if (data[0] == 't') {
    const auto tour = read_tour(text, "input", {});
    fuzz::promise(tour.ok() || has_place(tour.error()), "a tour's error has its place");
    if (tour) walk(*tour);
  } else if (data[0] == 'a') {
    const TypedNumber number = number_typed(text, "bytes");
    fuzz::promise(number.value || !number.fault.id.empty(), "what is no number is told");
  } else {
    const auto story = read_story(text, "input");
    fuzz::promise(story.ok() || has_place(story.error()), "a story's error has its place");
    if (story) walk(*story);
  }
  return 0;
}
