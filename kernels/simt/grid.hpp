// Runs the blocks of a launch and folds them, several beside each other where none sees another's writes,
// with the same outcome as in order, to the last byte, for any number of threads.
//
// Blocks run in rounds. In a round each block sees global memory as the round found it, keeps its writes to
// itself, and is folded as far as it hangs on nothing but itself. Then, in the order of the blocks, each is
// taken as it is if it read nothing that an earlier block of the round wrote: in its turn it would have done
// the same. Its writes are put in place, an atomic whose result nobody used as the change that it is. From
// the first block that did read such a thing the round is thrown away, and that block runs again in its turn.
// A launch in which this happens again and again goes on in order to its end (ran_in_order()).
//
// Blocks that wait for one another (Config::waits) or form clusters (Config::cluster) are under way in waves,
// in turns from barrier to barrier. Who comes first in a round is drawn, the same way each time: on a GPU it
// is no particular one either.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "app/model/grid_fold.hpp"
#include "machine.hpp"

namespace lockstep::simt {

class Grid {
 public:
  // Called after each block, in order, by the caller's thread; false stops the launch.
  using OnBlock = std::function<bool()>;
  explicit Grid(Options options, int threads);
  ~Grid();

  // False if it was refused, stopped or waits for other blocks. The buffers behind the kernel's views must
  // not overlap. Without a fold, and where Options names blocks or wants no trace, blocks run in order.
  bool launch(const Config& config, const std::function<void()>& kernel, GridFold* fold,
              const OnBlock& on_block);

  const Told& told() const { return told_; }
  // What waits for other blocks; "" = nothing.
  const std::string& refused() const { return refused_; }
  const SharedViews& shared_views() const { return views_; }
  const SourceFiles& source_files() const { return files_; }
  std::uint64_t accesses() const { return accesses_; }        // events of the blocks that ran
  std::uint64_t most_events() const { return most_events_; }  // of one thread of one block
  std::uint64_t most_copies() const { return most_copies_; }
  // Launches so far in which blocks saw each other's writes, as far as running beside each other showed it.
  int ran_in_order() const { return ran_in_order_; }

 private:
  struct Slot;
  using Slots = std::vector<std::unique_ptr<Slot>>;
  struct Running {
    const Config& config;
    const std::function<void()>& kernel;
    GridFold* fold;
    const OnBlock& on_block;
    std::int64_t blocks;
  };
  bool in_turn(const Running& running, std::int64_t block);
  bool beside_each_other(const Running& running);
  bool in_waves(const Running& running);
  Machine& machine_of(const Running& running, int worker);
  void run_apart(const Running& running, int worker, std::int64_t block, Slot& slot);
  std::size_t put_in_place_in_order(Slots& round, std::size_t count);
  bool commit(const Running& running, Slots& round, std::size_t count);
  bool commit(const Running& running, Slot& slot);
  std::size_t most_at_once(const Slots& round, std::size_t count) const;

  Options options_;
  int threads_;
  // Of each worker, made when it first has a block to run; the first one's also runs blocks in their turn.
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<std::unique_ptr<Machine>> wave_;  // of the blocks of a wave
  std::vector<BlockFold> folds_;
  std::vector<char> begun_;  // this launch, by worker (no bits: each worker writes its own)
  Told told_;
  std::string refused_;
  SharedViews views_;
  SourceFiles files_;
  std::vector<SharedDeclaration> declared_;  // by the blocks of this launch whose turn has been
  std::uint64_t accesses_ = 0, most_events_ = 0, most_copies_ = 0, largest_block_ = 0, most_events_apart_ = 0;
  int ran_in_order_ = 0;
  std::unique_ptr<Slot> turn_;
};

}  // namespace lockstep::simt
