// Scene files of strangers: what one says is checked like flags.
#include "app/cli/arguments.hpp"
#include "app/shell/scene.hpp"
#include "fuzz.hpp"

using namespace lockstep;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds(
      {R"({"schema":1,"lab":"transpose","rung":"naive"})",
       R"({"schema":1,"lab":"transpose","rung":"padded","params":{"n":256},"block":3,"warp":2,"step":12})",
       R"({"schema":1,"lab":"transpose","rung":"naive","params":{"n":{"float":"nan"},"word":"x","y":0.5}})"});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scene = parse_scene(fuzz::text_of(data, size), "input");
  if (!scene) return 0;
  fuzz::promise(scene->block >= 0 && scene->warp >= 0 && scene->step >= -1, "positions are checked");
  RunArguments arguments;
  arguments.lab = scene->lab;
  arguments.rung = scene->rung;
  arguments.settings = scene->settings;
  arguments.warp = std::to_string(scene->warp);
  const auto request = make_request(arguments);
  if (!request) return 0;
  fuzz::promise(complete_params(**lab_named(request->lab), request->rung, request->params).ok(),
                "a request's parameters are legal");
  return 0;
}
