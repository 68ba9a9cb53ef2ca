// Boxes that the copy engine takes from shared memory to a matrix (async_units.hpp): asked for, read,
// written.
#include <cstring>

#include "async_units.hpp"

namespace lockstep::simt {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

}  // namespace

// What is to leave has to be there, known to who asks, and visible to the copy engine.
void AsyncUnits::check_source(const Cell& cell, Where at) {
  const std::size_t me = current->linear;
  const std::vector<std::string> args{n(m_.block_), n(current->linear), n(at.line), n(cell.writer),
                                      n(cell.writer_line)};
  const bool by_thread = cell.writer < threads_;
  if (cell.in_flight || cell.write_epoch < m_.block_epoch_)
    m_.find("uninitialised", current->linear, at.line, at.file,
            {"block {0}, thread {1}, line {2}: stores a box of shared memory that nobody has written", args});
  else if (cell.write_epoch == m_.epoch_ && cell.writer != me && !m_.ordered(cell.writer, cell.write_stamp))
    m_.race({"block {0}: thread {1} stores a box at line {2} with what thread {3} writes at line {4}, and "
             "does not wait for it",
             args},
            at.line, at.file, by_thread ? cell.writer : -1, cell.writer_line);
  else if (by_thread && fenced_[cell.writer] <= cell.write_stamp && fenced_[me] <= cell.write_stamp)
    m_.find("missing_fence", current->linear, at.line, at.file,
            {"block {0}: thread {1} stores a box at line {2} with what line {4} writes: between them the "
             "fence is missing that lets the copy engine see a thread's stores",
             args},
            by_thread ? cell.writer : -1, cell.writer_line);
}

void AsyncUnits::note_leaving(SharedArray& array, std::int64_t byte, Where at) {
  const auto agent = std::uint16_t(group_agent(current->linear)), line = std::uint16_t(at.line);
  for (std::int64_t b = byte; b < byte + 16; b += array.cell_bytes) {
    Cell& cell = array.cells[std::size_t(b) / array.cell_bytes];
    if (m_.options_.checks) check_source(cell, at);
    if (cell.read_epoch != m_.epoch_)
      cell.read_epoch = m_.epoch_, cell.reader = agent, cell.has_other = false;
    if (cell.reader == agent)
      cell.reader_line = line, cell.read_stamp = kUnfinished;
    else
      cell.has_other = true, cell.other_reader = agent, cell.other_reader_line = line,
      cell.other_stamp = kUnfinished;
  }
}

void AsyncUnits::store(StoredBox box, Where at) {
  begin();
  SharedArray& array = *box.source;
  for (const StorePiece& piece : box.pieces)
    if (piece.source < 0 || std::uint64_t(piece.source) + 16 > array.bytes) {
      m_.find(
          "out_of_bounds", current->linear, at.line, at.file,
          {"block {0}, thread {1}, line {2}: a box reaches byte {3} of a shared array of {4} bytes",
           {n(m_.block_), n(current->linear), n(at.line), n(piece.source), n(std::int64_t(array.bytes))}});
      return;
    }
  for (const StorePiece& piece : box.pieces) note_leaving(array, piece.source, at);
  leaving_.push_back({std::move(box), current->linear, stored_groups_[current->linear], false, {}, at});
}

void AsyncUnits::commit_stores() {
  begin();
  ++stored_groups_[current->linear];
}

void AsyncUnits::wait_stores(std::uint32_t pending_groups, bool written) {
  begin();
  const std::size_t me = current->linear;
  const std::uint32_t groups = stored_groups_[me] - std::min(stored_groups_[me], pending_groups);
  const auto due = [&](const Leaving& leaving) { return leaving.thread == me && leaving.group < groups; };
  bool any = false;
  for (Leaving& leaving : leaving_)
    if (due(leaving) && !leaving.read) read_leaving(leaving), any = true;
  if (any) entry(me, group_agent(me)) = ++m_.stamp_;
  if (!written) return;
  for (const Leaving& leaving : leaving_)
    if (due(leaving)) write_leaving(leaving);
  std::erase_if(leaving_, due);
}

// Nobody who hears of it later has to wait for the reading any more.
void AsyncUnits::read_leaving(Leaving& leaving) {
  const auto agent = std::uint16_t(group_agent(leaving.thread));
  SharedArray& array = *leaving.box.source;
  leaving.read = true;
  for (const StorePiece& piece : leaving.box.pieces) {
    const std::uint8_t* const from = array.data + piece.source;
    leaving.bytes.insert(leaving.bytes.end(), from, from + 16);
    for (std::int64_t b = piece.source; b < piece.source + 16; b += array.cell_bytes) {
      Cell& cell = array.cells[std::size_t(b) / array.cell_bytes];
      if (cell.reader == agent && cell.read_stamp == kUnfinished) cell.read_stamp = m_.stamp_;
      if (cell.has_other && cell.other_reader == agent && cell.other_stamp == kUnfinished)
        cell.other_stamp = m_.stamp_;
    }
  }
}

void AsyncUnits::write_leaving(const Leaving& leaving) {
  struct Unit {
    std::uint8_t bytes[16];
  };
  for (std::size_t i = 0; i < leaving.box.pieces.size(); ++i) {
    const StorePiece& piece = leaving.box.pieces[i];
    const std::uint8_t* const from = leaving.bytes.data() + 16 * i;
    SetAside* const aside = m_.aside();
    if (leaving.box.reduce) {
      leaving.box.reduce(aside, leaving.box.target_view, piece.target, from, piece.bytes_inside);
    } else if (aside && piece.bytes_inside == 16) {
      Unit unit;
      std::memcpy(unit.bytes, from, 16);
      aside->store(leaving.box.target_view, reinterpret_cast<Unit*>(piece.target), unit);
    } else {
      for (std::uint32_t b = 0; b < piece.bytes_inside; ++b)
        aside ? aside->store(leaving.box.target_view, piece.target + b, from[b])
              : void(piece.target[b] = from[b]);
    }
  }
}

}  // namespace lockstep::simt
