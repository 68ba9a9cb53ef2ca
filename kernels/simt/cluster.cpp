// Blocks of a cluster: the barrier that all of their threads pass, and the shared memory of one that another
// reads. CUDA C++ Programming Guide, "Thread Block Clusters" and "Distributed Shared Memory".
#include <algorithm>

#include "machine.hpp"
#include "turns.hpp"

namespace lockstep::simt {
namespace {
std::string n(std::int64_t x) { return std::to_string(x); }
}  // namespace

void Machine::join(std::vector<Machine*> cluster, std::size_t rank) {
  cluster_ = std::move(cluster), rank_ = rank;
  met_ = cluster_epoch_ = 0, ended_ = meets_cluster_ = false;
  far_reads_.clear();
}

void Machine::cluster_barrier(const char* file, int line) {
  meets_cluster_ = true;
  barrier(file, line);
}

// All threads of this block have come: what others read of it up to here, it may not have written; then the
// other blocks come, or have ended, which counts as coming.
void Machine::meet_cluster() {
  check_far_reads();
  ++met_, cluster_epoch_ = epoch_;
  for (const Machine* other : cluster_)
    while (other->met_ < met_ && !other->ended_ && turns_) turns_->leave();
}

// What others have read and this block has written since, with no barrier of the cluster between.
void Machine::check_far_reads() {
  for (const FarRead& read : far_reads_)
    if (read.cell->write_epoch >= std::max(cluster_epoch_, block_epoch_))
      find("race", read.cell->writer, read.cell->writer_line, read.file,
           {"block {0}: thread {1} writes at line {2} what thread {3} of block {4} reads at line {5}, and no "
            "barrier of the cluster is between them",
            {n(block_), n(read.cell->writer), n(read.cell->writer_line), n(read.thread), n(read.block),
             n(read.line)}},
           read.thread, read.line);
  far_reads_.clear();
}

SharedArray* Machine::array_of(std::uint16_t view) {
  for (const auto& array : arrays_)
    if (array->id == view) return array.get();
  return nullptr;
}

const std::uint8_t* Machine::in_block(std::size_t rank, SharedArray& array, std::int64_t offset,
                                      std::uint32_t bytes, std::uint16_t file, int line) {
  meet_others();
  const std::string me = n(current->linear), here = n(line);
  if (rank >= cluster_size()) {
    find("cluster_rank", current->linear, line, file,
         {"block {0}, thread {1}, line {2}: asks for block {3} of a cluster of {4}",
          {n(block_), me, here, n(std::int64_t(rank)), n(std::int64_t(cluster_size()))}});
    return nullptr;
  }
  if (rank == rank_)
    return !options_.checks || check_shared(array, offset, bytes, file, line, Kind::load)
               ? array.data + offset
               : nullptr;
  Machine& other = *cluster_[rank];
  SharedArray* const theirs = met_ > 0 ? other.array_of(array.id) : nullptr;
  if (!theirs || other.ended_) {
    find(theirs ? "block_ended" : "block_not_begun", current->linear, line, file,
         theirs ? Message{"block {0}, thread {1}, line {2}: reads shared memory of block {3}, which may have "
                          "ended by then: a barrier of the cluster has to come behind the last read",
                          {n(block_), me, here, n(other.block_)}}
                : Message{"block {0}, thread {1}, line {2}: reads shared memory of block {3} of its cluster, "
                          "which may not have begun: a barrier of the cluster has to come before",
                          {n(block_), me, here, n(std::int64_t(rank))}});
    return nullptr;
  }
  if (offset < 0 || std::uint64_t(offset) + bytes > theirs->bytes || offset % bytes != 0) {
    check_shared(array, offset, bytes, file, line, Kind::load);
    return nullptr;
  }
  const std::uint64_t last = (std::uint64_t(offset) + bytes - 1) / theirs->cell_bytes;
  for (std::uint64_t c = std::uint64_t(offset) / theirs->cell_bytes; c <= last && options_.checks; ++c) {
    const Cell& cell = theirs->cells[c];
    if (cell.write_epoch < other.block_epoch_)
      find("uninitialised", current->linear, line, file,
           {"block {0}, thread {1}, line {2}: reads shared memory of block {3} that nobody has written",
            {n(block_), me, here, n(other.block_)}});
    else if (cell.write_epoch >= other.cluster_epoch_)
      race({"block {0}: thread {1} reads at line {2} what thread {3} of block {4} writes at line {5}, and no "
            "barrier of the cluster is between them",
            {n(block_), me, here, n(cell.writer), n(other.block_), n(cell.writer_line)}},
           line, file, cell.writer, cell.writer_line);
    other.far_reads_.push_back({&cell, block_, current->linear, file, line});
  }
  return theirs->data + offset;
}

}  // namespace lockstep::simt
