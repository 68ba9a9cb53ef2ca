#include "claims.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "app/draw/language.hpp"
#include "app/platform/files.hpp"
#include "markdown.hpp"
#include "model_functions.hpp"
#include "scene_reader.hpp"
#include "story_reader.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kVerdicts{"holds", "depends", "wrong"};
constexpr std::array<std::string_view, 3> kEvidence{"measured", "recorded", "emulated"};
constexpr const char* kSections = "claim, model, measured, recorded, emulated, verdict";

bool is_section(std::string_view name) {
  return name == "claim" || name == "model" || name == "verdict" ||
         std::find(kEvidence.begin(), kEvidence.end(), name) != kEvidence.end();
}

// The question that every claim asks, with the option marked that is right.
Ask question(std::size_t right) {
  Ask ask;
  ask.kind = Ask::Kind::choice;
  const auto text = [](const std::string& words) { return InlineText{{Inline::Kind::text, words}}; };
  ask.question = text(tr("Does it hold?"));
  for (const std::string& option : {tr("Yes."), tr("Only under a condition."), tr("No.")})
    ask.options.push_back({text(option), ask.options.size() == right});
  return ask;
}

Status read_claim_front(const SourceText& source, Story& claim, std::size_t& body) {
  auto fields = read_front_matter(source, body);
  if (!fields) return fields.error();
  std::size_t verdict = kVerdicts.size();
  for (const Field& field : *fields) {
    const std::string value(field.value(source));
    if (field.key == "lab") {
      if (!find_lab(value)) return source.error(field.begin, {"there is no lab '{0}'", {value}});
      claim.lab = value;
    } else if (field.key == "title") {
      claim.title = value;
    } else if (field.key == "verdict") {
      verdict = std::size_t(std::find(kVerdicts.begin(), kVerdicts.end(), value) - kVerdicts.begin());
      if (verdict == kVerdicts.size())
        return source.error(field.begin, {"expected holds, depends or wrong, not '{0}'", {value}});
    } else {
      return source.error(field.key_begin, {"expected lab, title or verdict, not '{0}'", {field.key}});
    }
  }
  if (claim.lab.empty()) return source.error(0, msg("'lab: ...' is missing"));
  if (claim.title.empty()) return source.error(0, msg("'title: ...' is missing"));
  if (verdict == kVerdicts.size()) return source.error(0, msg("'verdict: ...' is missing"));
  StoryScene scene;
  scene.title = claim.title, scene.ask = question(verdict);
  claim.scenes.push_back(std::move(scene));
  return Unit{};
}

class ClaimReader {
 public:
  ClaimReader(const SourceText& source, Story& claim)
      : source_(source), claim_(claim), scene_(claim.scenes.front()) {}

  Status add(MarkdownBlock& block) {
    if (block.kind == MarkdownBlock::Kind::heading) return begin_section(block);
    if (section_.empty()) return source_.error(block.offset, {"expected '# ' and one of {0}", {kSections}});
    if (block.kind == MarkdownBlock::Kind::fence) return add_scene(block);
    if (block.text.pieces.empty()) return Unit{};
    filled_ = true;
    if (section_ == "claim") return scene_.text.push_back(std::move(block.text)), Status(Unit{});
    if (std::exchange(fresh_, false)) block.text.label = section_;
    scene_.why.push_back(std::move(block.text));
    return Unit{};
  }

  Status finish() {
    if (Status done = finish_section(); !done) return done;
    const bool evidence = std::any_of(kEvidence.begin(), kEvidence.end(), [&](std::string_view name) {
      return seen_.contains(std::string(name));
    });
    for (const char* name : {"claim", "model", "verdict"})
      if (!seen_.contains(name)) return source_.error(source_.text.size(), {"'# {0}' is missing", {name}});
    if (!evidence)
      return source_.error(
          source_.text.size(),
          msg("a claim has '# measured', '# recorded' or '# emulated': what a run says of it"));
    if (!has_setup_)
      return source_.error(0, msg("a claim has a `scene` block: it says what stands on the stage"));
    return Unit{};
  }

 private:
  Status begin_section(const MarkdownBlock& block) {
    if (Status done = finish_section(); !done) return done;
    section_ = plain_text(block.text.pieces, [](const Inline&) { return ""; });
    heading_ = block.offset;
    if (!is_section(section_))
      return source_.error(block.offset, {"expected '# ' and one of {0}", {kSections}});
    if (!seen_.insert(section_).second)
      return source_.error(block.offset, {"'# {0}' stands here twice", {section_}});
    fresh_ = true, filled_ = false;
    return Unit{};
  }
  Status finish_section() {
    if (section_.empty() || filled_) return Unit{};
    return source_.error(heading_, {"'# {0}' says nothing", {section_}});
  }
  Status add_scene(const MarkdownBlock& block) {
    if (block.info != "scene")
      return source_.error(block.offset, {"expected a block of `scene`, not `{0}`", {block.info}});
    if (std::exchange(has_setup_, true))
      return source_.error(block.offset, {"this is the second `scene` block of the scene", {}});
    auto setup = read_setup(source_, block, find_lab(claim_.lab)->info());
    if (!setup) return setup.error();
    scene_.setup = std::move(*setup);
    return Unit{};
  }

  const SourceText& source_;
  Story& claim_;
  StoryScene& scene_;
  std::string section_;
  std::set<std::string> seen_;
  std::size_t heading_ = 0;
  bool fresh_ = false, filled_ = false, has_setup_ = false;
};

Result<Story> load_claim(const fs::path& file) {
  auto bytes = read_file(file, kMaxStoryBytes);
  if (!bytes) return bytes.error();
  auto claim = read_claim({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file.string());
  if (!claim) return claim;
  claim->file = file, claim->slug = file.stem().string();
  const std::string folder = file.parent_path().filename().string();
  if (folder == "en" || folder == "zh") claim->language = folder;
  return claim;
}

std::ptrdiff_t place_of(const std::string& lab) {
  const auto& all = labs();
  return std::find_if(all.begin(), all.end(), [&](const Lab* one) { return one->info().slug == lab; }) -
         all.begin();
}

}  // namespace

Result<Story> read_claim(std::string_view bytes, const std::string& name) {
  if (bytes.size() > kMaxStoryBytes)
    return bad_input("{0}:1:1: a story has at most {1} bytes", {name, std::to_string(kMaxStoryBytes)});
  auto text = check_text(bytes, name);
  if (!text) return text.error();
  const SourceText source(*text, name);
  Story claim;
  std::size_t body = 0;
  if (Status front = read_claim_front(source, claim, body); !front) return front.error();
  auto blocks = read_markdown(source, body, text->size(), model_functions());
  if (!blocks) return blocks.error();
  ClaimReader reader(source, claim);
  for (MarkdownBlock& block : *blocks)
    if (Status added = reader.add(block); !added) return added.error();
  if (Status done = reader.finish(); !done) return done.error();
  return claim;
}

std::vector<Story> load_claims(const std::vector<fs::path>& story_folders, std::string_view language,
                               std::vector<Error>& faults) {
  std::vector<Story> claims;
  std::set<std::string> known;
  for (const fs::path& stories : story_folders) {
    const fs::path folder = stories.parent_path() / "claims";
    for (const fs::path& from : {folder, folder / language, folder / "en"})
      for (const fs::path& file : markdown_files_in(from)) {
        if (known.contains(file.stem().string())) continue;
        auto claim = load_claim(file);
        if (!claim) {
          faults.push_back(claim.error());
          continue;
        }
        known.insert(claim->slug);
        claims.push_back(std::move(*claim));
      }
  }
  std::sort(claims.begin(), claims.end(), [](const Story& a, const Story& b) {
    return std::pair(place_of(a.lab), a.slug) < std::pair(place_of(b.lab), b.slug);
  });
  return claims;
}

}  // namespace lockstep
