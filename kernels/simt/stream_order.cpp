#include "stream_order.hpp"

#include <algorithm>

namespace lockstep::simt {
namespace {

constexpr std::size_t kMostPending = 4096;  // more are not looked at

std::string name_of(const HostOperation& operation) {
  return "cudaMemcpyAsync (" + std::to_string(operation.line) + ")";
}

}  // namespace

bool StreamOrder::waits_for_all(int stream) {
  if (stream == 0) pending_.clear();
  return stream == 0;
}

const ViewInfo* StreamOrder::view(int buffer) const {
  const auto at =
      std::find_if(views_.begin(), views_.end(), [&](const ViewInfo& v) { return int(v.id) == buffer; });
  return at == views_.end() ? nullptr : &*at;
}

void StreamOrder::wrote(int buffer, std::int64_t first, std::int64_t end, int stream,
                        const std::string& writer) {
  // What the same stream wrote there before is done by then.
  std::erase_if(pending_, [&](const Pending& p) {
    return p.buffer == buffer && p.stream == stream && p.first >= first && p.end <= end;
  });
  if (pending_.size() < kMostPending) pending_.push_back({buffer, stream, first, end, writer});
}

void StreamOrder::read(const Reader& reader, const Pending& pending) {
  Finding finding;
  finding.kind = "race", finding.line = reader.line;
  finding.what = {
      "{0} on stream {1} reads what {2} on stream {3} writes, and nothing makes it wait",
      {reader.name, std::to_string(reader.stream), pending.writer, std::to_string(pending.stream)}};
  if (std::find(findings_.begin(), findings_.end(), finding) == findings_.end()) findings_.push_back(finding);
}

void StreamOrder::operation(const HostOperation& o) {
  if (waits_for_all(o.stream)) return;
  for (const Pending& p : pending_)
    if (p.stream != o.stream && p.buffer == o.from && p.first < o.from_byte + o.bytes && o.from_byte < p.end)
      read({o.stream, name_of(o), o.line}, p);
  if (o.to >= 0) wrote(o.to, o.to_byte, o.to_byte + o.bytes, o.stream, name_of(o));
}

void StreamOrder::launch(const Config& config, const std::vector<Touch>& touches) {
  if (waits_for_all(config.stream)) return;
  for (const Touch& touch : touches) {
    const ViewInfo* of = view(touch.view);
    if (!of || of->element_bytes == 0) continue;
    const auto width = std::int64_t(of->element_bytes), elements = std::int64_t(touch.reads.size());
    for (const Pending& p : pending_) {
      if (p.stream == config.stream || p.buffer != int(touch.view)) continue;
      const std::int64_t end = std::min(elements, (p.end + width - 1) / width);
      for (std::int64_t e = p.first / width; e < end; ++e)
        if (touch.reads[std::size_t(e)] > 0) {
          read({config.stream, config.name, int(touch.reader_line[std::size_t(e)])}, p);
          break;
        }
    }
  }
  for (const Touch& touch : touches) {
    const ViewInfo* of = view(touch.view);
    if (!of) continue;
    const auto width = std::int64_t(of->element_bytes), elements = std::int64_t(touch.writer_block.size());
    const auto written = [&](std::int64_t e) { return touch.writer_block[std::size_t(e)] != Touch::kNobody; };
    for (std::int64_t e = 0; e < elements; ++e) {
      if (!written(e)) continue;
      const std::int64_t first = e;
      while (e < elements && written(e)) ++e;
      wrote(int(touch.view), first * width, e * width, config.stream, config.name);
    }
  }
}

}  // namespace lockstep::simt
