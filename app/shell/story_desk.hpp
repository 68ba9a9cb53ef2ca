// The stories behind the window: which lab has one, what a scene's texts say with their figures computed, and
// whether an answer is right. A figure of a run that is still to come reads "…" until it is there.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/language.hpp"
#include "app/draw/rich_text.hpp"
#include "app/stories/answer.hpp"
#include "app/stories/bookshelf.hpp"
#include "app/stories/exercise_answers.hpp"
#include "app/stories/exercise_check.hpp"
#include "app/stories/glossary.hpp"
#include "app/stories/story_figures.hpp"
#include "app/stories/story_reader.hpp"

namespace lockstep {

// What became of a scene's question, as the settings keep it: "" nothing yet, "?" the answer was shown,
// "+32" right, "-8" wrong, with what was typed.
struct StoryReply {
  enum class Kind { none, shown, right, wrong };
  Kind kind = Kind::none;
  std::string said;
};
StoryReply read_reply(const std::string& kept);

// A number that gives an answer away.
struct HiddenAmount {
  double value = 0;
  std::string unit;
};

// A scene's texts, computed.
struct SceneWords {
  struct Line {
    RichText text;
    bool bullet = false;
    std::string label = {};  // of what follows: "model", "verdict"
  };
  std::vector<Line> text, why;
  RichText question, hint;
  std::vector<RichText> options;
  std::string answer;                // "32 sectors"; of a choice the option's number
  std::optional<double> value;       // of the answer, where it is a number
  std::vector<HiddenAmount> also;    // from which the answer follows
  std::string allowed;               // "± 10 %"; "" where the number must be exact
  Message right;                     // of a right answer: what was said, and what it is exactly
  bool of_the_run = false;           // the answer is a figure of a run, not arithmetic
  std::optional<Message> no_answer;  // why the question has no answer here
  struct Tempted {
    std::string answer;  // "4 sectors"; of a choice the option's number
    RichText why;
  };
  std::vector<Tempted> tempting;  // for who asks the question
  std::vector<Line> notes;        // of a tour
  RichText reply_why;             // of a wrong answer: what made it tempting, or how far off it is
  bool complete = true;           // no figure is still to come
  // Of an exercise's part.
  std::vector<RichText> hints;       // from the first one on
  std::vector<RichText> option_why;  // of the options as they stand; empty: none
  RichText reason;                   // what the student's reason is asked for with
  struct Judgement {                 // of the last attempt
    Verdict::Kind kind = Verdict::Kind::unanswerable;
    std::vector<std::string> sentences;
    RichText why;  // what made a wrong answer tempting
    Compared compared;
  };
  std::optional<Judgement> judgement;
};

// What the stage has to offer.
struct StageNow {
  std::shared_ptr<const Run> run;  // of the present settings
  std::optional<Request> awaited;  // its run is under way
};

class StoryDesk {
 public:
  // `sources` makes runs at once (pictures); without its `run` they are asked for by wanted(), without its
  // `recorded` there are no recordings.
  StoryDesk(std::shared_ptr<const StoriesRead> read, RunSources sources);
  StoryDesk(const StoryDesk&) = delete;
  StoryDesk& operator=(const StoryDesk&) = delete;

  const Story* of(const std::string& lab) const;     // nullptr: it has none
  const Story* tries(const std::string& lab) const;  // what there is to try; nullptr: nothing
  const std::vector<Story>& stories() const { return read_->shelf.stories; }
  const std::vector<Story>& claims() const { return read_->shelf.claims; }
  const Story* claim(std::string_view name) const;  // nullptr: there is none of that name
  const Glossary& glossary() const { return read_->glossary; }
  const std::vector<Error>& faults() const { return read_->shelf.faults; }
  // Characters outside ASCII: of all that it tells, and of one story.
  const std::string& glyphs() const { return glyphs_; }
  static std::string glyphs_of(const Story& story);

  const SceneWords& words(const Story& story, std::size_t scene, const std::string& kept,
                          const StageNow& stage);
  struct Judged {
    Verdict::Kind kind = Verdict::Kind::unanswerable;
    Message reason;
  };
  Judged judge(const Story& story, std::size_t scene, const std::string& typed, const StageNow& stage);

  // An exercise's part, told as a scene of `story`; `record`: what was given, nullptr for nothing. `shown`:
  // the reader's own run, of which a part asks that sets the lab.
  struct PartTold {
    const Story& story;
    const DrawnExercise& drawn;
    std::size_t part = 0;
    const PartRecord* record = nullptr;
  };
  const SceneWords& part_words(const PartTold& told, const StageNow& stage);
  Result<Verdict> judge_part(const PartTold& told, const PartAnswer& answer, const StageNow& stage);
  Result<Verdict> judge_part_setting(const PartTold& told, const LabScene& shown, const LabView& view);
  // The open story is told in another form: its pointers are no longer good.
  void forget_story() { story_ = nullptr, computed_.clear(), made_.clear(); }
  // Of a question that asks to set the lab: does the reader's own run fulfil it?
  Judged judge_setting(const Ask& ask, const LabScene& shown, const LabView& view);

  // Runs that figures need and the stage does not have: to be asked for, once; and their outcomes.
  std::vector<Request> take_wanted() { return std::exchange(wanted_, {}); }
  bool wants(const Request& request) const;
  bool waiting() const { return !awaited_.empty(); }
  void take(const Request& request, Result<Run> run);

 private:
  void stand_at(const Story& story, std::size_t scene, const StageNow& stage);
  Result<Run> run_for(const Request& request);
  RichText rich(const InlineText& text);
  RichText with_terms(RichText text);  // of each its first place in the scene
  std::vector<SceneWords::Line> lines(const std::vector<Paragraph>& paragraphs);
  std::string figure(const Inline& piece);
  FigureSource& figures() { return drawn_ ? static_cast<FigureSource&>(*drawn_) : *figures_; }
  SceneWords words_of(const StoryScene& told, const std::string& kept);
  bool is_known(const Story& story, std::size_t scene, const std::string& kept, const StageNow& stage);
  void add_part(const PartTold& told, SceneWords& words);
  SceneWords::Judgement judgement_of(const PartTold& told, const Attempt& last);
  void find_answer(const Ask& ask, SceneWords& words);
  std::vector<SceneWords::Tempted> tempting(const Ask& ask);

  std::shared_ptr<const StoriesRead> read_;
  std::string glyphs_;
  std::vector<std::size_t> explained_;  // words of the scene at hand that have had their place
  RunSources sources_;
  const Story* story_ = nullptr;  // that figures_ is of
  std::unique_ptr<StoryFigures> figures_;
  std::optional<DrawnFigures> drawn_;  // around them: of an exercise what its seed drew
  StageNow stage_;
  bool scene_waits_ = false, waits_ = false;  // since the scene was taken up; since a figure was begun
  std::vector<Request> wanted_, awaited_;
  std::vector<std::pair<Request, Result<Run>>> made_;
  int arrived_ = 0;
  struct Computed {
    std::string kept;
    const Run* stage = nullptr;
    int arrived = 0;
    SceneWords words;
  };
  std::map<std::pair<const Story*, std::size_t>, Computed> computed_;
};

}  // namespace lockstep
