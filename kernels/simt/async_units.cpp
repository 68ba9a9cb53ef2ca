#include "async_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace lockstep::simt {
namespace {

constexpr std::size_t kWarp = 32, kWarpgroup = 128;
constexpr int kRows = 16;  // of a warp's product
constexpr std::int64_t kMaxArrivals = (1 << 20) - 1, kSwizzleRow = 128;

std::string n(std::int64_t x) { return std::to_string(x); }

void take_larger(std::vector<std::uint32_t>& to, const std::uint32_t* from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

// What stands in the registers of sums on their way: by turns a NaN, which shows where it is used, and a
// number so small that adding to it shows.
float poison(std::size_t i) {
  const std::uint32_t bits = i % 2 ? 0x7fc0dead : 0x03dead00;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

bool all_poison(const float* registers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float x = poison(i);
    if (std::memcmp(&registers[i], &x, sizeof x) != 0) return false;
  }
  return true;
}

bool all_finite(const double* x, int count) {
  return std::all_of(x, x + count, [](double value) { return std::isfinite(value); });
}

// Behind them all are zeros: b[k * n + col].
int columns_used(const double* b, int depth, int n) {
  const auto zeros = [&](int col) {
    for (int k = 0; k < depth; ++k)
      if (b[k * n + col] != 0) return false;
    return true;
  };
  while (n > 0 && zeros(n - 1)) --n;
  return n;
}

// Two cells by the same act: what is wrong with one is with the other.
bool written_alike(const Cell& a, const Cell& b) {
  return a.writer == b.writer && a.write_stamp == b.write_stamp && a.write_epoch == b.write_epoch &&
         a.in_flight == b.in_flight && a.writer_line == b.writer_line;
}

// Of two groups, or of a group and what is under way: what ends later. A reading that has ended counts no
// more.
std::uint32_t later(std::uint32_t before, std::uint32_t with_group) { return std::max(before, with_group); }

}  // namespace

void AsyncUnits::begin_block() {
  clocks_.clear(), barriers_.clear(), under_way_.clear(), warps_.clear(), waiting_.clear(), leaving_.clear();
  named_ = {}, at_zero_.clear();
}

void AsyncUnits::begin() {
  if (!clocks_.empty()) return;
  threads_ = m_.threads_.size();
  span_ = threads_ + kMaxBarriers + threads_ / kWarpgroup + 1;
  base_ = m_.rank_ * span_, width_ = m_.cluster_size() * span_;
  clocks_.assign(threads_ * width_, 0);
  fenced_.assign(threads_, 0), committed_.assign(threads_, 0), stored_groups_.assign(threads_, 0);
  groups_ended_.assign(threads_ / kWarpgroup + 1, {});
  warps_.assign((threads_ + kWarp - 1) / kWarp, {}), waiting_.assign(threads_, {});
}

std::size_t AsyncUnits::group_agent(std::size_t thread) const {
  return threads_ + kMaxBarriers + thread / kWarpgroup;
}

void AsyncUnits::end_block() {
  complain_of_named();
  if (!under_way_.empty()) {
    const Where at = under_way_[0].at;
    m_.find("copy_not_awaited", 0, at.line, at.file,
            {"block {0}: ended while the box of line {1} was still on its way", {n(m_.block_), n(at.line)}});
  }
  for (const UnderWay& u : under_way_)  // cells outlive the block
    for (const BoxPiece& piece : u.box.pieces)
      for (std::uint32_t byte = 0; byte < 16; byte += u.box.target->cell_bytes)
        u.box.target->cells[std::size_t(piece.target + byte) / u.box.target->cell_bytes].in_flight = false;
  for (Leaving& leaving : leaving_) {
    if (!leaving.read) {
      m_.find("store_not_awaited", std::int64_t(leaving.thread), leaving.at.line, leaving.at.file,
              {"block {0}: ended while the box of line {1} was still being read from its shared memory",
               {n(m_.block_), n(leaving.at.line)}});
      read_leaving(leaving);
    }
    write_leaving(leaving);
  }
  for (std::size_t w = 0; w < warps_.size(); ++w)
    for (const Sums& sums : warps_[w].sums)
      m_.find("product_not_awaited", std::int64_t(w * kWarp), sums.at.line, sums.at.file,
              {"block {0}: warp {1} ended without waiting for the product of line {2}",
               {n(m_.block_), n(std::int64_t(w)), n(sums.at.line)}});
}

// --- who knows what ---

void AsyncUnits::release(Clock& to) {
  const std::size_t me = current->linear, first = me / kWarp * kWarp;
  entry(me, me) = ++m_.stamp_;
  for (std::size_t lane = 0; lane < kWarp && first + lane < threads_; ++lane)
    entry(me, first + lane) = std::max(entry(me, first + lane), m_.seen_[me * kWarp + lane]);
  take_larger(to, clock_of(me));
}

void AsyncUnits::acquire(std::size_t thread, const Clock& from) {
  const std::size_t first = thread / kWarp * kWarp;
  for (std::size_t i = 0; i < width_; ++i) clock_of(thread)[i] = std::max(clock_of(thread)[i], from[i]);
  for (std::size_t lane = 0; lane < kWarp && first + lane < threads_; ++lane) {
    std::uint32_t& seen = m_.seen_[thread * kWarp + lane];
    seen = std::max(seen, entry(thread, first + lane));
  }
}

void AsyncUnits::merge_lanes(std::size_t first, std::uint32_t lanes) {
  if (clocks_.empty()) return;
  Clock all(width_);
  for (std::size_t lane = 0; lane < kWarp; ++lane)
    if (lanes >> lane & 1) take_larger(all, clock_of(first + lane));
  for (std::size_t lane = 0; lane < kWarp; ++lane)
    if (lanes >> lane & 1) std::copy(all.begin(), all.end(), clock_of(first + lane));
}

void AsyncUnits::fence() {
  begin();
  fenced_[current->linear] = ++m_.stamp_;
}

// --- mbarriers ---

void AsyncUnits::init(BarrierName name, std::int64_t arrivals, const char* what, Where at) {
  begin();
  if (arrivals < 1 || arrivals > kMaxArrivals) {
    m_.find("barrier_count", current->linear, at.line, at.file,
            {"block {0}, thread {1}, line {2}: a barrier waits for 1 to {3} arrivals, not for {4}",
             {n(m_.block_), n(current->linear), n(at.line), n(kMaxArrivals), n(arrivals)}});
    return;
  }
  const auto found = barriers_.find(name);
  Barrier b;
  b.agent = found == barriers_.end() ? threads_ + std::min(barriers_.size(), kMaxBarriers - 1)
                                     : found->second.agent;
  b.name = std::string(what) + "[" + n(name.index) + "]";
  b.arrivals = b.missing = arrivals;
  b.gathering.assign(width_, 0), b.last.assign(width_, 0);
  b.init_epoch = m_.epoch_, b.init_stamp = m_.stamp_, b.init_thread = current->linear, b.init_at = at;
  barriers_[name] = std::move(b);
}

void AsyncUnits::publish() {
  for (auto& [name, barrier] : barriers_)
    if (barrier.init_thread == current->linear) barrier.published = true;
}

// nullptr: it cannot be used here, and that is said.
AsyncUnits::Barrier* AsyncUnits::usable(BarrierName name, Where at) {
  begin();
  const std::uint16_t me = current->linear;
  const auto found = barriers_.find(name);
  if (found == barriers_.end()) {
    m_.find("uninitialised", me, at.line, at.file,
            {"block {0}, thread {1}, line {2}: uses a barrier that nobody has initialised",
             {n(m_.block_), n(me), n(at.line)}});
    return nullptr;
  }
  Barrier& b = found->second;
  if (b.init_epoch == m_.epoch_ && b.init_thread != me && !m_.ordered(b.init_thread, b.init_stamp))
    m_.race({"block {0}: thread {1} uses {2} at line {3}, and nothing makes sure that thread {4} has "
             "initialised it "
             "in line {5}: __syncthreads() is missing",
             {n(m_.block_), n(me), b.name, n(at.line), n(b.init_thread), n(b.init_at.line)}},
            at.line, at.file, b.init_thread, b.init_at.line);
  return &b;
}

void AsyncUnits::arrive_expecting(BarrierName name, std::int64_t bytes, Where at) {
  Barrier* const b = usable(name, at);
  if (!b) return;
  release(b->gathering);
  take_arrival(name, *b, bytes, at);
}

// Of a thread of this block or of another one.
void AsyncUnits::take_arrival(BarrierName name, Barrier& b, std::int64_t bytes, Where at) {
  b.bytes += bytes;
  if (b.missing == 0) {
    Machine& mine = *machine;
    mine.find(
        "too_many_arrivals", current->linear, at.line, at.file,
        {"block {0}, thread {1}, line {2}: arrives at {3}, whose {4} arrivals of this phase have all come",
         {n(mine.block_), n(current->linear), n(at.line), b.name, n(b.arrivals)}});
    return;
  }
  --b.missing;
  end_phase_if_complete(name, b);
}

void AsyncUnits::arrive_at(std::size_t rank, BarrierName name, Where at) {
  if (rank == m_.rank_) return arrive_expecting(name, 0, at);
  AsyncUnits* const far = units_of(rank, name, at);
  if (!far) return;
  Barrier& b = far->barriers_.at(name);
  release(b.gathering);
  far->take_arrival(name, b, 0, at);
}

AsyncUnits* AsyncUnits::units_of(std::size_t rank, BarrierName& name, Where at) {
  begin();
  const std::vector<std::string> args{n(m_.block_), n(current->linear), n(at.line), n(std::int64_t(rank)),
                                      n(std::int64_t(m_.cluster_size()))};
  const auto say = [&](const char* kind, const char* words) {
    m_.find(kind, current->linear, at.line, at.file, {words, args});
    return nullptr;
  };
  if (rank >= m_.cluster_size())
    return say("cluster_rank", N_("block {0}, thread {1}, line {2}: asks for block {3} of a cluster of {4}"));
  Machine& other = *m_.cluster_[rank];
  name.array = m_.met_ > 0 ? other.array_of(name.array->id) : nullptr;
  if (!name.array || !other.async_ || !other.async_->barriers_.contains(name))
    return say(
        "block_not_begun",
        N_("block {0}, thread {1}, line {2}: uses a barrier of block {3} of its cluster, which may not have "
           "initialised it: a barrier of the cluster has to come before"));
  if (other.ended_)
    return say("block_ended", N_("block {0}, thread {1}, line {2}: uses a barrier of block {3} of its "
                                 "cluster, which may have ended "
                                 "by then: a barrier of the cluster has to come behind the last use"));
  return other.async_.get();
}

bool AsyncUnits::told(std::size_t agent, std::uint32_t stamp) const {
  if (machine == &m_) return m_.ordered(int(agent), stamp);
  const AsyncUnits& mine = *machine->async_;
  return mine.clocks_[current->linear * mine.width_ + base_ + agent] > end_of_reading(agent, stamp);
}

void AsyncUnits::end_phase_if_complete(BarrierName name, Barrier& b) {
  if (b.missing != 0 || b.bytes != 0) return;
  b.last = b.gathering, b.missing = b.arrivals, ++b.ended, ++phases_ended_;
  for (std::size_t t = 0; t < threads_; ++t) {
    const Waiting& w = waiting_[t];
    if (w.what != Waiting::For::phase || w.barrier != name || (b.ended & 1) == w.parity) continue;
    acquire(t, b.last);
    go_on(t);
  }
}

void AsyncUnits::go_on(std::size_t thread) {
  waiting_[thread].what = Waiting::For::nothing;
  m_.threads_[thread].state = Thread::State::ready;
}

void AsyncUnits::leave(Waiting waiting) {
  m_.take_turns();
  Thread& me = *current;
  waiting_[me.linear] = waiting;
  me.waiting_line = std::uint16_t(waiting.at.line);
  me.state = Thread::State::at_units;
  m_.leave();
}

void AsyncUnits::wait(BarrierName name, unsigned parity, Where at) {
  const Barrier* const b = usable(name, at);
  if (!b) return;
  if ((b->ended & 1) != (parity & 1)) return acquire(current->linear, b->last);
  leave({Waiting::For::phase, name, parity & 1, 0, at});
}

// --- products ---

void AsyncUnits::sums_fence() {
  begin();
  const std::size_t me = current->linear;
  warps_[me / kWarp].lanes_fenced |= 1u << me % kWarp;
}

// The byte of the array where element (row, k) of an operand stands: cores of 8 rows x 128 bytes, whose
// 16-byte units change places by the three address bits above them (PTX ISA, "Shared Memory Matrix Layout",
// 128-byte mode).
std::int64_t AsyncUnits::place(const SharedOperand& o, int row, int k) const {
  const std::int64_t in_order =
      o.by_columns ? o.offset + row / 64 * o.leading + k / 8 * o.stride + k % 8 * kSwizzleRow + row % 64 * 2
                   : o.offset + row / 8 * o.stride + row % 8 * kSwizzleRow + k * o.element_bytes();
  return swizzled(*o.array, in_order, BoxSwizzle::bytes_128);
}

std::int64_t AsyncUnits::swizzled(const SharedArray& array, std::int64_t byte, BoxSwizzle swizzle) const {
  const std::int64_t base = array.data - m_.shared_.get();
  return lockstep::swizzled(base + byte, swizzle) - base;
}

void AsyncUnits::check_operand(const SharedOperand& o, const Cell& cell) {
  const auto say = [&](const char* words) {
    return Message{words, {n(m_.block_), n(current->linear / int(kWarp)), n(o.at.line), n(cell.writer_line)}};
  };
  const bool by_thread = cell.writer < threads_;
  if (cell.in_flight)
    m_.find(
        "copy_not_awaited", current->linear, o.at.line, o.at.file,
        say(N_("block {0}: warp {1} multiplies at line {2} what the copy of line {3} may not have brought "
               "yet")),
        -1, cell.writer_line);
  else if (cell.write_epoch < m_.block_epoch_)
    m_.find("uninitialised", current->linear, o.at.line, o.at.file,
            say(N_("block {0}: warp {1} multiplies at line {2} shared memory that nobody has written")));
  else if (cell.write_epoch == m_.epoch_ && !m_.ordered(cell.writer, cell.write_stamp) &&
           cell.writer != current->linear)
    m_.race(
        say(by_thread ? N_("block {0}: warp {1} multiplies at line {2} what a thread stores at line {3}, and "
                           "does not wait for it")
                      : N_("block {0}: warp {1} multiplies at line {2} what the copy of line {3} brings: the "
                           "phase that it has waited for ends without these bytes")),
        o.at.line, o.at.file, by_thread ? cell.writer : -1, cell.writer_line);
  else if (by_thread && fenced_[cell.writer] <= cell.write_stamp &&
           fenced_[current->linear] <= cell.write_stamp)
    m_.find(
        "missing_fence", current->linear, o.at.line, o.at.file,
        say(N_("block {0}: warp {1} multiplies at line {2} what line {3} stores: between them the fence is "
               "missing that lets the tensor cores see a thread's stores")),
        cell.writer, cell.writer_line);
}

// 16 bytes that a product of this group reads. false: there are none. `checked`: the cell that was looked at
// last.
bool AsyncUnits::note_reading(const SharedOperand& o, std::int64_t offset, std::size_t agent,
                              std::uint32_t group, const Cell*& checked) {
  SharedArray& array = *o.array;
  if (offset < 0 || std::uint64_t(offset) + 16 > array.bytes) {
    m_.find("out_of_bounds", current->linear, o.at.line, o.at.file,
            {"block {0}, thread {1}, line {2}: byte {3} of a shared array of {4} bytes",
             {n(m_.block_), n(current->linear), n(o.at.line), n(offset), n(std::int64_t(array.bytes))}});
    return false;
  }
  const auto me = std::uint16_t(agent), line = std::uint16_t(o.at.line);
  const std::uint32_t until = kWithGroup | group;
  for (Cell& cell : array.cells.subspan(std::size_t(offset / array.cell_bytes), 16 / array.cell_bytes)) {
    if (m_.options_.checks && !(checked && written_alike(cell, *checked)))
      check_operand(o, cell), checked = &cell;
    if (cell.read_epoch != m_.epoch_)
      cell.read_epoch = m_.epoch_, cell.reader = me, cell.read_stamp = until, cell.has_other = false;
    if (cell.reader == me)
      cell.reader_line = line, cell.read_stamp = later(cell.read_stamp, until);
    else
      cell.other_stamp = cell.has_other && cell.other_reader == me ? later(cell.other_stamp, until) : until,
      cell.has_other = true, cell.other_reader = me, cell.other_reader_line = line;
  }
  return true;
}

// `rows` rows of an operand from row0 on: to[k * rows + row].
void AsyncUnits::read_operand(const Product& p, const SharedOperand& o, int row0, int rows,
                              std::uint32_t group, double* to) {
  const int per_unit = 16 / o.element_bytes();
  const int row_step = o.by_columns ? per_unit : 1, k_step = o.by_columns ? 1 : per_unit;
  const std::size_t agent = group_agent(p.first_thread), step = std::size_t(o.by_columns ? 1 : rows);
  const Cell* checked = nullptr;
  if (o.offset % 16 != 0)
    m_.find("misaligned", current->linear, o.at.line, o.at.file,
            {"block {0}: warp {1} multiplies at line {2} what begins at byte {3} of a shared array: its "
             "descriptor counts in units of 16 bytes, and the rest is dropped",
             {n(m_.block_), n(current->linear / int(kWarp)), n(o.at.line), n(o.offset)}});
  for (int row = 0; row < rows; row += row_step)
    for (int k = 0; k < o.depth(); k += k_step) {
      const std::int64_t unit = place(o, row0 + row, k) & ~std::int64_t{15};
      double* const first = to + k * rows + row;
      if (note_reading(o, unit, agent, group, checked))
        o.format->widen_unit(o.array->data + unit, first, step);
      else
        for (int i = 0; i < per_unit; ++i)
          first[std::size_t(i) * step] = std::numeric_limits<double>::quiet_NaN();
    }
}

// The warp's 16 rows of it: to[k * 16 + row].
void AsyncUnits::read_first_operand(const Product& p, void* const lanes[32], std::uint32_t group,
                                    double* to) {
  if (!p.a_in_registers)
    return read_operand(p, p.a, int(p.first_thread % kWarpgroup / kWarp) * kRows, kRows, group, to);
  // A register holds the elements of 4 bytes along k; four lanes those of 16.
  const int bytes = p.b.element_bytes(), per_register = 4 / bytes, per_unit = 16 / bytes;
  for (int k = 0; k < p.b.depth(); ++k)
    for (int row = 0; row < kRows; ++row) {
      const auto& holder =
          *static_cast<const Product::Lane*>(lanes[row % 8 * 4 + k % per_unit / per_register]);
      const unsigned four = holder.a[row / 8 + k / per_unit * 2];
      to[k * kRows + row] =
          double(p.b.format->widen(four >> (8 * bytes * (k % per_register)) & (bytes == 1 ? 0xff : 0xffff)));
    }
}

// Those that are on their way already, or new ones: what stands in the registers.
AsyncUnits::Sums& AsyncUnits::sums_of(Warp& warp, const Product& p, void* const lanes[32],
                                      std::size_t first) {
  const auto lane = [&](std::size_t i) -> const Product::Lane& {
    return *static_cast<const Product::Lane*>(lanes[i]);
  };
  for (Sums& sums : warp.sums)
    if (sums.to[0] == lane(0).d) return sums;
  if (warp.lanes_fenced != ~0u)
    m_.find("missing_fence", std::int64_t(first), p.b.at.line, p.b.at.file,
            {"block {0}: warp {1} starts a product at line {2} without a fence before it: the tensor cores "
             "may not see the sums that stand in its registers",
             {n(m_.block_), n(std::int64_t(first / kWarp)), n(p.b.at.line)}});
  Sums& sums = warp.sums.emplace_back();
  for (std::size_t i = 0; i < kWarp; ++i) {
    sums.to[i] = lane(i).d;
    sums.d[i].assign(lane(i).d, lane(i).d + p.n / 2);
    for (int r = 0; r < p.n / 2; ++r) lane(i).d[r] = poison(std::size_t(r));
  }
  return sums;
}

void AsyncUnits::hold(Warp& warp, const Product& p, void* const lanes[32], std::uint32_t group) {
  Held& held = warp.held.emplace_back();
  held.group = group, held.at = p.b.at;
  for (std::size_t i = 0; i < kWarp; ++i) {
    held.lanes[i] = *static_cast<const Product::Lane*>(lanes[i]);
    std::copy(held.lanes[i].a, held.lanes[i].a + 4, held.was[i].begin());
  }
}

// The thread has waited for these groups: what they read from its registers is its own again.
void AsyncUnits::return_held(std::size_t thread, std::uint32_t groups) {
  Warp& warp = warps_[thread / kWarp];
  const std::size_t lane = thread % kWarp;
  for (Held& held : warp.held) {
    if (held.group >= groups || held.returned >> lane & 1) continue;
    held.returned |= 1u << lane;
    if (!std::equal(held.was[lane].begin(), held.was[lane].end(), held.lanes[lane].a))
      m_.find(
          "operand_changed", std::int64_t(thread), held.at.line, held.at.file,
          {"block {0}, thread {1}: changes the registers that the product of line {2} reads before it has "
           "waited for it",
           {n(m_.block_), n(std::int64_t(thread)), n(held.at.line)}});
  }
  std::erase_if(warp.held, [](const Held& held) { return held.returned == ~0u; });
}

void AsyncUnits::multiply(const Product& p, void* const lanes[32]) {
  begin();
  const std::size_t first = p.first_thread;
  Thread* const left = current;
  current = &m_.threads_[first];
  Warp& warp = warps_[first / kWarp];
  const std::uint32_t group = committed_[first];
  const int depth = p.b.depth();
  a_.resize(std::size_t(depth * kRows)), b_.resize(std::size_t(depth * p.n)), row_.resize(std::size_t(p.n));
  double *const a = a_.data(), *const b = b_.data(), *const sums_of_row = row_.data();
  read_first_operand(p, lanes, group, a);
  read_operand(p, p.b, 0, p.n, group, b);
  if (p.a_in_registers) hold(warp, p, lanes, group);
  Sums& sums = sums_of(warp, p, lanes, first);
  sums.group = group, sums.at = p.b.at;
  // What is zero adds nothing, but to what is no number.
  const bool numbers = all_finite(a, depth * kRows) && all_finite(b, depth * p.n);
  const int columns = numbers ? columns_used(b, depth, p.n) : p.n;
  for (int row = 0; row < kRows; ++row) {
    const auto d = [&](int col) -> float& {
      return sums.d[row % 8 * 4 + col % 8 / 2][std::size_t(col / 8 * 4 + row / 8 * 2 + col % 2)];
    };
    for (int col = 0; col < p.n; ++col) sums_of_row[col] = p.keep ? double(d(col)) : 0.0;
    for (int k = 0; k < depth; k += 4) {  // one after the other, in registers
      const double a0 = a[k * kRows + row], a1 = a[(k + 1) * kRows + row], a2 = a[(k + 2) * kRows + row],
                   a3 = a[(k + 3) * kRows + row];
      if (numbers && a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0) continue;
      const double *const b0 = b + k * p.n, *const b1 = b0 + p.n, *const b2 = b1 + p.n, *const b3 = b2 + p.n;
      for (int col = 0; col < columns; ++col)
        sums_of_row[col] = sums_of_row[col] + a0 * b0[col] + a1 * b1[col] + a2 * b2[col] + a3 * b3[col];
    }
    for (int col = 0; col < p.n; ++col) d(col) = float(sums_of_row[col]);
  }
  current = left;
}

void AsyncUnits::commit() {
  begin();
  ++committed_[current->linear];
}

bool AsyncUnits::all_committed(std::size_t thread, std::uint32_t groups) const {
  const std::size_t first = thread / kWarpgroup * kWarpgroup, end = std::min(first + kWarpgroup, threads_);
  return std::all_of(committed_.begin() + std::ptrdiff_t(first), committed_.begin() + std::ptrdiff_t(end),
                     [&](std::uint32_t committed) { return committed >= groups; });
}

void AsyncUnits::wait_products(std::uint32_t pending_groups, Where at) {
  begin();
  const std::size_t me = current->linear;
  const std::uint32_t groups = committed_[me] - std::min(committed_[me], pending_groups);
  if (!all_committed(me, groups)) leave({Waiting::For::products, {}, 0, groups, at});
  finish(me, groups);
}

// The first `groups` groups of the thread's warpgroup have ended: what they read is free, and the sums are
// there.
void AsyncUnits::finish(std::size_t thread, std::uint32_t groups) {
  const auto agent = std::uint16_t(group_agent(thread));
  auto& ended = groups_ended_[thread / kWarpgroup];
  if (ended.size() < groups) ended.resize(groups, m_.stamp_);
  entry(thread, agent) = ++m_.stamp_;
  return_held(thread, groups);
  Warp& warp = warps_[thread / kWarp];
  const std::size_t lane = thread % kWarp;
  for (Sums& sums : warp.sums) {
    if (sums.group >= groups || sums.delivered >> lane & 1) continue;
    if (!all_poison(sums.to[lane], sums.d[lane].size()))
      m_.find(
          "product_not_awaited", std::int64_t(thread), sums.at.line, sums.at.file,
          {"block {0}, thread {1}: changes the sums of the product of line {2} before it has waited for them",
           {n(m_.block_), n(std::int64_t(thread)), n(sums.at.line)}});
    std::copy(sums.d[lane].begin(), sums.d[lane].end(), sums.to[lane]);
    sums.delivered |= 1u << lane;
    warp.lanes_fenced &= ~(1u << lane);
  }
  std::erase_if(warp.sums, [](const Sums& sums) { return sums.delivered == ~0u; });
}

// --- when nobody can go on by himself ---

bool AsyncUnits::wake() {
  if (std::all_of(m_.threads_.begin(), m_.threads_.end(), [](const Thread& t) { return t.done(); }))
    return false;
  // What nobody waits for stays on its way: __syncthreads() brings no byte.
  std::set<BarrierName> awaited;
  for (const Waiting& w : waiting_)
    if (w.what == Waiting::For::phase) awaited.insert(w.barrier);
  std::vector<UnderWay> arrived;
  for (UnderWay& u : std::exchange(under_way_, {}))
    (awaited.contains(u.barrier) ? arrived : under_way_).push_back(std::move(u));
  for (const UnderWay& u : arrived) deliver(u);
  for (std::size_t t = 0; t < waiting_.size(); ++t)
    if (waiting_[t].what == Waiting::For::products && all_committed(t, waiting_[t].groups)) go_on(t);
  return std::any_of(m_.threads_.begin(), m_.threads_.end(),
                     [](const Thread& t) { return t.state == Thread::State::ready; });
}

bool AsyncUnits::waits_for_cluster() const {
  const auto others = [&](const Machine* other) { return other != &m_ && !other->ended_; };
  return std::any_of(m_.cluster_.begin(), m_.cluster_.end(), others) &&
         std::any_of(m_.threads_.begin(), m_.threads_.end(),
                     [](const Thread& t) { return t.state == Thread::State::at_units; });
}

bool AsyncUnits::complain_if_stuck() {
  const auto waits = [&](const Thread& t) { return t.state == Thread::State::at_units; };
  const auto found = std::find_if(m_.threads_.begin(), m_.threads_.end(), waits);
  if (found == m_.threads_.end()) return false;
  const Waiting& w = waiting_[found->linear];
  if (w.what == Waiting::For::named) return say_stuck_at_named(*found), true;
  const auto elsewhere = std::find_if(m_.threads_.begin(), m_.threads_.end(), [&](const Thread& t) {
    return !t.done() && t.waiting_line != found->waiting_line;
  });
  const bool two = elsewhere != m_.threads_.end();
  const std::int64_t other = two ? elsewhere->linear : -1;
  const int other_line = two ? elsewhere->waiting_line : 0;
  std::vector<std::string> args{n(m_.block_), n(found->linear), n(w.at.line)};
  if (w.what == Waiting::For::products) {
    m_.find("deadlock", found->linear, w.at.line, w.at.file,
            {"block {0}: nobody can go on. Thread {1} waits at line {2} for products that not all four warps "
             "of its warpgroup have begun",
             args},
            other, other_line);
    return true;
  }
  const Barrier& b = barriers_.at(w.barrier);
  args.insert(args.end(), {b.name, n(b.missing), n(b.arrivals), n(b.bytes)});
  m_.find(
      "deadlock", found->linear, w.at.line, w.at.file,
      b.bytes != 0
          ? Message{"block {0}: nobody can go on. Thread {1} waits at line {2} for {3}, which lacks {4} of "
                    "{5} arrivals and {6} bytes",
                    args}
          : Message{"block {0}: nobody can go on. Thread {1} waits at line {2} for {3}, which lacks {4} of "
                    "{5} arrivals",
                    args},
      other, other_line);
  return true;
}

}  // namespace lockstep::simt
