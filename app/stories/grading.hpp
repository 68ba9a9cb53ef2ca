// A student's result file worked out anew, and whether the files of a class belong together.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exercise_answers.hpp"
#include "exercise_check.hpp"

namespace lockstep {

struct PartResult {
  std::string id;
  Verdict::Kind kind = Verdict::Kind::wrong;
  bool answered = false, graded = true;  // text is not graded
  Message reason;
  std::string why;  // of a tempting answer
};

// What does not fit together in a file, for the teacher to ask about.
using Doubt = Message;

struct GradedFile {
  std::string file;
  ExerciseAnswers answers;
  std::vector<PartResult> parts;  // of the exercise, in its order
  std::vector<Doubt> doubts;
  int right = 0, graded = 0;
};

// Works every answer out anew, with the file's own seed; what the file says of right and wrong is believed by
// nobody. An Error is the author's.
Result<GradedFile> grade_answers(const Exercise& exercise, ExerciseAnswers answers, const std::string& file,
                                 StoryFigures& figures, ProgramJudge* judge);

// What of the file alone does not belong together: attempts whose times run backwards, right answers without
// one attempt, a prediction that was changed, parts that the exercise does not have, a verdict that the
// answer does not bear out.
std::vector<Doubt> doubts_of(const GradedFile& graded, const Exercise& exercise);
// Does the code belong to the name? With the teacher's passphrase only.
std::optional<Doubt> doubt_of_seed(const ExerciseAnswers& answers, std::string_view passphrase);
// Adds what only shows beside the other files: one code under two names, one name twice, numbers that are
// wrong for their own seed and all right for another one's, sentences that are the same.
void compare_files(const std::map<std::string, Exercise>& exercises, std::vector<GradedFile>& files,
                   StoryFigures& figures);

}  // namespace lockstep
