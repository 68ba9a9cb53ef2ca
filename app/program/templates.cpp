#include "templates.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "app/model/embedded.hpp"
#include "app/platform/files.hpp"

namespace lockstep {
extern const EmbeddedFile embedded_program_templates[];
extern const int embedded_program_templates_count;
}  // namespace lockstep

namespace lockstep::reader {
namespace {

namespace fs = std::filesystem;

struct Title {
  const char *name, *title;
};
constexpr Title kTitles[] = {{"vector_add", N_("Vector addition")}, {"reduction", N_("Reduction")},
                             {"transpose", N_("Transpose")},        {"histogram", N_("Histogram")},
                             {"scan", N_("Prefix sums")},           {"matrix_product", N_("Matrix product")}};

std::string_view text_of(std::string_view name) {
  const std::span files(embedded_program_templates, std::size_t(embedded_program_templates_count));
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const EmbeddedFile& f) { return f.name == std::string(name) + ".cu"; });
  assert(file != files.end());
  return file->text;
}

}  // namespace

const std::vector<ProgramTemplate>& program_templates() {
  static const std::vector<ProgramTemplate> all = [] {
    std::vector<ProgramTemplate> list;
    for (const Title& title : kTitles) list.push_back({title.name, title.title, text_of(title.name)});
    return list;
  }();
  return all;
}

const ProgramTemplate* find_program_template(std::string_view name) {
  for (const ProgramTemplate& each : program_templates())
    if (each.name == name) return &each;
  return nullptr;
}

Result<fs::path> write_new_program(const std::string& name, const ProgramTemplate& from) {
  fs::path path = name;
  if (path.extension().empty()) path += ".cu";
  if (!path.has_stem() || path.extension() != ".cu")
    return bad_input("'{0}' is no name for a CUDA program; end it with .cu, or with nothing", {name});
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    return bad_input("{0} exists and stays as it is; choose another name", {path.string()});
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from.text.data());
  if (Status written = write_file_atomically(path, std::span(bytes, from.text.size())); !written)
    return written.error();
  return path;
}

}  // namespace lockstep::reader
