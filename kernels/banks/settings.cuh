// What every rung of this ladder is launched with. Words are 4 bytes; one block.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int width;                   // bytes per lane and access: 4, 8 or 16
  int stride, offset;          // words
  int pitch, column;           // words
  int divide, modulo;          // lanes that share an element
  bool store;                  // the repeated access writes
  int warps, chains, repeat;   // of the block; independent accesses in a row: 1 or 4; rounds
};

// Calls f with the type of one access, the number of chains and the direction as constants.
template <class F>
void for_access(const Settings& s, F f) {
  const auto with_type = [&](auto word) {
    using Yes = std::true_type;
    using No = std::false_type;
    using One = std::integral_constant<int, 1>;
    using Four = std::integral_constant<int, 4>;
    if (s.chains == 1) s.store ? f(word, One{}, Yes{}) : f(word, One{}, No{});
    else s.store ? f(word, Four{}, Yes{}) : f(word, Four{}, No{});
  };
  if (s.width == 4) with_type(int{});
  else if (s.width == 8) with_type(int2{});
  else with_type(int4{});
}
