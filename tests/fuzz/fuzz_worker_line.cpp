// What client and worker say to each other, when the other side is broken. The first byte says which side
// speaks.
#include "../engine_sample.hpp"
#include "app/engine/damaged.hpp"
#include "app/engine/worker_protocol.hpp"
#include "fuzz.hpp"

using namespace lockstep;

namespace {

// A line that was understood says the same once more.
template <class Parse>
void read_twice(Parse parse, std::string_view line) {
  try {
    const std::string understood = line_of(parse(line));
    fuzz::promise(line_of(parse(understood)) == understood,
                  "a line that was understood reads the same again");
  } catch (const DamagedFile&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  WorkerAnswer progress, done, error;
  progress.progress = {0.25, {"step {0} of {1}", {"1", "4"}}};
  done.type = WorkerAnswer::Type::done, done.bytes = 4096;
  error.type = WorkerAnswer::Type::error, error.error = bad_input("no {0}", {"bananas"});
  fuzz::write_seeds({"o" + line_of(WorkOrder{7, "lockstep-1-2-3", 1 << 30, test::sample_run().request}),
                     "a" + line_of(progress), "a" + line_of(done), "a" + line_of(error)});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view line = fuzz::text_of(data + 1, size - 1);
  if (data[0] == 'o')
    read_twice(parse_order, line);
  else
    read_twice(parse_answer, line);
  return 0;
}
