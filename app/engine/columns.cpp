#include "columns.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <type_traits>

#include "app/model/embedded.hpp"
#include "app/model/units.hpp"
#include "damaged.hpp"
#include "npy.hpp"

namespace lockstep {

extern const EmbeddedFile embedded_kernels[];
extern const int embedded_kernels_count;

namespace {

template <class S, class T>
struct Field {
  const char* name;
  T S::*member;
};
template <class S, class T>
Field(const char*, T S::*) -> Field<S, T>;

constexpr std::tuple kAccessFields{Field{"offset", &Access::offset}, Field{"mask", &Access::mask},
                                   Field{"clock", &Access::clock},   Field{"file", &Access::file},
                                   Field{"line", &Access::line},     Field{"view", &Access::view},
                                   Field{"width", &Access::width},   Field{"kind", &Access::kind}};

constexpr std::tuple kCopyFields{Field{"source_offset", &Copy::source_offset},
                                 Field{"target_offset", &Copy::target_offset},
                                 Field{"bytes", &Copy::bytes},
                                 Field{"group", &Copy::group},
                                 Field{"issue", &Copy::issue},
                                 Field{"commit", &Copy::commit},
                                 Field{"wait", &Copy::wait},
                                 Field{"source_view", &Copy::source_view},
                                 Field{"target_view", &Copy::target_view},
                                 Field{"file", &Copy::file},
                                 Field{"line", &Copy::line}};

constexpr std::tuple kTouchFields{Field{"writer_block", &Touch::writer_block},
                                  Field{"reader_block", &Touch::reader_block},
                                  Field{"writer_thread", &Touch::writer_thread},
                                  Field{"writer_line", &Touch::writer_line},
                                  Field{"reader_thread", &Touch::reader_thread},
                                  Field{"reader_line", &Touch::reader_line},
                                  Field{"reads", &Touch::reads}};

// Of runs with several launches.
constexpr std::tuple kTouchLaunchFields{Field{"writer_launch", &Touch::writer_launch},
                                        Field{"reader_launch", &Touch::reader_launch}};

template <class Fields, class F>
void for_each_field(const Fields& fields, F&& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, fields);
}

// The unsigned integer that stands for a field in its column.
template <class T>
struct ColumnType {
  using type = T;
};
template <>
struct ColumnType<Kind> {
  using type = std::underlying_type_t<Kind>;
};

std::string launch_prefix(std::size_t index) { return "launch" + std::to_string(index) + "/"; }
std::string view_prefix(std::uint16_t view) { return "view" + std::to_string(view) + "/"; }

const ViewInfo* find_view(const Run& run, std::uint16_t id) {
  for (const Launch& launch : run.launches)
    if (const ViewInfo* view = launch.view(id)) return view;
  return nullptr;
}

// How NumPy sees the elements of a view; other element types are rows of bytes.
struct ArrayType {
  std::string descr;
  Shape shape;
};
ArrayType array_type(const ViewInfo& view) {
  for (const auto& [type, bytes, descr] :
       {std::tuple{"float", 4u, "<f4"}, std::tuple{"int", 4u, "<i4"}, std::tuple{"unsigned", 4u, "<u4"},
        std::tuple{"double", 8u, "<f8"}, std::tuple{"half", 2u, "<f2"}, std::tuple{"u64", 8u, "<u8"}})
    if (view.type == type && view.element_bytes == bytes) return {descr, view.shape};
  ArrayType raw{"|u1", view.shape};
  raw.shape.push_back(view.element_bytes);
  return raw;
}

// --- writing
// ------------------------------------------------------------------------------------------------

template <class S, class T>
std::vector<std::uint8_t> gather(const std::vector<S>& items, T S::*member) {
  std::vector<typename ColumnType<T>::type> column(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) column[i] = typename ColumnType<T>::type(items[i].*member);
  return encode_column(column);
}

// A table without rows has no columns: of a thousand launches few make copies.
void add_trace(const BlockTrace& trace, const std::string& prefix, std::vector<ArchiveEntry>& entries) {
  const auto add_table = [&](const char* table, const auto& fields, const auto& rows) {
    if (rows.empty()) return;
    for_each_field(fields, [&](const auto& field) {
      entries.push_back({prefix + table + field.name + ".npy", gather(rows, field.member)});
    });
  };
  add_table("access_", kAccessFields, trace.events);
  entries.push_back({prefix + "access_begin.npy", encode_column(trace.begin)});
  add_table("copy_", kCopyFields, trace.copies);
  entries.push_back({prefix + "copy_begin.npy", encode_column(trace.copy_begin)});
  entries.push_back({prefix + "l2_sectors.npy", encode_column(trace.l2_sectors)});
  entries.push_back({prefix + "hbm_sectors.npy", encode_column(trace.hbm_sectors)});
}

// The files that the events name, by their names.
std::vector<SourceFile> named_files(const Run& run) {
  std::set<std::uint16_t> used;
  for (const Launch& launch : run.launches) {
    for (const Access& access : launch.trace.events) used.insert(access.file);
    for (const Copy& copy : launch.trace.copies) used.insert(copy.file);
  }
  std::vector<SourceFile> files;
  for (const SourceFile& file : run.files)
    if (used.erase(file.id)) files.push_back(file);
  for (int i = 0; i < embedded_kernels_count; ++i)
    if (const std::string name(embedded_kernels[i].name); used.erase(file_id(name.c_str())))
      files.push_back({file_id(name.c_str()), name});
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  return files;
}

// The names behind the file ids in the columns: strings[i] is the file with the id string_id[i].
void add_strings(const Run& run, std::vector<ArchiveEntry>& entries) {
  const std::vector<SourceFile> files = named_files(run);
  std::vector<std::uint16_t> ids;
  std::size_t width = 1;
  for (const SourceFile& file : files) ids.push_back(file.id), width = std::max(width, file.name.size());
  std::vector<std::uint8_t> table(width * files.size());
  for (std::size_t i = 0; i < files.size(); ++i)
    std::copy(files[i].name.begin(), files[i].name.end(), table.data() + i * width);
  entries.push_back({"strings.npy", encode_npy("|S" + std::to_string(width), {files.size()}, table)});
  entries.push_back({"string_id.npy", encode_column(ids)});
}

// --- reading
// ------------------------------------------------------------------------------------------------

// Puts a column into a member of each item; the first column of a table decides how many items there are.
template <class S, class T>
void scatter(const ArchiveReader& archive, const std::string& name, bool first, std::vector<S>& items,
             T S::*member) {
  const auto column = decode_column<typename ColumnType<T>::type>(archive.read(name), name);
  if (first) items.resize(column.size());
  require(column.size() == items.size(), name + " has " + std::to_string(column.size()) +
                                             " entries, expected " + std::to_string(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) items[i].*member = T(column[i]);
}

// Positions of each thread's items: absent for a run without a trace, else threads + 1 of them, rising to
// `count`.
std::vector<std::uint64_t> read_begin(const ArchiveReader& archive, const std::string& name,
                                      std::size_t count, std::int64_t threads) {
  auto begin = decode_column<std::uint64_t>(archive.read(name), name);
  if (begin.empty()) {
    require(count == 0, name + " is empty, but there are entries to place");
    return begin;
  }
  require(begin.size() == std::size_t(threads) + 1,
          name + " does not have one entry per thread and one more");
  require(begin.front() == 0 && begin.back() == count && std::is_sorted(begin.begin(), begin.end()),
          name + " does not rise from 0 to the number of entries");
  return begin;
}

// For checks of every event: the sentence is put together only where it is needed.
void require_each(bool holds, const std::string& prefix, const char* text) {
  if (!holds) require(false, prefix + text);
}

// Checks that what the events say lies inside what the views are. A kernel may have reached beyond a view:
// then the run lists the finding.
class ExtentCheck {
 public:
  ExtentCheck(const Run& run, const Launch& launch) : extent_bytes_(65536, kUnknown) {
    for (const Finding& finding : run.findings) beyond_allowed_ |= finding.kind == "out_of_bounds";
    for (const ViewInfo& view : launch.views) extent_bytes_[view.id] = extent_bytes(view);
  }
  void check(std::uint16_t view, std::uint64_t offset, std::uint64_t bytes, const std::string& prefix,
             const char* columns) const {
    if (extent_bytes_[view] == kUnknown)
      require(false, prefix + columns + "* names the view " + std::to_string(view) +
                         ", which the manifest does not have");
    if (!beyond_allowed_ && offset + bytes > extent_bytes_[view])
      require(false, prefix + columns + "* reaches beyond the view " + std::to_string(view));
  }

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  static std::uint64_t extent_bytes(const ViewInfo& view) {
    if (view.shape.empty()) return view.element_bytes;
    const std::uint64_t last = view.shape.back();
    const std::uint64_t rows = last == 0 ? 0 : view.elements() / last;
    return rows * std::max<std::uint64_t>(last, view.pitch) * view.element_bytes;
  }
  std::vector<std::uint64_t> extent_bytes_;
  bool beyond_allowed_ = false;
};

void check_events(const BlockTrace& trace, const ExtentCheck& extents, const std::string& prefix) {
  std::size_t global = 0;
  for (const Access& event : trace.events) {
    require_each(event.kind <= kLastKind, prefix, "access_kind.npy holds an unknown kind");
    if (!moves_data(event.kind)) continue;
    if (is_unit_access(event.kind)) {
      const TouchedBytes touched = touched_bytes(event);
      require_each(touched.first + touched.bytes <= std::uint64_t{1} << 32, prefix,
                   "access_offset.npy reaches beyond 4 GB");
      extents.check(event.view, touched.first, touched.bytes, prefix, "access_");
      global += pieces_of_source(event);
      continue;
    }
    require_each(event.width >= 1 && event.width <= 16 && (event.width & (event.width - 1)) == 0, prefix,
                 "access_width.npy holds a width other than 1, 2, 4, 8, 16");
    require_each(event.offset + std::uint64_t{event.width} <= std::uint64_t{1} << 32, prefix,
                 "access_offset.npy reaches beyond 4 GB");
    extents.check(event.view, event.offset, event.width, prefix, "access_");
    global += event.view < kFirstSharedView;
  }
  for (const auto& [name, column] : {std::pair{"l2", &trace.l2_sectors}, {"hbm", &trace.hbm_sectors}})
    require(column->size() <= global,
            prefix + name + "_sectors.npy has more entries than there are accesses");
}

void check_copies(const BlockTrace& trace, const ExtentCheck& extents, const std::string& prefix) {
  for (std::size_t thread = 0; thread + 1 < trace.copy_begin.size(); ++thread) {
    const std::uint64_t events = trace.begin.empty() ? 0 : trace.begin[thread + 1] - trace.begin[thread];
    for (std::uint64_t i = trace.copy_begin[thread]; i < trace.copy_begin[thread + 1]; ++i) {
      const Copy& copy = trace.copies[i];
      if (copy.source_view != kZeros)
        extents.check(copy.source_view, copy.source_offset, copy.bytes, prefix, "copy_source_");
      extents.check(copy.target_view, copy.target_offset, copy.bytes, prefix, "copy_target_");
      require_each(copy.issue <= events && copy.commit <= events && copy.wait <= events, prefix,
                   "copy_* points beyond its thread's events");
    }
  }
}

void read_trace(const ArchiveReader& archive, const Run& run, Launch& launch, const std::string& prefix) {
  BlockTrace& trace = launch.trace;
  const auto read_table = [&](const std::string& table, const auto& fields, auto& rows) {
    if (!archive.has(table + std::get<0>(fields).name + ".npy"))
      return;  // no rows: the threads' positions agree
    bool first = true;
    for_each_field(fields, [&](const auto& field) {
      scatter(archive, table + field.name + ".npy", first, rows, field.member);
      first = false;
    });
  };
  read_table(prefix + "access_", kAccessFields, trace.events);
  trace.begin = read_begin(archive, prefix + "access_begin.npy", trace.events.size(), launch.threads());
  read_table(prefix + "copy_", kCopyFields, trace.copies);
  trace.copy_begin = read_begin(archive, prefix + "copy_begin.npy", trace.copies.size(), launch.threads());
  const std::string l2 = prefix + "l2_sectors.npy", hbm = prefix + "hbm_sectors.npy";
  if (archive.has(l2)) trace.l2_sectors = decode_column<std::uint32_t>(archive.read(l2), l2);
  trace.hbm_sectors = decode_column<std::uint32_t>(archive.read(hbm), hbm);
  const ExtentCheck extents(run, launch);
  check_events(trace, extents, prefix);
  check_copies(trace, extents, prefix);
}

void read_buffer(const ArchiveReader& archive, const Run& run, Buffer& buffer) {
  const std::string name = view_prefix(buffer.view) + "data.npy";
  const ViewInfo* view = find_view(run, buffer.view);
  require(view != nullptr, name + " belongs to no view of the manifest");
  require(view->elements() <= kMaxKeptElements, name + " belongs to a view too large to be kept");
  const std::vector<std::uint8_t> file = archive.read(name);
  const NpyView array = parse_npy(file, name);
  const ArrayType expected = array_type(*view);
  require(array.descr == expected.descr, name + " has dtype " + array.descr + ", expected " + expected.descr);
  require(array.shape == expected.shape, name + " does not have the shape of its view");
  buffer.bytes.assign(array.data.begin(), array.data.end());
}

// A block or thread of a touch is nobody or one of the largest launch.
void check_touch(const Run& run, const Touch& touch, const std::string& prefix) {
  std::int64_t blocks = 0, threads = 0;
  for (const Launch& launch : run.launches) {
    blocks = std::max(blocks, launch.blocks());
    threads = std::max(threads, launch.threads());
  }
  const auto check = [&](const auto& touch_blocks, const auto& touch_threads) {
    for (std::size_t i = 0; i < touch_blocks.size(); ++i)
      require_each(touch_blocks[i] == Touch::kNobody ||
                       (std::int64_t(touch_blocks[i]) < blocks && std::int64_t(touch_threads[i]) < threads),
                   prefix, "* names a block or thread that was not launched");
  };
  check(touch.writer_block, touch.writer_thread);
  check(touch.reader_block, touch.reader_thread);
}

void read_touch(const ArchiveReader& archive, const Run& run, Touch& touch) {
  const std::string prefix = view_prefix(touch.view);
  const ViewInfo* view = find_view(run, touch.view);
  require(view != nullptr, prefix + "* belongs to no view of the manifest");
  const std::uint64_t elements = view->elements();
  for_each_field(kTouchFields, [&](const auto& field) {
    using Element = typename std::remove_reference_t<decltype(touch.*field.member)>::value_type;
    const std::string name = prefix + field.name + ".npy";
    touch.*field.member = decode_column<Element>(archive.read(name), name);
    const std::size_t count = (touch.*field.member).size();
    require(count == touch.writer_block.size() && (count == 0 || count == elements),
            name + " does not have one entry per element");
  });
  for_each_field(kTouchLaunchFields, [&](const auto& field) {
    const std::string name = prefix + field.name + ".npy";
    if (!archive.has(name)) return;
    touch.*field.member = decode_column<std::uint8_t>(archive.read(name), name);
    require((touch.*field.member).size() == touch.writer_block.size(),
            name + " does not have one entry per element");
    for (const std::uint8_t launch : touch.*field.member)
      require(launch < run.launches.size(), name + " names a launch that there was not");
  });
  require(touch.writer_block.size() <= kMaxKeptElements, prefix + "* belongs to a view too large to be kept");
  check_touch(run, touch, prefix);
}

std::vector<SourceFile> read_strings(const ArchiveReader& archive) {
  const auto ids = decode_column<std::uint16_t>(archive.read("string_id.npy"), "string_id.npy");
  const std::vector<std::uint8_t> file = archive.read("strings.npy");
  const NpyView strings = parse_npy(file, "strings.npy");
  require(strings.descr.starts_with("|S"), "strings.npy does not hold strings");
  require(strings.shape == Shape{ids.size()}, "strings.npy and string_id.npy differ in length");
  std::vector<SourceFile> files;
  std::set<std::uint16_t> seen_ids;
  std::set<std::string> seen_names;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string padded(reinterpret_cast<const char*>(strings.data.data()) + i * strings.item_bytes,
                             strings.item_bytes);
    files.push_back({ids[i], padded.c_str()});
    require(seen_ids.insert(ids[i]).second, "string_id.npy has an id twice");
    require(seen_names.insert(files.back().name).second, "strings.npy names a file twice");
  }
  return files;
}

}  // namespace

void add_columns(const Run& run, std::vector<ArchiveEntry>& entries) {
  for (std::size_t i = 0; i < run.launches.size(); ++i)
    add_trace(run.launches[i].trace, launch_prefix(i), entries);
  for (const Buffer& buffer : run.buffers) {
    const ViewInfo* view = find_view(run, buffer.view);
    if (!view) continue;
    const ArrayType type = array_type(*view);
    entries.push_back(
        {view_prefix(buffer.view) + "data.npy", encode_npy(type.descr, type.shape, buffer.bytes)});
  }
  for (const Touch& touch : run.touches) {
    const auto add = [&](const auto& field) {
      entries.push_back({view_prefix(touch.view) + field.name + ".npy", encode_column(touch.*field.member)});
    };
    for_each_field(kTouchFields, add);
    if (!touch.writer_launch.empty()) for_each_field(kTouchLaunchFields, add);
  }
  add_strings(run, entries);
}

void read_columns(const ArchiveReader& archive, Run& run) {
  for (std::size_t i = 0; i < run.launches.size(); ++i)
    read_trace(archive, run, run.launches[i], launch_prefix(i));
  for (Buffer& buffer : run.buffers) read_buffer(archive, run, buffer);
  for (Touch& touch : run.touches) read_touch(archive, run, touch);
  run.files = read_strings(archive);
}

}  // namespace lockstep
