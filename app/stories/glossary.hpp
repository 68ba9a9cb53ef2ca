// The glossary's words in a text: where they stand, each by its longest form.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "words.hpp"

namespace lockstep {

struct TermSpan {
  std::size_t begin = 0, end = 0;  // bytes of the text
  std::size_t word = 0;            // of Glossary::words()
};

class Glossary {
 public:
  Glossary() = default;
  explicit Glossary(std::vector<Word> words);

  const std::vector<Word>& words() const { return words_; }
  const Word* named(std::string_view name) const;  // by its English name; nullptr for none
  // Every place where a word stands, in any of its forms, from left to right. Of forms that begin at one
  // place the longest counts: "bank conflict" is not a bank. Latin letters stand alone ("warp" is not in
  // "warping"), Chinese stands within its sentence.
  std::vector<TermSpan> find(std::string_view text) const;
  // The words whose name, term, other form or sentence holds what is typed, those that begin with it first;
  // all for nothing typed.
  std::vector<std::size_t> holding(std::string_view typed) const;
  static std::string sentence(const Word& word);

 private:
  struct Form {
    std::string text;
    bool exact = false;  // SM, L1: as written; others whatever their case
    std::size_t word = 0;
  };
  void add(const std::string& text, std::size_t word);
  const Form* form_at(std::string_view text, std::size_t at) const;

  std::vector<Word> words_;
  std::map<char, std::vector<Form>> forms_;  // by first byte in small letters, the longest first
};

}  // namespace lockstep
