#include "exercise_reader.hpp"

#include <algorithm>
#include <set>

#include "app/draw/language.hpp"
#include "app/labs/lab.hpp"
#include "app/platform/files.hpp"
#include "exercise_front.hpp"
#include "exercise_seed.hpp"
#include "markdown.hpp"
#include "model_functions.hpp"
#include "part_block.hpp"
#include "scene_reader.hpp"
#include "story_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class ExerciseReader {
 public:
  ExerciseReader(const SourceText& source, Exercise& exercise) : source_(source), exercise_(exercise) {}

  Status add(MarkdownBlock& block) {
    if (block.kind == MarkdownBlock::Kind::heading) return begin_part(block);
    if (exercise_.parts.empty()) {
      if (block.kind == MarkdownBlock::Kind::fence)
        return source_.error(block.offset, {"expected '# ' and a title before the first block", {}});
      if (!block.text.pieces.empty()) exercise_.text.push_back(std::move(block.text));
      return Unit{};
    }
    ExercisePart& part = exercise_.parts.back();
    if (block.kind == MarkdownBlock::Kind::fence) return add_fence(block, part);
    if (!block.text.pieces.empty()) (asked_ ? part.why : part.text).push_back(std::move(block.text));
    return Unit{};
  }

  Status finish() {
    if (exercise_.parts.empty())
      return source_.error(source_.text.size(),
                           {"an exercise has at least one part: '# ' and its title", {}});
    if (Status done = finish_part(); !done) return done;
    return check_draws();
  }

 private:
  Status begin_part(const MarkdownBlock& block) {
    if (!exercise_.parts.empty())
      if (Status done = finish_part(); !done) return done;
    if (exercise_.parts.size() == kMaxParts)
      return source_.error(block.offset, {"an exercise has at most {0} parts", {std::to_string(kMaxParts)}});
    for (const Inline& piece : block.text.pieces)
      if (piece.kind == Inline::Kind::figure)
        return source_.error(block.offset,
                             {"a title holds no expression: it is read before anything runs", {}});
    ExercisePart part;
    part.lab = exercise_.lab;
    part.title = plain_text(block.text.pieces, nullptr);
    part.place = source_.place(block.offset);
    if (part.title.empty()) return source_.error(block.offset, {"this part has no title", {}});
    exercise_.parts.push_back(std::move(part));
    asked_ = false, heading_ = block.offset;
    return Unit{};
  }

  Status finish_part() {
    if (asked_) return Unit{};
    return source_.error(heading_, {"this part has no `ask` block: a part asks something", {}});
  }

  Status add_fence(const MarkdownBlock& block, ExercisePart& part) {
    if (block.info == "scene") return add_scene(block, part);
    if (block.info != "ask")
      return source_.error(block.offset, {"expected a block of `scene` or `ask`, not `{0}`", {block.info}});
    if (std::exchange(asked_, true)) return source_.error(block.offset, {"a part asks one question", {}});
    if (Status read = read_part_block(source_, block, part); !read) return read;
    for (std::size_t i = 0; i + 1 < exercise_.parts.size(); ++i)
      if (exercise_.parts[i].id == part.id)
        return source_.error(block.offset, {"there are two parts '{0}'", {part.id}});
    return Unit{};
  }

  Status add_scene(const MarkdownBlock& block, ExercisePart& part) {
    if (part.setup) return source_.error(block.offset, {"this is the second `scene` block of the part", {}});
    if (asked_) return source_.error(block.offset, {"the `scene` block stands before the `ask` block", {}});
    SceneSetup setup;
    setup.place = source_.place(block.offset);
    auto fields = read_fields(source_, block.begin, block.end);
    if (!fields) return fields.error();
    for (const Field& field : *fields)
      if (Status read = read_scene_field(source_, field, setup); !read) return read;
    if (!setup.lab.empty()) part.lab = setup.lab;
    part.setup = std::move(setup);
    scenes_.push_back({exercise_.parts.size() - 1, block.offset});
    return Unit{};
  }

  // Every value that a seed may draw, one name at a time, makes scenes that the lab has.
  Status check_draws() {
    auto drawn = draw_exercise(exercise_, {});
    if (!drawn) return source_.in_file(drawn.error());
    if (Status fit = check_scenes(*drawn); !fit) return fit;
    if (scenes_.empty()) return Unit{};
    for (const Vary& vary : exercise_.vary)
      for (const Value& value : vary.values) {
        Params values = drawn->values;
        for (const Let& let : exercise_.lets) values.erase(let.name);
        values[vary.name] = value;
        if (Status worked = work_out_lets(exercise_, values); !worked) return source_.in_file(worked.error());
        DrawnExercise other = *drawn;
        other.values = std::move(values);
        if (Status fit = check_scenes(other); !fit) return fit;
      }
    return Unit{};
  }

  Status check_scenes(const DrawnExercise& drawn) {
    for (const auto& [part, offset] : scenes_) {
      auto setup = filled_setup(drawn, part);
      if (!setup) return source_.in_file(setup.error());
      const LabInfo& lab = find_lab(exercise_.parts[part].lab)->info();
      if (Status fits = check_setup(source_, lab, **setup, offset); !fits) return fits;
    }
    return Unit{};
  }

  const SourceText& source_;
  Exercise& exercise_;
  bool asked_ = false;
  std::size_t heading_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> scenes_;  // part, offset
};

// Guided ones first, tracks by name; in each by number, 2 before 10 and before A.
auto place_in_list(const Exercise& exercise) {
  const std::string& number = exercise.number;
  const bool counted = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
  return std::tuple(exercise.track, number.empty(), !counted, counted ? number.size() : 0, number,
                    exercise.slug);
}

}  // namespace

Result<Exercise> read_exercise(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMaxStoryBytes)
    return bad_input("{0}:1:1: an exercise has at most {1} bytes", {name, std::to_string(kMaxStoryBytes)});
  auto text = check_text(bytes, name);
  if (!text) return text.error();
  const SourceText source(*text, name);
  Exercise exercise;
  std::size_t body = 0;
  if (Status front = read_exercise_front(source, exercise, body); !front) return front.error();
  exercise.slug = fs::path(name).stem().string();
  auto blocks = read_markdown(source, body, text->size(), model_functions());
  if (!blocks) return blocks.error();
  ExerciseReader reader(source, exercise);
  for (MarkdownBlock& block : *blocks)
    if (Status added = reader.add(block); !added) return added.error();
  if (Status done = reader.finish(); !done) return done.error();
  return exercise;
}

Result<Exercise> load_exercise(const fs::path& file) {
  auto bytes = read_file(file, kMaxStoryBytes);
  if (!bytes) return bytes.error();
  auto exercise = read_exercise({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
  if (!exercise) return exercise;
  exercise->file = file;
  exercise->slug = file.stem().string();
  const std::string folder = file.parent_path().filename().string();
  if (folder == "en" || folder == "zh") exercise->language = folder;
  return exercise;
}

ExerciseShelf load_exercises(const std::vector<fs::path>& folders, std::string_view language) {
  ExerciseShelf shelf;
  std::set<std::string> known;
  for (const fs::path& folder : folders)
    for (const fs::path& place : {folder, folder / language, folder / "en"})
      for (const fs::path& file : markdown_files_in(place)) {
        if (known.contains(file.stem().string())) continue;
        auto exercise = load_exercise(file);
        if (!exercise) {
          const std::string text = exercise.error().text();
          if (std::none_of(shelf.faults.begin(), shelf.faults.end(),
                           [&](const Error& fault) { return fault.text() == text; }))
            shelf.faults.push_back(exercise.error());
          continue;
        }
        known.insert(exercise->slug);
        shelf.exercises.push_back(std::move(*exercise));
      }
  std::stable_sort(shelf.exercises.begin(), shelf.exercises.end(),
                   [](const Exercise& a, const Exercise& b) { return place_in_list(a) < place_in_list(b); });
  return shelf;
}

}  // namespace lockstep
