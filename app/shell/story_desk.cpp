#include "story_desk.hpp"

#include <algorithm>

#include "app/draw/text_metrics.hpp"
#include "app/stories/story_text.hpp"

namespace lockstep {
namespace {

bool same_run(const Request& a, const Request& b) {
  return a.lab == b.lab && a.rung == b.rung && a.params == b.params && a.block == b.block;
}

bool speaks_of_a_run(const std::string& expression) {
  for (const char* root : {"run", "step", "recorded"})
    if (expression.find(root) != std::string::npos) return true;
  return false;
}

Font font_of(Inline::Kind kind) {
  switch (kind) {
    case Inline::Kind::code:
      return Font::mono;
    case Inline::Kind::strong:
    case Inline::Kind::emphasis:
      return Font::words_semibold;
    default:
      return Font::words;
  }
}

void add_text(const InlineText& text, std::string& all) {
  for (const Inline& piece : text) all += piece.text;
}

void add_scene(const StoryScene& scene, std::string& all) {
  all += scene.title;
  for (const auto* part : {&scene.text, &scene.why, &scene.notes})
    for (const Paragraph& one : *part) add_text(one.pieces, all);
  if (!scene.ask) return;
  add_text(scene.ask->question, all), add_text(scene.ask->hint, all);
  all += scene.ask->unit;
  for (const Option& option : scene.ask->options) add_text(option.text, all);
  for (const Tempting& one : scene.ask->tempting) add_text(one.why, all);
}

std::string glyphs_of(const StoriesRead& read) {
  std::string all;
  for (const auto* books : {&read.shelf.stories, &read.shelf.tries, &read.shelf.claims})
    for (const Story& story : *books)
      for (const StoryScene& scene : story.scenes) add_scene(scene, all);
  for (const Word& word : read.glossary.words()) all += word.term, add_text(word.sentence, all);
  return characters_beyond_ascii(all);
}

}  // namespace

StoryReply read_reply(const std::string& kept) {
  using enum StoryReply::Kind;
  if (kept.empty()) return {};
  const auto kind = kept[0] == '+' ? right : kept[0] == '-' ? wrong : shown;
  return {kind, kept.substr(1)};
}

StoryDesk::StoryDesk(std::shared_ptr<const StoriesRead> read, RunSources sources)
    : read_(std::move(read)), glyphs_(lockstep::glyphs_of(*read_)), sources_(std::move(sources)) {}

const Story* StoryDesk::of(const std::string& lab) const {
  for (const Story& story : read_->shelf.stories)
    if (story.lab == lab && !story.scenes.empty()) return &story;
  return nullptr;
}

const Story* StoryDesk::tries(const std::string& lab) const {
  for (const Story& tries : read_->shelf.tries)
    if (tries.lab == lab && !tries.scenes.empty()) return &tries;
  return nullptr;
}

const Story* StoryDesk::claim(std::string_view name) const {
  for (const Story& claim : read_->shelf.claims)
    if (claim.slug == name) return &claim;
  return nullptr;
}

std::string StoryDesk::glyphs_of(const Story& story) {
  std::string all = story.title;
  for (const StoryScene& scene : story.scenes) add_scene(scene, all);
  return characters_beyond_ascii(all);
}

Result<Run> StoryDesk::run_for(const Request& request) {
  if (stage_.run && same_run(stage_.run->request, request)) return *stage_.run;
  for (auto& [asked, run] : made_)
    if (same_run(asked, request)) return run;
  if (sources_.run) return sources_.run(request);
  const bool comes = stage_.awaited && same_run(*stage_.awaited, request);
  if (!comes && !wants(request)) wanted_.push_back(request), awaited_.push_back(request);
  waits_ = true;
  return unavailable("its run is under way");
}

bool StoryDesk::wants(const Request& request) const {
  return std::any_of(awaited_.begin(), awaited_.end(),
                     [&](const Request& asked) { return same_run(asked, request); });
}

void StoryDesk::take(const Request& request, Result<Run> run) {
  std::erase_if(awaited_, [&](const Request& asked) { return same_run(asked, request); });
  made_.emplace_back(request, std::move(run));
  ++arrived_;
}

void StoryDesk::stand_at(const Story& story, std::size_t scene, const StageNow& stage) {
  stage_ = stage, drawn_.reset();
  if (story_ != &story) {  // runs of another story are needed no more
    story_ = &story, made_.clear(), computed_.clear();
    figures_ = std::make_unique<StoryFigures>(
        RunSources{[this](const Request& request) { return run_for(request); },
                   [this](const std::string& lab, const std::string& rung) {
                     return sources_.recorded ? sources_.recorded(lab, rung) : std::vector<Run>{};
                   }});
  }
  waits_ = false;
  (void)figures_->show(story.lab, story.scenes[scene].setup).ok();  // what fails, each figure says
  scene_waits_ = waits_;
}

std::string StoryDesk::figure(const Inline& piece) {
  waits_ = false;
  const auto value = piece.expression.evaluate(figures());
  if (!value && value.error().exit == Exit::unavailable && (waits_ || scene_waits_)) {
    waits_ = true;
    return "…";
  }
  const auto text = figure_text(piece, figures());
  return text ? *text : tr("(not answerable here, because {0})", {tr(text.error().message)});
}

RichText StoryDesk::rich(const InlineText& text) {
  RichText all;
  for (const Inline& piece : text)
    all.push_back({piece.kind == Inline::Kind::figure ? figure(piece) : piece.text, font_of(piece.kind)});
  return all;
}

RichText StoryDesk::with_terms(RichText text) {
  RichText all;
  for (TextSpan& span : text) {
    std::size_t from = 0;
    const auto piece = [&](std::size_t to, const std::string& term) {
      if (to > from) all.push_back({span.text.substr(from, to - from), span.font, term}), from = to;
    };
    if (span.font != Font::mono)  // a name of the source is no term
      for (const TermSpan& term : read_->glossary.find(span.text)) {
        const bool known = std::find(explained_.begin(), explained_.end(), term.word) != explained_.end();
        if (known) continue;
        explained_.push_back(term.word);
        piece(term.begin, ""), piece(term.end, read_->glossary.words()[term.word].name);
      }
    piece(span.text.size(), "");
  }
  return all;
}

std::vector<SceneWords::Line> StoryDesk::lines(const std::vector<Paragraph>& paragraphs) {
  std::vector<SceneWords::Line> all;
  for (const Paragraph& one : paragraphs)
    all.push_back({with_terms(rich(one.pieces)), one.bullet, one.label});
  return all;
}

void StoryDesk::find_answer(const Ask& ask, SceneWords& words) {
  if (ask.kind == Ask::Kind::set || (ask.kind == Ask::Kind::number && !ask.answer)) return;
  words.of_the_run = ask.answer && speaks_of_a_run(ask.answer->text());
  waits_ = false;
  const auto right = right_answer(ask, figures());
  if (right) words.answer = *right;
  if (right && ask.kind == Ask::Kind::number)
    if (const auto value = ask.answer->evaluate(figures()); value && is_number(*value))
      words.value = number_of(*value), words.allowed = allowed_text(ask, *value);
  for (const AlsoHidden& one : ask.also)
    if (const auto value = one.answer.evaluate(figures()); value && is_number(*value))
      words.also.push_back({number_of(*value), one.unit});
  if (!right && (waits_ || scene_waits_)) words.answer = "…", words.complete = false;
  if (!right && words.complete) words.no_answer = right.error().message;
}

// What a wrong answer would be, and what makes it tempting.
std::vector<SceneWords::Tempted> StoryDesk::tempting(const Ask& ask) {
  std::vector<SceneWords::Tempted> all;
  for (const Tempting& one : ask.tempting) {
    const auto value = one.answer.evaluate(*figures_);
    std::string answer = value ? format_figure(*value, {}) : "…";
    if (ask.kind == Ask::Kind::number && !ask.unit.empty()) answer += " " + tr(ask.unit);
    all.push_back({answer, rich(one.why)});
  }
  return all;
}

bool StoryDesk::is_known(const Story& story, std::size_t scene, const std::string& kept,
                         const StageNow& stage) {
  const Computed& known = computed_[{&story, scene}];
  const bool same = known.arrived > 0 && known.kept == kept && story_ == &story;
  return same && (known.words.complete || (known.stage == stage.run.get() && known.arrived == arrived_ + 1));
}

SceneWords StoryDesk::words_of(const StoryScene& told, const std::string& kept) {
  SceneWords words;
  words.complete = !scene_waits_;
  explained_.clear();
  words.text = lines(told.text);
  if (told.ask) words.question = with_terms(rich(told.ask->question));
  words.why = lines(told.why);
  if (told.ask) {
    words.hint = rich(told.ask->hint);
    for (const Option& option : told.ask->options) words.options.push_back(rich(option.text));
    find_answer(*told.ask, words);
    words.tempting = tempting(*told.ask);
    const StoryReply reply = read_reply(kept);
    if (reply.kind == StoryReply::Kind::right)
      words.right = right_reason(*told.ask, reply.said, words.answer);
    if (reply.kind == StoryReply::Kind::wrong)
      if (const auto verdict = check_answer(*told.ask, reply.said, figures()))
        words.reply_why = verdict->why                          ? rich(*verdict->why)
                          : told.ask->kind == Ask::Kind::number ? RichText{{tr(verdict->reason), Font::words}}
                                                                : RichText{};
  }
  explained_.clear();
  words.notes = lines(told.notes);
  words.complete = words.complete && !scene_waits_ && awaited_.empty();
  return words;
}

const SceneWords& StoryDesk::words(const Story& story, std::size_t scene, const std::string& kept,
                                   const StageNow& stage) {
  if (is_known(story, scene, kept, stage)) return computed_[{&story, scene}].words;
  stand_at(story, scene, stage);
  SceneWords words = words_of(story.scenes[scene], kept);
  Computed& now = computed_[{&story, scene}];  // standing at another story forgot the others'
  now = {kept, stage.run.get(), arrived_ + 1, std::move(words)};
  return now.words;
}

StoryDesk::Judged StoryDesk::judge(const Story& story, std::size_t scene, const std::string& typed,
                                   const StageNow& stage) {
  stand_at(story, scene, stage);
  const auto verdict = check_answer(*story.scenes[scene].ask, typed, figures());
  if (!verdict) return {Verdict::Kind::unanswerable, verdict.error().message};
  if (verdict->kind == Verdict::Kind::unanswerable && (waits_ || scene_waits_))
    return {Verdict::Kind::not_understood, msg("The run that gives the answer is under way.")};
  return {verdict->kind, verdict->reason};
}

StoryDesk::Judged StoryDesk::judge_setting(const Ask& ask, const LabScene& shown, const LabView& view) {
  StoryFigures readers({[this](const Request& request) { return run_for(request); },
                        [this](const std::string& lab, const std::string& rung) {
                          return sources_.recorded ? sources_.recorded(lab, rung) : std::vector<Run>{};
                        }});
  readers.show({std::shared_ptr<void>(), &shown}, view);  // it outlives this call
  const auto verdict = check_setting(ask, readers);
  // On another rung a setting may be missing that the question speaks of.
  if (!verdict) return {Verdict::Kind::wrong, msg("The lab is not set that way yet.")};
  return {verdict->kind, verdict->reason};
}

}  // namespace lockstep
