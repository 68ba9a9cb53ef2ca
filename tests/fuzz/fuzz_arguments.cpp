// The words of a command line, one per line: what follows a flag goes to the flag's parser, and all together
// become a request. Nothing runs.
#include <array>
#include <cmath>
#include <map>
#include <sstream>

#include "app/cli/arguments.hpp"
#include "fuzz.hpp"

using namespace lockstep;

namespace {

constexpr std::array<std::string_view, 2> kWords{"light", "dark"};

using Taker = void (*)(RunArguments&, const std::string&);

const std::map<std::string, Taker> kFlags{
    {"--rung", [](RunArguments& a, const std::string& text) { a.rung = text; }},
    {"--engine", [](RunArguments& a, const std::string& text) { a.engine = text; }},
    {"--warp", [](RunArguments& a, const std::string& text) { a.warp = text; }},
    {"--timeout", [](RunArguments& a, const std::string& text) { a.timeout = text; }},
    {"--set", [](RunArguments& a, const std::string& text) { a.settings.push_back(text); }},
    {"--recordings", [](RunArguments& a, const std::string& text) { a.recordings.push_back(text); }},
    {"--block",
     [](RunArguments&, const std::string& text) {
       if (const auto block = parse_block(text)) {
         Launch launch;
         launch.grid = {4, 3, 2};
         const auto linear = linear_block(*block, launch);
         fuzz::promise(!block->position || !linear || (*linear >= 0 && *linear < launch.blocks()),
                       "a position is a block of the grid");
       }
     }},
    {"--size",
     [](RunArguments&, const std::string& text) {
       if (const auto size = parse_size(text))
         fuzz::promise(
             size->width >= 320 && size->width <= 7680 && size->height >= 240 && size->height <= 4320,
             "a size is within its range");
     }},
    {"--scale",
     [](RunArguments&, const std::string& text) {
       if (const auto scale = parse_number("--scale", text, 0.5, 4))
         fuzz::promise(*scale >= 0.5 && *scale <= 4, "a number is within its range");
     }},
    {"--step",
     [](RunArguments&, const std::string& text) {
       if (const auto step = parse_whole("--step", text, 0, INT32_MAX))
         fuzz::promise(*step >= 0 && *step <= INT32_MAX, "a whole number is within its range");
     }},
    {"--theme",
     [](RunArguments&, const std::string& text) { (void)parse_word("--theme", text, kWords).ok(); }},
};

RunArguments arguments_from(std::string_view words) {
  RunArguments arguments;
  std::istringstream lines{std::string(words)};
  for (std::string word, value; std::getline(lines, word);) {
    const auto flag = kFlags.find(word);
    if (flag == kFlags.end())
      arguments.lab = word;
    else if (std::getline(lines, value))
      flag->second(arguments, value);
  }
  return arguments;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds({"transpose\n--rung\nnaive\n--set\nn=128\n--engine\nemulator\n--warp\n3\n--timeout\n2.5",
                     "transpose\n--block\n1,2,0\n--size\n640x480\n--scale\n1.5\n--step\n7\n--theme\ndark",
                     "transpose\n--block\n12\n--set\nn\n--recordings\n/tmp", "transpos\n--rung\nnaiv"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const RunArguments arguments = arguments_from(fuzz::text_of(data, size));
  (void)folders_of(arguments).ok();
  const auto request = make_request(arguments);
  if (!request) {
    fuzz::promise(!request.error().text().empty(), "a refusal says why");
    return 0;
  }
  const LabInfo& lab = **lab_named(request->lab);
  fuzz::promise(complete_params(lab, request->rung, request->params).ok(),
                "a request's parameters are legal");
  fuzz::promise(std::isfinite(request->timeout_s) && request->timeout_s >= 0,
                "a time-out is a number of seconds");
  for (const RungInfo& rung : lab.rungs) (void)request_for_rung(*request, rung.slug).ok();
  return 0;
}
