// Events name files and marks by 16 bits: no two of those that the kernels use may share an id.
#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>

#include "app/model/embedded.hpp"
#include "app/model/event.hpp"

using namespace lockstep;

namespace lockstep {
extern const EmbeddedFile embedded_kernels[];
extern const int embedded_kernels_count;
}  // namespace lockstep

namespace {

// The names of begin_step(), show() and show_if() in a kernel's text.
std::set<std::string> marks_in(const std::string& text) {
  static const std::regex call(R"re(\b(begin_step|show|show_if)\([^;"]*"([^"]*)")re");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) names.insert((*at)[2]);
  return names;
}

}  // namespace

TEST_CASE("no two kernel files have the same id") {
  std::map<std::uint16_t, std::string> known;
  REQUIRE(embedded_kernels_count > 50);
  for (int i = 0; i < embedded_kernels_count; ++i) {
    const std::string name(embedded_kernels[i].name);
    const auto [same_id, fresh] = known.emplace(file_id(name.c_str()), name);
    const std::string& first = same_id->second;
    CAPTURE(name);
    CAPTURE(first);
    CHECK(fresh);
  }
}

TEST_CASE("no two marks of the kernels have the same id, and none has that of no mark") {
  std::map<std::uint16_t, std::string> known;
  for (int i = 0; i < embedded_kernels_count; ++i)
    for (const std::string& name : marks_in(std::string(embedded_kernels[i].text))) {
      const std::string& first = known.emplace(name_id(name.c_str()), name).first->second;
      CAPTURE(name);
      CHECK(name_id(name.c_str()) != 0);
      CHECK(first == name);
    }
  CHECK(known.size() >= 5);
}
