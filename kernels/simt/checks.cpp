// What the emulator finds that a GPU hides: races, out-of-bounds and uninitialised accesses, missing waits.
#include <algorithm>
#include <cstring>

#include "machine.hpp"

namespace lockstep::simt {
namespace {
std::string n(std::int64_t x) { return std::to_string(x); }
}  // namespace

void Machine::find(std::string kind, std::int64_t thread, int line, std::uint16_t file, Message what,
                   std::int64_t other_thread, int other_line) {
  Finding found{std::move(kind),      block_,         thread, other_thread, line, other_line,
                files_.name_of(file), std::move(what)};
  for (RepeatedFinding& known : notes_.findings)
    if (same_lines(known.first, found)) {
      ++known.times;
      return;
    }
  notes_.findings.push_back({std::move(found)});
}

void Machine::refuse_global(std::int64_t index, std::int64_t size, std::uint32_t bytes, std::uint16_t file,
                            int line, bool store) {
  if (index < 0 || index >= size) {
    const std::vector<std::string> args{n(block_), n(current->linear), n(line), n(index), n(size)};
    find("out_of_bounds", current->linear, line, file,
         store ? Message{"block {0}, thread {1}, line {2}: writes element {3} of a view of {4}", args}
               : Message{"block {0}, thread {1}, line {2}: reads element {3} of a view of {4}", args});
    return;
  }
  find("misaligned", current->linear, line, file,
       {"block {0}, thread {1}, line {2}: an access of {3} bytes at an address that is not a multiple of {3}",
        {n(block_), n(current->linear), n(line), n(bytes)}});
}

void Machine::race(Message what, int line, std::uint16_t file, int other, int other_line) {
  find("race", current->linear, line, file, std::move(what), other, other_line);
}

void Machine::read_cell(Cell& cell, std::uint16_t file, int line, bool atomic) {
  const std::uint16_t me = current->linear;
  if (cell.in_flight)
    find("copy_not_awaited", me, line, file,
         {"block {0}, thread {1}, line {2}: reads shared memory that the asynchronous copy of line {3} may "
          "not have filled yet",
          {n(block_), n(me), n(line), n(cell.writer_line)}},
         cell.writer, cell.writer_line);
  else if (cell.write_epoch < block_epoch_)
    find("uninitialised", me, line, file,
         {"block {0}, thread {1}, line {2}: reads shared memory that nobody has written",
          {n(block_), n(me), n(line)}});
  else if (cell.write_epoch == epoch_ && cell.writer != me && !(atomic && cell.by_atomic) &&
           !ordered(cell.writer, cell.write_stamp)) {
    const bool by_unit = cell.writer >= threads_.size();
    const std::vector<std::string> args{n(block_), n(me), n(line), n(cell.writer), n(cell.writer_line)};
    race(
        by_unit
            ? Message{"block {0}: thread {1} reads at line {2} what the copy of line {4} brings, and has not "
                      "waited for its barrier",
                      args}
            : Message{"block {0}: thread {1} reads at line {2} what thread {3} writes at line {4}, with no "
                      "barrier between",
                      args},
        line, file, by_unit ? -1 : int(cell.writer), cell.writer_line);
  }
  if (atomic) return;  // counts as a write
  if (cell.read_epoch != epoch_) cell.read_epoch = epoch_, cell.reader = me, cell.has_other = false;
  if (cell.reader == me) {
    cell.reader_line = std::uint16_t(line), cell.read_stamp = stamp_;
  } else if (!cell.has_other || cell.other_reader == me || ordered(cell.other_reader, cell.other_stamp)) {
    cell.has_other = true, cell.other_reader = me, cell.other_reader_line = std::uint16_t(line);
    cell.other_stamp = stamp_;
  }
}

// same_bytes(): what is written stands there already. Lanes of one warp may write the same value to one place
// at the same line: one of them does (CUDA C++ Programming Guide).
template <class F>
void Machine::write_cell(Cell& cell, std::uint16_t file, int line, bool atomic, F same_bytes) {
  const std::uint16_t me = current->linear;
  const auto harmless = [&] {
    return cell.writer / 32 == me / 32 && cell.writer_line == line && same_bytes();
  };
  if (cell.write_epoch == epoch_ && cell.writer != me && !(atomic && cell.by_atomic) && !harmless() &&
      !ordered(cell.writer, cell.write_stamp)) {
    const bool by_unit = cell.writer >= threads_.size();
    const std::vector<std::string> args{n(block_), n(me), n(line), n(cell.writer), n(cell.writer_line)};
    race(by_unit
             ? Message{"block {0}: thread {1} writes at line {2} over what the copy of line {4} brings, and "
                       "has not waited for its barrier",
                       args}
             : Message{"block {0}: thread {1} writes at line {2} what thread {3} writes at line {4}, with no "
                       "barrier between",
                       args},
         line, file, by_unit ? -1 : int(cell.writer), cell.writer_line);
  }
  const auto foreign = [&](int reader, std::uint32_t stamp) {
    return reader != me && !ordered(reader, stamp);
  };
  const bool first = cell.read_epoch == epoch_ && foreign(cell.reader, cell.read_stamp);
  const bool second =
      cell.read_epoch == epoch_ && cell.has_other && foreign(cell.other_reader, cell.other_stamp);
  if (first || second) {
    const int other = first ? cell.reader : cell.other_reader;
    const int other_line = first ? cell.reader_line : cell.other_reader_line;
    const bool by_unit = std::size_t(other) >= threads_.size();
    const std::vector<std::string> args{n(block_), n(me), n(line), n(other), n(other_line)};
    race(by_unit
             ? Message{"block {0}: thread {1} writes at line {2} over what the product or the store of line "
                       "{4} may still be reading",
                       args}
             : Message{"block {0}: thread {1} writes at line {2} what thread {3} reads at line {4}, with no "
                       "barrier between",
                       args},
         line, file, by_unit ? -1 : other, other_line);
  }
  if (cell.in_flight)
    find("copy_not_awaited", me, line, file,
         {"block {0}, thread {1}, line {2}: writes shared memory that the asynchronous copy of line {3} may "
          "still fill",
          {n(block_), n(me), n(line), n(cell.writer_line)}},
         cell.writer, cell.writer_line);
  cell.write_epoch = epoch_, cell.writer = me, cell.writer_line = std::uint16_t(line), cell.in_flight = false;
  cell.write_stamp = stamp_, cell.by_atomic = atomic;
}

// `value`: what a store writes.
bool Machine::check_shared(SharedArray& array, std::int64_t offset, std::uint32_t bytes, std::uint16_t file,
                           int line, Kind kind, const void* value) {
  if (offset < 0 || std::uint64_t(offset) + bytes > array.bytes) {
    find("out_of_bounds", current->linear, line, file,
         {"block {0}, thread {1}, line {2}: byte {3} of a shared array of {4} bytes",
          {n(block_), n(current->linear), n(line), n(offset), n(std::int64_t(array.bytes))}});
    return false;
  }
  if (offset % bytes != 0) {
    find("misaligned", current->linear, line, file,
         {"block {0}, thread {1}, line {2}: an access of {3} bytes at an address that is not a multiple of "
          "{3}",
          {n(block_), n(current->linear), n(line), n(bytes)}});
    return false;
  }
  const bool atomic = kind == Kind::atomic;
  const auto same_bytes = [&] { return value && std::memcmp(array.data + offset, value, bytes) == 0; };
  Cell* cell = &array.cells[std::uint64_t(offset) / array.cell_bytes];
  Cell* const end = &array.cells[(std::uint64_t(offset) + bytes - 1) / array.cell_bytes] + 1;
  for (; cell != end; ++cell) {
    if (kind == Kind::load || atomic) read_cell(*cell, file, line, atomic);
    if (kind != Kind::load) write_cell(*cell, file, line, atomic, same_bytes);
    if (kind == Kind::copy_issue) cell->in_flight = true;
  }
  return true;
}

void Machine::copy_async(PendingCopy copy) {
  copy.event.group = current->group;
  copy.event.issue = std::uint32_t(current->next - current->begin);
  if (options_.trace && copy.source)
    record({copy.event.source_offset, 0, 0, copy.event.file, copy.event.line, copy.event.source_view,
            std::uint8_t(copy.event.bytes), Kind::copy_issue});
  if (options_.trace)
    record({copy.event.target_offset, 0, 0, copy.event.file, copy.event.line, copy.event.target_view,
            std::uint8_t(copy.event.bytes), Kind::copy_target});
  any_copies_ = true;
  current->pending.push_back(copy);
}

void Machine::copy_commit() {
  for (PendingCopy& copy : current->pending)
    if (copy.event.group == current->group) copy.event.commit = std::uint32_t(current->next - current->begin);
  ++current->group;
}

// The bytes arrive here and not before: a kernel that forgets to wait reads what was there.
void Machine::copy_wait(std::uint32_t pending_groups) {
  Thread& me = *current;
  const auto arrived = [&](PendingCopy& copy) {
    if (copy.event.group + pending_groups >= me.group) return false;
    copy.event.wait = std::uint32_t(me.next - me.begin);
    if (copy.source && reads_aside(copy.event.source_view))
      aside_.read(copy.source, copy.target, copy.event.bytes);
    else if (copy.source)
      std::copy(copy.source, copy.source + copy.event.bytes, copy.target);
    else
      std::fill_n(copy.target, copy.event.bytes, std::uint8_t{0});
    const std::uint64_t first = copy.event.target_offset / copy.array->cell_bytes;
    const std::uint64_t last = (copy.event.target_offset + copy.event.bytes - 1) / copy.array->cell_bytes;
    for (std::uint64_t c = first; c <= last && c < copy.array->cells.size(); ++c) {
      Cell& cell = copy.array->cells[c];
      cell.in_flight = false, cell.write_epoch = epoch_, cell.writer = me.linear, cell.write_stamp = stamp_;
    }
    me.copies.push_back(copy.event);
    return true;
  };
  std::erase_if(me.pending, arrived);
}

}  // namespace lockstep::simt
