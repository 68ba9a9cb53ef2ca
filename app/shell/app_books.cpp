// What is told in place of a lab's story: claims put to the test, exercises; and the lists of them.
#include <algorithm>

#include "app.hpp"
#include "app/stories/page_names.hpp"

namespace lockstep {
namespace {

constexpr std::string_view kClaims = "claims/", kExercises = "exercises/";

}  // namespace

const Story* App::book() const {
  const std::string_view name = state_.book;
  if (!desk_ || name.empty()) return nullptr;
  if (tells_tour()) return tour_.get();
  if (name.starts_with(kClaims)) return desk_->claim(name.substr(kClaims.size()));
  const OpenExercise* open = exercise();
  return open ? &open->story : nullptr;
}

const OpenExercise* App::exercise() const {
  const std::string_view name = state_.book;
  if (!desk_ || !exercises_ || !name.starts_with(kExercises)) return nullptr;
  return exercises_->opened(name.substr(kExercises.size()));
}

std::string App::written_page() const {
  const std::string folder = state_.language == Language::chinese ? "zh/" : "en/";
  const std::string_view book_name = state_.book;
  if (state_.home || shows_program()) return folder + page_path(SitePage::home);
  if (book_name.starts_with(kClaims))
    return folder + page_path(SitePage::claim, book_name.substr(kClaims.size()));
  if (book_name.starts_with(kExercises))
    return folder + page_path(SitePage::exercise, book_name.substr(kExercises.size()));
  if (const Story* told = story(); told && state_.story_scene >= 0)
    return folder + page_path(SitePage::story, told->slug);
  return folder + page_path(SitePage::lab, state_.lab);
}

bool App::open_book(const std::string& name, int scene) {
  const AppState before = state_;
  if (state_.book.empty() && visited_ && !state_.home) keep_place_of_lab();
  commit_typing();
  state_.book = name;
  if (!book() || !enter_story_scene(scene)) return state_ = before, false;
  undo_.back() = before;
  tab = "story", state_.home = state_.program = false;
  return true;
}

const std::vector<Story>& App::claims() const {
  static const std::vector<Story> none;
  return desk_ ? desk_->claims() : none;
}

int App::claim_index() const {
  const auto at =
      std::find_if(claims().begin(), claims().end(), [&](const Story& claim) { return &claim == book(); });
  return int(at - claims().begin());
}

StoryReply App::claim_reply(const Story& claim) const {
  const auto kept = settings_.claims.find(claim.slug);
  return kept == settings_.claims.end() || kept->second.empty() ? StoryReply{}
                                                                : read_reply(kept->second.front());
}

int App::claims_done() const {
  return int(std::count_if(claims().begin(), claims().end(), [&](const Story& claim) {
    return claim_reply(claim).kind != StoryReply::Kind::none;
  }));
}

bool App::has_scene_by(int scenes) const {
  const int at = tells_claim() ? claim_index() : story_scene();
  const int count = tells_claim() ? int(claims().size()) : int(story()->scenes.size());
  return at + scenes >= 0 && at + scenes < count;
}

std::string App::words_of_next() const {
  if (has_scene_by(1)) return tr("Next");
  if (tells_claim()) return tr("All claims");
  if (exercise()) return tr("All exercises");
  const Lab* after = lab_after(lab());
  return after ? tr("Next: {0}", {tr(after->info().title)}) : "";
}

void App::tell_next() {
  if (has_scene_by(1)) return story_scene_by(1);
  if (tells_claim()) return open_list(ListPage::claims);
  if (exercise()) return open_list(ListPage::exercises);
  go_to_lab_after();
}

void App::step_to_claim(int by) {
  const int to = std::clamp(claim_index() + by, 0, int(claims().size()) - 1);
  if (to != claim_index()) open_book(std::string(kClaims) + claims()[std::size_t(to)].slug);
}

}  // namespace lockstep
