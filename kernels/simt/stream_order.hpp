// Whether what streams do is in order: nothing makes one stream wait for another, so what one of them writes
// may not yet be there when another one reads it. The emulator does everything in the order of the calls and
// would never see that in the numbers.
#pragma once
#include <string>
#include <vector>

#include "app/model/run.hpp"
#include "machine.hpp"

namespace lockstep::simt {

class StreamOrder {
 public:
  explicit StreamOrder(const std::vector<ViewInfo>& views) : views_(views) {}
  // In the order of the calls. Of a launch: what its blocks touched (arrays too large for that are not looked
  // at).
  void operation(const HostOperation& operation);
  void launch(const Config& config, const std::vector<Touch>& touches);
  // One for each pair of calls at most.
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  // Bytes of a buffer that a stream will have written; what waits for all streams leaves none.
  struct Pending {
    int buffer, stream;
    std::int64_t first, end;
    std::string writer;  // of which call: its name
  };
  struct Reader {
    int stream;
    std::string name;
    int line;
  };
  // The default stream waits for all others, and they for it.
  bool waits_for_all(int stream);
  void wrote(int buffer, std::int64_t first, std::int64_t end, int stream, const std::string& writer);
  void read(const Reader& reader, const Pending& pending);
  const ViewInfo* view(int buffer) const;

  const std::vector<ViewInfo>& views_;
  std::vector<Pending> pending_;
  std::vector<Finding> findings_;
};

}  // namespace lockstep::simt
