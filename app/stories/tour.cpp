#include "tour.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/model/portable.hpp"
#include "app/platform/files.hpp"
#include "markdown.hpp"
#include "model_functions.hpp"
#include "scene_reader.hpp"
#include "story_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Status read_tour_front(const SourceText& source, Story& tour, std::size_t& body) {
  auto fields = read_front_matter(source, body);
  if (!fields) return fields.error();
  for (const Field& field : *fields) {
    if (field.key == "title") {
      tour.title = field.value(source);
    } else if (field.key == "minutes") {
      auto minutes = minutes_in(source, field);
      if (!minutes) return minutes.error();
      tour.minutes = *minutes;
    } else {
      return source.error(field.key_begin, {"expected title or minutes, not '{0}'", {field.key}});
    }
  }
  if (tour.title.empty()) return source.error(0, msg("'title: ...' is missing"));
  return Unit{};
}

class TourReader {
 public:
  TourReader(const SourceText& source, std::span<const Story> stories, Story& tour)
      : source_(source), stories_(stories), tour_(tour) {}

  Status add(MarkdownBlock& block) {
    if (block.kind == MarkdownBlock::Kind::heading) return begin_scene(block);
    if (tour_.scenes.empty())
      return source_.error(block.offset, {"expected '# ' and a title: a tour is made of scenes", {}});
    if (block.kind == MarkdownBlock::Kind::fence) return add_fence(block);
    if (block.text.pieces.empty()) return Unit{};
    StoryScene& scene = tour_.scenes.back();
    if (std::exchange(own_text_, true) == false && !own_ask_) scene.text.clear();
    (own_ask_ ? scene.why : scene.text).push_back(std::move(block.text));
    return Unit{};
  }

  Status finish() {
    if (tour_.scenes.empty())
      return source_.error(source_.text.size(), {"a tour has at least one scene: '# ' and its title", {}});
    return finish_scene();
  }

 private:
  Status begin_scene(const MarkdownBlock& block) {
    if (!tour_.scenes.empty())
      if (Status done = finish_scene(); !done) return done;
    if (tour_.scenes.size() == kMaxScenes)
      return source_.error(block.offset, {"a tour has at most {0} scenes", {std::to_string(kMaxScenes)}});
    for (const Inline& piece : block.text.pieces)
      if (piece.kind == Inline::Kind::figure)
        return source_.error(block.offset,
                             {"a title holds no expression: it is read before anything runs", {}});
    StoryScene scene;
    scene.title = plain_text(block.text.pieces, nullptr);
    scene.place = source_.place(block.offset);
    if (scene.title.empty()) return source_.error(block.offset, {"this scene has no title", {}});
    tour_.scenes.push_back(std::move(scene));
    has_setup_ = own_text_ = own_ask_ = has_notes_ = false, heading_ = block.offset;
    return Unit{};
  }

  Status finish_scene() {
    if (has_setup_) return Unit{};
    return source_.error(heading_, {"this scene has no `scene` block: it says what stands on the stage", {}});
  }

  Status add_fence(const MarkdownBlock& block) {
    if (block.info == "scene") return add_setup(block);
    if (block.info == "ask") return add_ask(block);
    if (block.info == "notes") return add_notes(block);
    return source_.error(block.offset,
                         {"expected a block of `scene`, `ask` or `notes`, not `{0}`", {block.info}});
  }

  Status add_setup(const MarkdownBlock& block) {
    if (std::exchange(has_setup_, true))
      return source_.error(block.offset, {"this is the second `scene` block of the scene", {}});
    if (own_text_ || own_ask_)
      return source_.error(block.offset, {"the `scene` block stands right below the title", {}});
    auto fields = read_fields(source_, block.begin, block.end);
    if (!fields) return fields.error();
    const auto named = [&](const char* key) {
      return std::find_if(fields->begin(), fields->end(), [&](const Field& f) { return f.key == key; });
    };
    if (const auto story = named("story"); story != fields->end()) {
      if (fields->size() > 1)
        return source_.error(
            story->key_begin,
            {"a scene of a story comes with its own settings: nothing else stands here", {}});
      return take_scene(*story);
    }
    if (named("lab") == fields->end())
      return source_.error(block.offset, {"expected 'lab: ...', or 'story: LAB, NUMBER'", {}});
    auto setup = read_setup(source_, block, labs().front()->info());
    if (!setup) return setup.error();
    tour_.scenes.back().setup = std::move(*setup);
    return Unit{};
  }

  // "transpose, 2"
  Status take_scene(const Field& field) {
    const std::string_view text = field.value(source_);
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string lab(text.substr(0, comma));
    const auto told =
        std::find_if(stories_.begin(), stories_.end(), [&](const Story& story) { return story.lab == lab; });
    if (told == stories_.end())
      return source_.error(field.begin, {"there is no story of the lab '{0}'", {lab}});
    std::string_view digits = text.substr(comma);
    digits.remove_prefix(std::min(digits.find_first_not_of(", \t"), digits.size()));
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size() || number < 1 ||
        number > told->scenes.size())
      return source_.error(field.begin, {"expected the number of a scene behind the comma, 1 to {0}, as in "
                                         "'{1}, 1'",
                                         {std::to_string(told->scenes.size()), lab}});
    StoryScene scene = told->scenes[number - 1];
    StoryScene& mine = tour_.scenes.back();
    scene.title = mine.title, scene.place = mine.place, scene.notes = std::move(mine.notes);
    if (scene.setup.lab.empty()) scene.setup.lab = lab;
    mine = std::move(scene);
    return Unit{};
  }

  // In place of a taken scene's question; the why below it belongs to it.
  Status add_ask(const MarkdownBlock& block) {
    if (std::exchange(own_ask_, true)) return source_.error(block.offset, {"a scene asks one question", {}});
    auto ask = read_ask(source_, block);
    if (!ask) return ask.error();
    tour_.scenes.back().ask = std::move(*ask), tour_.scenes.back().why.clear();
    return Unit{};
  }

  Status add_notes(const MarkdownBlock& block) {
    if (std::exchange(has_notes_, true))
      return source_.error(block.offset, {"this is the second `notes` block of the scene", {}});
    auto blocks = read_markdown(source_, block.begin, block.end, model_functions());
    if (!blocks) return blocks.error();
    for (MarkdownBlock& one : *blocks) {
      if (one.kind != MarkdownBlock::Kind::paragraph)
        return source_.error(one.offset == std::string_view::npos ? block.offset : one.offset,
                             {"notes are paragraphs and lists", {}});
      if (!one.text.pieces.empty()) tour_.scenes.back().notes.push_back(std::move(one.text));
    }
    return Unit{};
  }

  const SourceText& source_;
  const std::span<const Story> stories_;
  Story& tour_;
  bool has_setup_ = false, own_text_ = false, own_ask_ = false, has_notes_ = false;
  std::size_t heading_ = 0;
};

}  // namespace

Result<Story> read_tour(std::string_view bytes, const std::string& name, std::span<const Story> stories) {
  if (bytes.size() > kMaxStoryBytes)
    return bad_input("{0}:1:1: a tour has at most {1} bytes", {name, std::to_string(kMaxStoryBytes)});
  auto text = check_text(bytes, name);
  if (!text) return text.error();
  const SourceText source(*text, name);
  Story tour;
  std::size_t body = 0;
  if (Status front = read_tour_front(source, tour, body); !front) return front.error();
  auto blocks = read_markdown(source, body, text->size(), model_functions());
  if (!blocks) return blocks.error();
  TourReader reader(source, stories, tour);
  for (MarkdownBlock& block : *blocks)
    if (Status added = reader.add(block); !added) return added.error();
  if (Status done = reader.finish(); !done) return done.error();
  return tour;
}

Result<Story> load_tour(const fs::path& file, std::span<const Story> stories) {
  auto bytes = read_file(file, kMaxStoryBytes);
  if (!bytes) return bytes.error();
  auto tour =
      read_tour({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string(), stories);
  if (!tour) return tour;
  tour->file = file, tour->slug = file.stem().string();
  const std::string folder = file.parent_path().filename().string();
  if (folder == "en" || folder == "zh") tour->language = folder;
  return tour;
}

namespace {

std::vector<fs::path> places_of(const fs::path& folder, std::string_view language) {
  return {folder / language, folder, folder / "en"};
}

}  // namespace

Result<fs::path> find_tour(const std::string& typed, const std::vector<fs::path>& folders,
                           std::string_view language) {
  std::error_code unknown;
  if (fs::is_regular_file(typed, unknown)) return fs::path(typed);
  const std::string name = typed.ends_with(".md") ? typed : typed + ".md";
  if (typed.find('/') == typed.npos)
    for (const fs::path& folder : folders)
      for (const fs::path& place : places_of(folder, language))
        if (fs::is_regular_file(place / name, unknown)) return place / name;
  std::string known;
  for (const std::string& one : tour_names(folders)) known += (known.empty() ? "" : ", ") + one;
  return bad_input("there is no tour '{0}': name a file (.md), or one of {1}", {typed, known});
}

fs::path tour_in_language(const fs::path& file, std::string_view language) {
  const std::string folder = file.parent_path().filename().string();
  const fs::path other = file.parent_path().parent_path() / language / file.filename();
  std::error_code unknown;
  const bool by_language = folder == "en" || folder == "zh";
  return by_language && fs::is_regular_file(other, unknown) ? other : file;
}

std::vector<std::string> tour_names(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders)
    for (const fs::path& place : places_of(folder, "zh"))
      for (const fs::path& file : markdown_files_in(place)) names.insert(file.stem().string());
  return {names.begin(), names.end()};
}

}  // namespace lockstep
