// What the copy engine brings: asked for, on its way, and there (async_units.hpp).
#include <cstring>

#include "async_units.hpp"

namespace lockstep::simt {
namespace {

std::string n(std::int64_t x) { return std::to_string(x); }

}  // namespace

void AsyncUnits::check_target(Cell& cell, Where at) {
  Machine& mine = *machine;  // who asks may be of another block
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all{n(mine.block_), n(current->linear), n(at.line)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const bool own = &mine == &m_;
  const auto is_me = [&](int agent) { return own && agent == current->linear; };
  if (cell.in_flight)
    mine.find(
        "copy_not_awaited", current->linear, at.line, at.file,
        {N_("block {0}, thread {1}, line {2}: copies a box to where the one of line {3} is still on its way"),
         with({n(cell.writer_line)})},
        -1, cell.writer_line);
  else if (cell.write_epoch == m_.epoch_ && !is_me(cell.writer) && !told(cell.writer, cell.write_stamp))
    mine.race(
        {std::size_t(cell.writer) < threads_ ? N_("block {0}: thread {1} copies a box at line {2} over what "
                                                  "a thread stores at line {3}, and does not wait for it")
                                             : N_("block {0}: thread {1} copies a box at line {2} over the "
                                                  "one of line {3}, which nobody has told it is used up"),
         with({n(cell.writer_line)})},
        at.line, at.file, cell.writer, cell.writer_line);
  const auto still_read = [&](int reader, std::uint32_t stamp) {
    return !is_me(reader) && !told(std::size_t(reader), stamp);
  };
  const auto under_way = [&] {
    return cell.read_epoch >= m_.block_epoch_ && end_of_reading(cell.reader, cell.read_stamp) == kUnfinished;
  };
  if (cell.read_epoch != m_.epoch_ && !under_way()) return;
  const bool first = still_read(cell.reader, cell.read_stamp);
  const bool second = cell.has_other && still_read(cell.other_reader, cell.other_stamp);
  if (first || second) say_released_early(first, cell, at);
}

void AsyncUnits::say_released_early(bool first, const Cell& cell, Where at) {
  Machine& mine = *machine;
  const int reader = first ? cell.reader : cell.other_reader;
  const int line = first ? cell.reader_line : cell.other_reader_line;
  const bool by_thread = std::size_t(reader) < threads_;
  const char* const words =
      &mine != &m_
          ? N_("block {0}: thread {1} copies a box at line {2} over what block {5} of its cluster may still "
               "be reading at line {3}: it has not given it back")
      : by_thread ? N_("block {0}: thread {1} copies a box at line {2} over what thread {4} may still be "
                       "reading at line {3}: it has not given it back")
                  : N_("block {0}: thread {1} copies a box at line {2} over what warpgroup {4} may still "
                       "be reading at line {3}: it has not given it back");
  mine.find("released_early", current->linear, at.line, at.file,
            {words,
             {n(mine.block_), n(current->linear), n(at.line), n(line),
              n(by_thread ? reader : reader - int(threads_ + kMaxBarriers)), n(std::int64_t(m_.rank_))}},
            by_thread ? reader : -1, line);
}

bool AsyncUnits::possible(const TensorBox& t, const BoxPlace& place, bool stored, const void* data,
                          std::int64_t bytes, const SharedArray* array, std::int64_t byte, Where at) {
  const auto say = [&](const char* kind, const char* words, std::int64_t given, std::int64_t most = 0) {
    m_.find(kind, current->linear, at.line, at.file,
            {words, {n(m_.block_), n(current->linear), n(at.line), n(given), n(most)}});
    return false;
  };
  const std::int64_t address = array->data - m_.shared_.get() + byte;
  switch (t.problem(place, stored)) {
    case BoxProblem::extent:
      return say("tensor_map",
                 N_("block {0}, thread {1}, line {2}: a tensor has at least one element in each dimension"),
                 0);
    case BoxProblem::box:
      return say("tensor_map",
                 N_("block {0}, thread {1}, line {2}: a box has 1 to {3} elements in each dimension"),
                 TensorBox::kMostOfBox);
    case BoxProblem::row:
      return say(
          "tensor_map",
          N_("block {0}, thread {1}, line {2}: a box has rows of {3} bytes, which is not a multiple of 16"),
          t.row_bytes());
    case BoxProblem::too_wide:
      return say(
          "tensor_map",
          N_("block {0}, thread {1}, line {2}: a box has rows of {3} bytes, and its swizzle takes up to {4}"),
          t.row_bytes(), span_bytes(t.swizzle));
    case BoxProblem::pitch:
      return say("tensor_map",
                 N_("block {0}, thread {1}, line {2}: a tensor has rows of {3} bytes, which is not a "
                    "multiple of 16"),
                 t.pitch(1));
    case BoxProblem::between_units:
      return say("misaligned",
                 N_("block {0}, thread {1}, line {2}: a box starts at byte {3} of a row, which is not a "
                    "multiple of 16"),
                 std::int64_t{place.at[0]} * t.element_bytes);
    case BoxProblem::before:
      return say(
          "out_of_bounds",
          N_("block {0}, thread {1}, line {2}: stores a box that begins before its tensor: it may reach "
             "beyond the end, and not begin before element 0"),
          0);
    case BoxProblem::none:
      break;
  }
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0)
    return say(
        "misaligned",
        N_("block {0}, thread {1}, line {2}: a tensor begins at an address that is not a multiple of 16"), 0);
  if (t.tensor_bytes() > bytes)
    return say("out_of_bounds",
               N_("block {0}, thread {1}, line {2}: a tensor of {3} bytes in an array of {4}"),
               t.tensor_bytes(), bytes);
  return address % 128 == 0 ||
         say("misaligned",
             N_("block {0}, thread {1}, line {2}: a box lands at byte {3} of shared memory, which is "
                "not a multiple of 128"),
             address);
}

bool AsyncUnits::aligned_bulk(const SharedArray* target, std::int64_t target_byte, std::int64_t source_byte,
                              std::int64_t bytes, Where at) {
  constexpr std::int64_t kMost = 32 * 1024;
  const std::int64_t address = target->data - m_.shared_.get() + target_byte;
  if (source_byte % 128 == 0 && address % 128 == 0 && bytes % 128 == 0 && bytes > 0 && bytes <= kMost)
    return true;
  m_.find("misaligned", current->linear, at.line, at.file,
          {N_("block {0}, thread {1}, line {2}: a bulk copy of {3} bytes from byte {4} of the array to byte "
              "{5} of shared memory: all three must be multiples of 128, and the bytes at most {6}"),
           {n(m_.block_), n(current->linear), n(at.line), n(bytes), n(source_byte), n(address), n(kMost)}});
  return false;
}

void AsyncUnits::copy(Box box, BarrierName name, Where at) {
  if (usable(name, at)) take_box(std::move(box), name, at);
}

void AsyncUnits::copy_to(unsigned blocks, const Box& box, BarrierName name, Where at) {
  for (std::size_t rank = 0; blocks >> rank; ++rank) {
    if (!(blocks >> rank & 1)) continue;
    if (rank == m_.rank_) {
      copy(box, name, at);
      continue;
    }
    BarrierName there = name;
    AsyncUnits* const far = units_of(rank, there, at);
    if (!far) return;
    Box same = box;
    same.target = far->m_.array_of(box.target->id);
    if (same.target) far->take_box(std::move(same), there, at);
  }
}

// What a thread of this block, or of another one, asks for.
void AsyncUnits::take_box(Box box, BarrierName name, Where at) {
  Machine& mine = *machine;
  Barrier* const b = &barriers_.at(name);
  if (!b->published)
    mine.find(
        "missing_fence", current->linear, at.line, at.file,
        {"block {0}, thread {1}, line {2}: the copy engine may not see {3} yet: after its initialisation "
         "in line {4} the fence is missing",
         {n(mine.block_), n(current->linear), n(at.line), b->name, n(b->init_at.line)}});
  SharedArray& array = *box.target;
  for (const BoxPiece& piece : box.pieces)
    if (piece.target < 0 || std::uint64_t(piece.target) + 16 > array.bytes) {
      mine.find(
          "out_of_bounds", current->linear, at.line, at.file,
          {"block {0}, thread {1}, line {2}: a box reaches byte {3} of a shared array of {4} bytes",
           {n(mine.block_), n(current->linear), n(at.line), n(piece.target), n(std::int64_t(array.bytes))}});
      return;
    }
  for (const BoxPiece& piece : box.pieces)
    for (std::uint32_t byte = 0; byte < 16; byte += array.cell_bytes) {
      Cell& cell = array.cells[std::size_t(piece.target + byte) / array.cell_bytes];
      if (m_.options_.checks) check_target(cell, at);
      cell.in_flight = true, cell.write_epoch = m_.epoch_, cell.write_stamp = m_.stamp_;
      cell.writer = std::uint16_t(b->agent), cell.writer_line = std::uint16_t(at.line),
      cell.by_atomic = false;
    }
  under_way_.push_back({std::move(box), name, at});
}

void AsyncUnits::deliver(const UnderWay& u) {
  Barrier& b = barriers_.at(u.barrier);
  SharedArray& array = *u.box.target;
  for (const BoxPiece& piece : u.box.pieces) {
    std::uint8_t* const to = array.data + piece.target;
    std::memset(to, 0, 16);
    if (piece.bytes_inside > 0 && m_.reads_aside(u.box.source_view))
      m_.aside_.read(piece.source, to, piece.bytes_inside);
    else if (piece.bytes_inside > 0)
      std::memcpy(to, piece.source, piece.bytes_inside);
    for (std::uint32_t byte = 0; byte < 16; byte += array.cell_bytes) {
      Cell& cell = array.cells[std::size_t(piece.target + byte) / array.cell_bytes];
      cell.in_flight = false, cell.write_epoch = m_.epoch_, cell.write_stamp = m_.stamp_;
    }
  }
  b.gathering[base_ + b.agent] = ++m_.stamp_;
  b.bytes -= u.box.bytes();
  end_phase_if_complete(u.barrier, b);
}

}  // namespace lockstep::simt
