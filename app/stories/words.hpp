// The glossary: assets/stories/{en,zh}/words.md. A heading is a term's name in English, the same in every
// language; below it may stand "term: ..." (the term in this language), "also: ..." (other forms that texts
// use, with commas) and "picture: NAME", then one sentence.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"
#include "story.hpp"

namespace lockstep {

constexpr std::uint64_t kMaxWordsBytes = 256 << 10;

struct Word {
  std::string name;               // "bank conflict": the key of every language
  std::string term;               // as this language says it
  std::vector<std::string> also;  // "conflicts"
  std::string picture;            // "" for none
  InlineText sentence;
};

Result<std::vector<Word>> read_words(std::string_view bytes, const std::string& name);
// FOLDER/<language>/words.md of the first folder that has one; in English where there is none in the
// language.
Result<std::vector<Word>> load_words(const std::vector<std::filesystem::path>& folders,
                                     std::string_view language);

}  // namespace lockstep
