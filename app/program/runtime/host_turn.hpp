// Host code may have several threads, each with a stream of its own. What they ask of the runtime happens one
// after another, as everything here does.
#pragma once

namespace lockstep::reader {

// While it lives no other thread of the host is inside the runtime. The same thread may be so again; a
// kernel, whose launch has the turn, takes none.
class HostTurn {
 public:
  HostTurn();
  ~HostTurn();
  HostTurn(const HostTurn&) = delete;
  HostTurn& operator=(const HostTurn&) = delete;

 private:
  bool taken_;
};

// While it lives others have their turn: for what the program itself is called back for, which may wait for
// them.
class OutOfTurn {
 public:
  OutOfTurn();
  ~OutOfTurn();
  OutOfTurn(const OutOfTurn&) = delete;
  OutOfTurn& operator=(const OutOfTurn&) = delete;

 private:
  int depth_;
};

}  // namespace lockstep::reader
