#include "tracer.hpp"

#include <algorithm>
#include <cstring>

#include "app/platform/program_objects.hpp"

namespace lockstep::reader {
namespace {

constexpr std::uintptr_t kStackReach =
    512 * 1024;                                // of the running thread's own stack, around where it is now
constexpr std::uintptr_t kSharedReach = 4096;  // behind a shared array: what is there is meant to be its

bool near_stack(std::uintptr_t address) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return address - (here - kStackReach) < 2 * kStackReach;
}

}  // namespace

Tracer* the_tracer = nullptr;

void Tracer::begin_launch(std::uintptr_t state, std::uint64_t state_bytes) {
  launch_base_ = next_stamp_;
  blocks_.clear(), shared_.clear();
  for (Entry& e : cache_) e.pc = nullptr;
  state_ = state, state_bytes_ = state_bytes;
  published_ = false;
}

void Tracer::begin_block(std::int64_t block, std::size_t threads) {
  block_base_ = shared_base_ = next_stamp_, block_ = block;
  blocks_.emplace_back(block_base_, block);
  threads_.assign(threads, {block_base_, 0});
}

void Tracer::end_block() {
  settle();
  for (const PerThread& t : threads_) next_stamp_ = std::max(next_stamp_, t.stamp + 1);
}

void Tracer::bring_back(std::int64_t block, std::size_t threads, PutAway& from, simt::Machine& with) {
  begin_block(block, threads);
  if (from.first_stamp)
    shared_base_ = from.first_stamp;
  else
    from.first_stamp = shared_base_;
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    SharedRegion& s = *shared_[i];
    const bool known = i < from.seen.size();
    s.seen_in = known && from.seen[i] ? block : -1;
    if (known)
      s.cells = std::move(from.cells[i]);
    else
      s.cells.assign(s.cells.size(), {});
    s.region.cells = s.cells.data();
    s.array = with.shared_array(s.declared);
  }
  for (Entry& e : cache_) e.pc = nullptr;
}

void Tracer::put_away(PutAway& to) {
  end_block();
  to.cells.resize(shared_.size()), to.seen.resize(shared_.size());
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    to.cells[i] = shared_[i]->cells;
    to.seen[i] = shared_[i]->seen_in == block_;
  }
}

void Tracer::find(RawFinding finding) {
  finding.launch = launch;
  if (machine) {
    finding.block = block_;
    if (simt::current && finding.thread < 0) finding.thread = simt::current->linear;
  }
  findings.add(std::move(finding));
}

void Tracer::take(const std::vector<simt::RepeatedFinding>& found) {
  for (const simt::RepeatedFinding& one : found) {
    RawFinding f;
    f.kind = one.first.kind == "barrier_divergence" ? "divergent_barrier" : one.first.kind;
    f.launch = launch, f.block = one.first.block, f.thread = one.first.thread;
    f.other_thread = one.first.other_thread;
    f.site = std::uint32_t(one.first.line), f.other_site = std::uint32_t(one.first.other_line);
    if (f.kind == "launch" || f.kind == "shuffle_width" || f.kind == "undefined_lane")
      f.text = one.first.what.text();
    f.times = one.times;
    findings.add(std::move(f));
  }
}

std::int64_t Tracer::block_of(std::uint32_t stamp) const {
  std::int64_t block = -1;
  for (const auto& [first, number] : blocks_)
    if (first <= stamp) block = number;
  return block;
}

void Tracer::describe(RawFinding& f, const Entry& e, std::uintptr_t address) const {
  if (e.shared) {
    f.view = e.shared->name;
    const std::uint32_t bytes = std::max(1u, e.region->cell_bytes);
    f.element = std::int64_t(address - e.begin) / bytes, f.elements = std::int64_t(e.region->bytes()) / bytes;
  } else if (e.allocation) {
    const std::uint32_t bytes = std::max(1u, e.allocation->array.element_bytes);
    f.array = memory.index_of(*e.allocation);
    f.element = std::int64_t(address - e.begin) / bytes, f.elements = std::int64_t(e.region->bytes()) / bytes;
  }
}

RawFinding Tracer::at_entry(const char* kind, const Entry& e, std::uintptr_t address, std::uint32_t width,
                            bool store) const {
  RawFinding f;
  f.kind = kind, f.site = e.site, f.bytes = width, f.store = store;
  describe(f, e, address);
  return f;
}

void Tracer::refuse(const Entry& e, std::uintptr_t address, std::uint32_t width, bool store) {
  find(at_entry(address % width ? "misaligned" : "out_of_bounds", e, address, width, store));
}

bool Tracer::classify(Entry& e, std::uintptr_t address, std::uint32_t width, bool store, void* pc,
                      std::uint32_t piece) {
  const auto take = [&](Region& region, SharedRegion* shared, Allocation* allocation) {
    e.pc = pc, e.piece = piece, e.begin = region.begin, e.last = region.end - region.begin - 1;
    e.room = width, e.region = &region, e.shared = shared, e.allocation = allocation;
    e.site = std::uint16_t(sites.of_address(pc, piece));
    return true;
  };
  for (const auto& s : shared_)
    if (address >= s->region.begin && address < s->region.end) return take(s->region, s.get(), nullptr);
  if (Allocation* a = memory.find(address)) {
    if (a->live) return take(a->region, nullptr, a);
    RawFinding f;
    f.kind = "use_after_free", f.site = site(pc, piece), f.bytes = width, f.store = store;
    f.array = memory.index_of(*a);
    f.element = std::int64_t(address - a->region.begin) / std::max(1u, a->array.element_bytes);
    find(std::move(f));
    return false;
  }
  return outside(address, width, store, pc, piece);
}

// Of no array: the thread's own memory, or a mistake.
bool Tracer::outside(std::uintptr_t address, std::uint32_t width, bool store, void* pc, std::uint32_t piece) {
  if (near_stack(address) || address - state_ < state_bytes_) return false;
  if (memory.holds(address)) {
    RawFinding f;
    f.kind = "out_of_bounds", f.site = site(pc, piece), f.bytes = width, f.store = store;
    Allocation* a = memory.below(address);
    if (Allocation* above = memory.below(address + 8192); above && above != a) a = above;  // just before one
    if (a) {
      const std::int64_t bytes = std::max(1u, a->array.element_bytes);
      const std::int64_t offset = std::int64_t(address) - std::int64_t(a->region.begin);
      f.array = memory.index_of(*a);
      f.element = offset >= 0 ? offset / bytes : -((-offset + bytes - 1) / bytes);
      f.elements = std::int64_t(a->region.bytes()) / bytes;
    }
    find(std::move(f));
    return false;
  }
  return outside_shared(address, width, store, pc, piece);
}

void Tracer::crashed_at(RawFinding& f, std::uintptr_t address) {
  if (f.kind == "trap") return;
  if (address < 65536) {
    f.kind = "null_pointer";
  } else if (memory.holds(address)) {
    Allocation* a = memory.below(address);
    f.kind = a && !a->live && address < a->region.end ? "use_after_free" : "out_of_bounds";
    if (!a) return;
    const std::int64_t bytes = std::max(1u, a->array.element_bytes);
    f.array = memory.index_of(*a), f.elements = std::int64_t(a->region.bytes()) / bytes;
    f.element = std::int64_t(address - a->region.begin) / bytes;
  }
}

bool Tracer::outside_shared(std::uintptr_t address, std::uint32_t width, bool store, void* pc,
                            std::uint32_t piece) {
  RawFinding f;
  f.site = site(pc, piece), f.bytes = width, f.store = store;
  const SharedRegion* nearest = nullptr;
  for (const auto& s : shared_)
    if (address - (s->region.begin - kSharedReach) < s->region.bytes() + 2 * kSharedReach &&
        (!nearest || (s->region.begin <= address && s->region.begin > nearest->region.begin)))
      nearest = s.get();
  if (nearest) {
    const std::int64_t bytes = std::max(1u, nearest->region.cell_bytes);
    f.kind = "out_of_bounds", f.view = nearest->name;
    f.element = (std::int64_t(address) - std::int64_t(nearest->region.begin)) / bytes;
    f.elements = std::int64_t(nearest->region.bytes()) / bytes;
  } else if (address < 65536) {
    f.kind = "null_pointer";
  } else if (is_program_memory(address)) {
    return false;
  } else {
    f.kind = "host_pointer";
  }
  find(std::move(f));
  return false;
}

// Within one barrier interval: whether the running thread comes after what `other` did when it had passed
// that many
// __syncwarps.
bool Tracer::ordered(std::uint32_t other, std::uint32_t sync) const {
  const std::uint32_t me = simt::current->linear;
  return other == me || (other / 32 == me / 32 && threads_[me].sync > sync);
}

void Tracer::race(const Entry& e, const Cell& cell, std::uintptr_t address, std::uint32_t width, bool store,
                  bool other_store) {
  RawFinding f = at_entry("race", e, address, width, store);
  f.other_store = other_store;
  const std::uint32_t stamp = other_store ? cell.write_stamp : cell.read_stamp;
  f.other_thread = (other_store ? cell.writer : cell.reader) & kThreadBits;
  f.other_site = other_store ? cell.write_site : cell.read_site;
  f.other_block = stamp >= block_base_ ? block_ : block_of(stamp);
  if (!store) return find(std::move(f));
  // A store of what stands there already harms nobody.
  if (pending_.active) return;
  pending_.active = true, pending_.at = address, pending_.bytes = std::uint8_t(std::min(width, 16u));
  std::memcpy(pending_.old.data(), reinterpret_cast<const void*>(address), pending_.bytes);
  f.launch = launch, f.block = block_, f.thread = simt::current->linear;
  pending_.finding = std::move(f);
}

void Tracer::settle() {
  if (!pending_.active) return;
  pending_.active = false;
  if (std::memcmp(pending_.old.data(), reinterpret_cast<const void*>(pending_.at), pending_.bytes) != 0)
    findings.add(std::move(pending_.finding));
}

void Tracer::check_load(Entry& e, Cell& cell, std::uintptr_t address, bool is_volatile) {
  const std::uint32_t me = simt::current->linear;
  const PerThread& mine = threads_[me];
  const std::uint32_t w = cell.write_stamp;
  if (e.shared && w < shared_base_)
    find(at_entry("uninitialised", e, address, e.region->cell_bytes, false));
  else if (w >= block_base_ && w == mine.stamp && !ordered(cell.writer & kThreadBits, cell.write_sync))
    race(e, cell, address, e.region->cell_bytes, false, true);
  else if (w >= launch_base_ && w < block_base_ && !e.shared && !published_ && !is_volatile)
    race(e, cell, address, e.region->cell_bytes, false, true);
  note_reader(cell, e.site);
}

// The first two threads of an interval that read a cell are kept: a third one's store races with one of them
// at least.
void Tracer::note_reader(Cell& cell, std::uint16_t site) {
  const auto me = std::uint16_t(simt::current->linear);
  const PerThread& mine = threads_[me];
  const std::uint32_t r = cell.read_stamp;
  if (r >= launch_base_ && r < block_base_) {
    cell.reader |= kManyBlocks;
  } else if (r != mine.stamp || (cell.reader & kThreadBits) == me) {
    const std::uint16_t keep = r == mine.stamp ? cell.reader & kTwoReaders : 0;
    cell.read_stamp = mine.stamp, cell.reader = std::uint16_t(me | keep), cell.read_site = site;
    cell.read_sync = mine.sync;
  } else if (!(cell.reader & kTwoReaders) || cell.other == me || ordered(cell.other, cell.other_sync)) {
    cell.reader |= kTwoReaders;
    cell.other = me, cell.other_site = site, cell.other_sync = mine.sync;
  }
}

void Tracer::check_store(Entry& e, Cell& cell, std::uintptr_t address, std::uint32_t width,
                         bool is_volatile) {
  const std::uint32_t me = simt::current->linear;
  const PerThread& mine = threads_[me];
  const std::uint32_t w = cell.write_stamp, r = cell.read_stamp;
  const bool free = !e.shared && (published_ || is_volatile);
  if (w >= block_base_ ? w == mine.stamp && !ordered(cell.writer & kThreadBits, cell.write_sync)
                       : w >= launch_base_ && !e.shared && !free)
    race(e, cell, address, width, true, true);
  else if (r >= block_base_ ? r == mine.stamp && !ordered(cell.reader & kThreadBits, cell.read_sync)
                            : r >= launch_base_ && !e.shared && !free)
    race(e, cell, address, width, true, false);
  else if (r == mine.stamp && (cell.reader & kTwoReaders) && !ordered(cell.other, cell.other_sync)) {
    Cell second = cell;
    second.reader = cell.other, second.read_site = cell.other_site;
    race(e, second, address, width, true, false);
  }
  cell.write_stamp = mine.stamp, cell.writer = std::uint16_t(me), cell.write_site = e.site;
  cell.write_sync = mine.sync;
}

void Tracer::check(Entry& e, std::uintptr_t address, std::uint32_t width, bool store, bool is_volatile) {
  Region& region = *e.region;
  if (e.allocation) {
    (store ? e.allocation->written : e.allocation->read) = true;
    if (!store && width >= 4 &&
        *reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3}) == kPoison)
      find(at_entry("uninitialised", e, address, width, false));
  }
  if (!region.cells || width < region.cell_bytes) return;
  Cell* cell = region.cells + ((address - e.begin) >> region.cell_shift);
  Cell* const end = cell + (width >> region.cell_shift);
  for (std::uintptr_t at = address; cell != end; ++cell, at += region.cell_bytes) {
    if (store)
      check_store(e, *cell, address, width, is_volatile);
    else
      check_load(e, *cell, at, is_volatile);
  }
}

std::ptrdiff_t Tracer::atomic(void* at, std::uint32_t width, void* pc) {
  if (!machine) return -1;
  if (pending_.active) settle();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  Entry& e = cache_[slot_of(pc, 0)];
  if (!classify(e, address, width, true, pc, 0)) return -1;
  if (address % width || address - e.begin + width > e.last + 1) {
    refuse(e, address, width, true);
    return -1;
  }
  if (e.allocation) {
    e.allocation->written = e.allocation->read = true;
  } else if (e.region->cells) {
    Cell& cell = e.region->cells[(address - e.begin) >> e.region->cell_shift];
    const PerThread& mine = threads_[simt::current->linear];
    if (cell.write_stamp < shared_base_)
      find(at_entry("uninitialised", e, address, width, false));
    else if (cell.write_stamp == mine.stamp && !(cell.writer & kByAtomic) &&
             !ordered(cell.writer, cell.write_sync))
      race(e, cell, address, width, true, true);
    cell.write_stamp = mine.stamp, cell.writer = std::uint16_t(simt::current->linear | kByAtomic);
    cell.write_site = e.site, cell.write_sync = mine.sync;
  }
  machine->record({std::uint32_t(address - e.begin), 0, 0, 0, e.site, e.region->view, std::uint8_t(width),
                   e.shared ? Kind::atomic : Kind::reduction});
  return machine->last_event();
}

bool Tracer::copy_async(void* to, const void* from, int bytes, void* pc) {
  if (pending_.active) settle();
  const auto target_at = reinterpret_cast<std::uintptr_t>(to),
             source_at = reinterpret_cast<std::uintptr_t>(from);
  const auto width = std::uint32_t(bytes);
  Entry target, source;
  if (!classify(target, target_at, width, true, pc, 1) || !target.shared) return false;
  if (from && !classify(source, source_at, width, false, pc, 0)) return false;
  const auto wrong = [&](const Entry& e, std::uintptr_t at, bool store) {
    if (at % width == 0 && at - e.begin + width <= e.last + 1) return false;
    refuse(e, at, width, store);
    return true;
  };
  if (wrong(target, target_at, true) || (from && wrong(source, source_at, false))) return false;
  if (from) check(source, source_at, width, false, false);
  check(target, target_at, width, true, false);
  pending_.active = false;  // what it changes shows when it is waited for
  simt::PendingCopy copy;
  copy.event.bytes = width, copy.event.line = target.site, copy.event.target_view = target.region->view;
  copy.event.target_offset = std::uint32_t(target_at - target.begin);
  copy.event.source_view = from ? source.region->view : kZeros;
  copy.event.source_offset = from ? std::uint32_t(source_at - source.begin) : 0;
  copy.source = static_cast<const std::uint8_t*>(from), copy.target = static_cast<std::uint8_t*>(to);
  copy.array = target.shared->array;
  machine->copy_async(copy);
  return true;
}

void Tracer::declare_shared(void* at, std::uint64_t bytes, const char* name, const char* type, int line,
                            std::uint32_t element_bytes, std::uint64_t rows, std::uint64_t cols,
                            bool dynamic) {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  for (const auto& s : shared_)
    if (s->region.begin == begin) {
      if (s->seen_in == block_) return;
      s->seen_in = block_;
      std::memset(at, 0xff, bytes);
      return;
    }
  auto fresh = std::make_unique<SharedRegion>();
  fresh->name = name, fresh->type = type, fresh->seen_in = block_;
  fresh->region.begin = begin, fresh->region.end = begin + bytes, fresh->region.shared = true;
  const std::uint32_t cell_bytes = element_bytes % 4 == 0 ? 4 : element_bytes % 2 == 0 ? 2 : 1;
  fresh->region.cell_bytes = cell_bytes, fresh->region.cell_shift = cell_bytes == 4   ? 2
                                                                    : cell_bytes == 2 ? 1
                                                                                      : 0;
  fresh->cells.resize(bytes / cell_bytes + 1), fresh->region.cells = fresh->cells.data();
  // The machine tells declarations apart by their line: several may stand on one.
  simt::SharedDeclaration d;
  d.name = fresh->name.c_str(), d.type = fresh->type.c_str(), d.line = int(shared_.size()) + 1;
  d.element_bytes = std::max(1u, element_bytes), d.rows = rows, d.cols = cols, d.two_dimensional = rows > 1;
  d.dynamic_byte = dynamic ? 0 : -1;
  fresh->declared = d, fresh->array = machine->shared_array(d);
  fresh->region.view = fresh->array->id;
  (void)line;
  std::memset(at, 0xff, bytes);
  shared_.push_back(std::move(fresh));
}

}  // namespace lockstep::reader
