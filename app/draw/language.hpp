// Translation of whole sentences with numbered arguments. The catalogue is a gettext .mo file.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

enum class Language { english, chinese };
inline const char* code_of(Language language) { return language == Language::chinese ? "zh" : "en"; }

// Makes `language` the one in use. English needs no file. The error says which file is missing or damaged;
// English stays in use then.
Status use_language(Language language, const std::filesystem::path& locale_folder);
Language language_in_use();

// tr("Warp {0} loads {1}", {"3", "in"}): the sentence in the language in use, arguments put in.
// Every literal first argument is collected by xgettext (--keyword=tr --keyword=msg).
std::string tr(std::string_view id, const std::vector<std::string>& args = {});
inline std::string tr(const Message& message) { return tr(message.id, message.args); }
// Marks a literal for xgettext where the Message is built away from its display.
inline Message msg(std::string id, std::vector<std::string> args = {}) {
  return {std::move(id), std::move(args)};
}

// Every string of the catalogue in use (for the glyph atlas); empty for English.
std::string catalogue_text();
// Reads a .mo file: pairs (id, translation). Checks every offset.
Result<std::vector<std::pair<std::string, std::string>>> read_catalogue(std::span<const std::uint8_t> bytes);

}  // namespace lockstep
