#include "record.hpp"

#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace lockstep::reader {
namespace {

struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One description of each record serves writing and reading: `io(x)` puts x or fills it.
class Put {
 public:
  static constexpr bool kReads = false;
  std::vector<std::uint8_t> bytes;
  void raw(const void* at, std::size_t n) {
    const auto* from = static_cast<const std::uint8_t*>(at);
    bytes.insert(bytes.end(), from, from + n);
  }
  std::size_t count(std::size_t n) {
    const std::uint64_t size = n;
    raw(&size, sizeof size);
    return n;
  }
};

class Take {
 public:
  static constexpr bool kReads = true;
  explicit Take(std::span<const std::uint8_t> bytes) : rest_(bytes) {}
  void raw(void* at, std::size_t n) {
    if (n > rest_.size()) throw Damaged("ends early");
    std::memcpy(at, rest_.data(), n);
    rest_ = rest_.subspan(n);
  }
  // Of elements that take at least a byte each.
  std::size_t count(std::size_t) {
    std::uint64_t size = 0;
    raw(&size, sizeof size);
    if (size > rest_.size()) throw Damaged("a length that cannot be");
    return std::size_t(size);
  }

 private:
  std::span<const std::uint8_t> rest_;
};

template <class Io, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void io(Io& at, T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    std::uint8_t byte = x;
    at.raw(&byte, 1);
    x = byte != 0;
  } else {
    at.raw(&x, sizeof x);
  }
}
template <class Io>
void io(Io& at, std::string& x) {
  x.resize(at.count(x.size()));
  if (!x.empty()) at.raw(x.data(), x.size());
}
template <class Io, class T>
void io(Io& at, std::vector<T>& x);
template <class Io, class... T>
void all(Io& at, T&... x) {
  (io(at, x), ...);
}

template <class Io>
void io(Io& at, Counts& c) {
  for (const CountField& field : kCountFields) io(at, c.*field.member);
}
template <class Io>
void io(Io& at, LineCost& c) {
  all(at, c.times, c.sectors, c.wavefronts, c.sectors_above, c.wavefronts_above);
}
template <class Io>
void io(Io& at, SiteCost& c) {
  all(at, c.cost, c.shared_width, c.global_width);
}
template <class Io>
void io(Io& at, ViewInfo& v) {
  all(at, v.id, v.name, v.space, v.type, v.element_bytes, v.shape, v.pitch);
}
template <class Io>
void io(Io& at, BlockTrace& t) {
  all(at, t.block, t.events, t.begin, t.copies, t.copy_begin, t.dropped, t.l2_sectors, t.hbm_sectors);
}
template <class Io>
void io(Io& at, Touch& t) {
  all(at, t.view, t.writer_block, t.reader_block, t.writer_thread, t.writer_line, t.reader_thread,
      t.reader_line, t.reads);
}
template <class Io>
void io(Io& at, Buffer& b) {
  all(at, b.view, b.bytes);
}
template <class Io>
void io(Io& at, RawArgument& a) {
  all(at, a.kind, a.bits, a.bytes, a.element_bytes, a.type, a.value, a.array);
}
template <class Io>
void io(Io& at, RawSite& s) {
  all(at, s.object, s.offset, s.file, s.line);
}
template <class Io>
void io(Io& at, RawFinding& f) {
  all(at, f.kind, f.launch, f.block, f.thread, f.other_block, f.other_thread, f.site, f.other_site, f.array,
      f.view, f.element, f.elements, f.bytes, f.store, f.other_store, f.text, f.times);
}
template <class Io>
void io(Io& at, ArrayRecord& r) {
  ProgramArray& a = r.array;
  all(at, a.name, a.type, a.element_bytes, a.bytes, a.shape, a.view, a.first_launch, a.freed_before_launch,
      a.memory, r.site);
}
template <class Io>
void io(Io& at, LaunchRecord& r) {
  all(at, r.name, r.file, r.texts, r.stream, r.line, r.arguments);
  Launch& l = r.launch;
  all(at, l.kernel);
  for (int d = 0; d < 3; ++d) all(at, l.grid[std::size_t(d)], l.block[std::size_t(d)]);
  all(at, l.dynamic_shared_bytes, l.views, l.trace);
  all(at, r.graph, r.shared_bytes, r.blocks, r.traced_blocks, r.accesses, r.counts);
  all(at, r.compulsory_load_sectors, r.compulsory_store_sectors);
  std::size_t n = at.count(r.costs.size());
  if constexpr (Io::kReads) {
    for (; n > 0; --n) {
      std::uint32_t site = 0;
      io(at, site);
      io(at, r.costs[site]);
    }
  } else {
    for (auto& [site, cost] : r.costs) {
      std::uint32_t key = site;
      io(at, key);
      io(at, cost);
    }
  }
  all(at, r.touches, r.buffers, r.refused);
}
template <class Io, class T>
void io(Io& at, std::vector<T>& x) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    const std::size_t n = at.count(x.size());
    if constexpr (Io::kReads) {
      if (n > (std::size_t{1} << 32) / sizeof(T)) throw Damaged("too long");
      x.resize(n);
    }
    if (n) at.raw(x.data(), n * sizeof(T));
  } else {
    x.resize(at.count(x.size()));
    for (T& one : x) io(at, one);
  }
}

template <class T>
std::vector<std::uint8_t> bytes_of(const T& x) {
  Put put;
  io(put, const_cast<T&>(x));  // Put changes nothing
  return std::move(put.bytes);
}

void write_all(int descriptor, const void* bytes, std::size_t n) {
  const auto* at = static_cast<const std::uint8_t*>(bytes);
  while (n > 0) {
    const ssize_t done = write(descriptor, at, n);
    if (done <= 0) return;
    at += done, n -= std::size_t(done);
  }
}

struct Head {
  char type;
  char pad[7];
  std::uint64_t bytes;
};

// Fixed, so that a signal handler can write it.
struct EndedRecord {
  char how[48];
  std::int32_t signal;
  std::uint32_t object;
  std::uint64_t offset;
  std::int64_t block, thread;
};

template <class T>
T taken(std::span<const std::uint8_t> bytes) {
  Take take(bytes);
  T x{};
  io(take, x);
  return x;
}

void read_ended(Records& to, std::span<const std::uint8_t> bytes) {
  if (bytes.size() != sizeof(EndedRecord)) return;
  EndedRecord ended;
  std::memcpy(&ended, bytes.data(), sizeof ended);
  to.ended.assign(ended.how, strnlen(ended.how, sizeof ended.how));
  to.signal = ended.signal, to.ended_object = ended.object, to.ended_offset = ended.offset;
  to.ended_block = ended.block, to.ended_thread = ended.thread;
}

void read_one(Records& to, char type, std::span<const std::uint8_t> bytes) {
  switch (type) {
    case 'B':
      to.begun = taken<std::string>(bytes);
      break;
    case 'L':
      to.launches.push_back(taken<LaunchRecord>(bytes));
      to.begun.clear();
      break;
    case 'A':
      to.arrays = taken<std::vector<ArrayRecord>>(bytes);
      break;
    case 'S':
      for (RawSite& site : taken<std::vector<RawSite>>(bytes)) to.sites.push_back(std::move(site));
      break;
    case 'F': {
      Take take(bytes);
      all(take, to.findings, to.findings_dropped);
      break;
    }
    case 'N':
      to.notes.push_back(taken<std::string>(bytes));
      break;
    case 'X':
      to.exit_code = taken<int>(bytes);
      break;
    case 'E':
      read_ended(to, bytes);
      break;
    default:
      break;
  }
}

}  // namespace

void RecordWriter::put(char type, const std::vector<std::uint8_t>& bytes) {
  const Head head{type, {}, bytes.size()};
  write_all(descriptor_, &head, sizeof head);
  write_all(descriptor_, bytes.data(), bytes.size());
}

void RecordWriter::begin_launch(const std::string& name, int) { put('B', bytes_of(name)); }
void RecordWriter::launch(const LaunchRecord& record) { put('L', bytes_of(record)); }
void RecordWriter::arrays(const std::vector<ArrayRecord>& all) { put('A', bytes_of(all)); }
void RecordWriter::sites(const std::vector<RawSite>& fresh) {
  if (!fresh.empty()) put('S', bytes_of(fresh));
}
void RecordWriter::findings(const std::vector<RawFinding>& found, std::int64_t dropped) {
  Put bytes;
  all(bytes, const_cast<std::vector<RawFinding>&>(found), dropped);
  put('F', bytes.bytes);
}
void RecordWriter::note(const std::string& text) { put('N', bytes_of(text)); }
void RecordWriter::exit_code(int code) { put('X', bytes_of(code)); }

void RecordWriter::ended(const char* how, int signal, std::uint32_t object, std::uint64_t offset,
                         std::int64_t block, std::int64_t thread) {
  EndedRecord ended{};
  for (std::size_t i = 0; how[i] && i + 1 < sizeof ended.how; ++i) ended.how[i] = how[i];
  ended.signal = signal, ended.object = object, ended.offset = offset, ended.block = block,
  ended.thread = thread;
  const Head head{'E', {}, sizeof ended};
  write_all(descriptor_, &head, sizeof head);
  write_all(descriptor_, &ended, sizeof ended);
}

Records read_records(std::span<const std::uint8_t> bytes) {
  Records records;
  while (bytes.size() >= sizeof(Head)) {
    Head head;
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    if (head.bytes > bytes.size()) break;
    try {
      read_one(records, head.type, bytes.first(std::size_t(head.bytes)));
    } catch (const Damaged&) {
      break;
    }
    bytes = bytes.subspan(std::size_t(head.bytes));
  }
  return records;
}

}  // namespace lockstep::reader
