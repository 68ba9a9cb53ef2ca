#include "story_reader.hpp"

#include <algorithm>
#include <set>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/model/portable.hpp"
#include "app/platform/files.hpp"
#include "claims.hpp"
#include "markdown.hpp"
#include "model_functions.hpp"
#include "scene_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTries = "tries";  // the folder of what to try

// "[coalescing, banks]", the brackets may be left out.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + ",") {
    if (c == ',' || c == ']') {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else if (c != '[' && c != ' ' && c != '\t') {
      word += c;
    }
  }
  return words;
}

Status read_front(const SourceText& source, Story& story, std::size_t& body) {
  auto fields = read_front_matter(source, body);
  if (!fields) return fields.error();
  for (const Field& field : *fields) {
    const std::string value(field.value(source));
    if (field.key == "lab") {
      if (!find_lab(value)) return source.error(field.begin, {"there is no lab '{0}'", {value}});
      story.lab = value;
    } else if (field.key == "title") {
      story.title = value;
    } else if (field.key == "minutes") {
      auto minutes = minutes_in(source, field);
      if (!minutes) return minutes.error();
      story.minutes = *minutes;
    } else if (field.key == "after") {
      story.after = words_in(value);
    } else {
      return source.error(field.key_begin, {"expected lab, title, minutes or after, not '{0}'", {field.key}});
    }
  }
  if (story.lab.empty() || story.title.empty())
    return source.error(0, story.lab.empty() ? msg("'lab: ...' is missing") : msg("'title: ...' is missing"));
  return Unit{};
}

// --- story

class StoryReader {
 public:
  StoryReader(const SourceText& source, Story& story)
      : source_(source), story_(story), lab_(find_lab(story.lab)->info()) {}

  Status add(MarkdownBlock& block) {
    if (block.kind == MarkdownBlock::Kind::heading) return begin_scene(block);
    if (story_.scenes.empty())
      return source_.error(block.offset, {"expected '# ' and a title: a story is made of scenes", {}});
    StoryScene& scene = story_.scenes.back();
    if (block.kind == MarkdownBlock::Kind::fence) return add_fence(block, scene);
    if (!block.text.pieces.empty()) (scene.ask ? scene.why : scene.text).push_back(std::move(block.text));
    return Unit{};
  }

  Status finish() {
    if (story_.scenes.empty())
      return source_.error(source_.text.size(), {"a story has at least one scene: '# ' and its title", {}});
    return finish_scene();
  }

 private:
  Status begin_scene(const MarkdownBlock& block) {
    if (!story_.scenes.empty())
      if (Status done = finish_scene(); !done) return done;
    if (story_.scenes.size() == kMaxScenes)
      return source_.error(block.offset, {"a story has at most {0} scenes", {std::to_string(kMaxScenes)}});
    StoryScene scene;
    for (const Inline& piece : block.text.pieces)
      if (piece.kind == Inline::Kind::figure)
        return source_.error(block.offset,
                             {"a title holds no expression: it is read before anything runs", {}});
    scene.title = plain_text(block.text.pieces, nullptr);
    scene.place = source_.place(block.offset);
    if (scene.title.empty()) return source_.error(block.offset, {"this scene has no title", {}});
    story_.scenes.push_back(std::move(scene));
    has_setup_ = false, heading_ = block.offset;
    return Unit{};
  }

  Status finish_scene() {
    if (has_setup_) return Unit{};
    return source_.error(heading_, {"this scene has no `scene` block: it says what stands on the stage", {}});
  }

  Status add_fence(const MarkdownBlock& block, StoryScene& scene) {
    if (block.info == "scene") {
      if (std::exchange(has_setup_, true))
        return source_.error(block.offset, {"this is the second `scene` block of the scene", {}});
      auto setup = read_setup(source_, block, lab_);
      if (!setup) return setup.error();
      scene.setup = std::move(*setup);
      return Unit{};
    }
    if (block.info != "ask")
      return source_.error(block.offset, {"expected a block of `scene` or `ask`, not `{0}`", {block.info}});
    if (scene.ask) return source_.error(block.offset, {"a scene asks one question", {}});
    auto ask = read_ask(source_, block);
    if (!ask) return ask.error();
    scene.ask = std::move(*ask);
    return Unit{};
  }

  const SourceText& source_;
  Story& story_;
  const LabInfo& lab_;
  bool has_setup_ = false;
  std::size_t heading_ = 0;
};

}  // namespace

Result<Story> read_story(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMaxStoryBytes)
    return bad_input("{0}:1:1: a story has at most {1} bytes", {name, std::to_string(kMaxStoryBytes)});
  auto text = check_text(bytes, name);
  if (!text) return text.error();
  const SourceText source(*text, name);
  Story story;
  std::size_t body = 0;
  if (Status front = read_front(source, story, body); !front) return front.error();
  auto blocks = read_markdown(source, body, text->size(), model_functions());
  if (!blocks) return blocks.error();
  StoryReader reader(source, story);
  for (MarkdownBlock& block : *blocks)
    if (Status added = reader.add(block); !added) return added.error();
  if (Status done = reader.finish(); !done) return done.error();
  return story;
}

Result<Story> load_story(const fs::path& file) {
  auto bytes = read_file(file, kMaxStoryBytes);
  if (!bytes) return bytes.error();
  auto story = read_story({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
  if (!story) return story;
  story->file = file, story->slug = file.stem().string();
  fs::path above = file.parent_path();
  if (above.filename() == kTries) above = above.parent_path();
  const std::string folder = above.filename().string();
  if (folder == "en" || folder == "zh") story->language = folder;
  return story;
}

namespace {

// A thing to try that asks nothing cannot be done.
Status check_tries(const Story& tries) {
  for (const StoryScene& one : tries.scenes)
    if (!one.ask)
      return bad_input("{0}:{1}:{2}: {3}",
                       {tries.file.string(), std::to_string(one.place.line), std::to_string(one.place.column),
                        tr("what to try has an `ask` block: it says when it is done")});
  return Unit{};
}

// The files of these folders, the first of a name; what cannot be read is a fault.
std::vector<Story> stories_in(const std::vector<fs::path>& folders, bool tries, std::vector<Error>& faults) {
  std::vector<Story> stories;
  std::set<std::string> known;
  for (const fs::path& folder : folders)
    for (const fs::path& file : markdown_files_in(folder)) {
      if (known.contains(file.stem().string())) continue;
      auto story = load_story(file);
      const Status fits = story && tries ? check_tries(*story) : Status(Unit{});
      if (!story || !fits) {
        faults.push_back(story ? fits.error() : story.error());
        continue;
      }
      known.insert(story->slug);
      stories.push_back(std::move(*story));
    }
  return stories;
}

}  // namespace

StoryShelf load_stories(const std::vector<fs::path>& folders, std::string_view language) {
  std::vector<fs::path> all;
  for (const fs::path& folder : folders) {
    all.push_back(folder), all.push_back(folder / language);
    if (language != "en") all.push_back(folder / "en");
  }
  StoryShelf shelf;
  shelf.stories = stories_in(all, false, shelf.faults);
  for (fs::path& folder : all) folder /= kTries;
  shelf.tries = stories_in(all, true, shelf.faults);
  shelf.claims = load_claims(folders, language, shelf.faults);
  return shelf;
}

}  // namespace lockstep
