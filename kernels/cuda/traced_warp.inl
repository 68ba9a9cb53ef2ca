// Warp collectives and atomics of the traced dialect: recorded, then CUDA's own. Included by traced.cuh inside lab.

LAB_DEVICE void record_collective(int line, std::uint16_t file) {
  record(0, file, std::uint16_t(line), 0, 0, Kind::warp_sync);
}

#define LAB_SITE int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())
#define LAB_SHUFFLE(name)                                                              \
  template <class T>                                                                   \
  LAB_DEVICE T name(unsigned mask, T x, int argument, int width = 32, LAB_SITE) {      \
    record_collective(line, file);                                                     \
    return ::name(mask, x, argument, width);                                           \
  }
LAB_SHUFFLE(__shfl_sync)
LAB_SHUFFLE(__shfl_up_sync)
LAB_SHUFFLE(__shfl_down_sync)
LAB_SHUFFLE(__shfl_xor_sync)
#undef LAB_SHUFFLE

#define LAB_MEET(result, name, argument)                           \
  LAB_DEVICE result name(unsigned mask, argument x, LAB_SITE) {    \
    record_collective(line, file);                                 \
    return ::name(mask, x);                                        \
  }
LAB_MEET(int, __any_sync, int)
LAB_MEET(int, __all_sync, int)
LAB_MEET(unsigned, __ballot_sync, int)
#if __CUDA_ARCH__ >= 800
LAB_MEET(unsigned, __reduce_add_sync, unsigned)
LAB_MEET(unsigned, __reduce_min_sync, unsigned)
LAB_MEET(unsigned, __reduce_max_sync, unsigned)
LAB_MEET(int, __reduce_add_sync, int)
LAB_MEET(int, __reduce_min_sync, int)
LAB_MEET(int, __reduce_max_sync, int)
LAB_MEET(unsigned, __reduce_and_sync, unsigned)
LAB_MEET(unsigned, __reduce_or_sync, unsigned)
LAB_MEET(unsigned, __reduce_xor_sync, unsigned)
#endif
#undef LAB_MEET
template <class T>
LAB_DEVICE unsigned __match_any_sync(unsigned mask, T x, LAB_SITE) {
  record_collective(line, file);
  return ::__match_any_sync(mask, x);
}
template <class T>
LAB_DEVICE unsigned __match_all_sync(unsigned mask, T x, int* alike, LAB_SITE) {
  record_collective(line, file);
  return ::__match_all_sync(mask, x, alike);
}
LAB_DEVICE void __syncwarp(unsigned mask = ~0u, LAB_SITE) {
  record_collective(line, file);
  ::__syncwarp(mask);
}
#undef LAB_SITE

// What an atomic on global memory gives: one whose result nobody asks for is a reduction (RED).
template <class T>
class TracedAtomic {
 public:
  LAB_DEVICE TracedAtomic(T old, Access* event) : old_(old), event_(event) {}
  LAB_DEVICE operator T() const {
    if (event_) event_->kind = Kind::atomic;
    return old_;
  }

 private:
  T old_;
  Access* event_;
};
template <class Ref>
LAB_DEVICE Access* record_atomic(const TracedPointer<Ref>& at) {
  const bool shared = at.ref.view >= lockstep::kFirstSharedView;
  return record(at.ref.at, at.ref.view, at.ref.offset, sizeof(typename Ref::Value),
                shared ? Kind::atomic : Kind::reduction);
}
#define LAB_ATOMIC(name)                                                                             \
  template <class Ref>                                                                               \
  LAB_DEVICE TracedAtomic<typename Ref::Value> name(TracedPointer<Ref> at, typename Ref::Value x) {  \
    Access* const event = record_atomic(at);                                                         \
    return {::name(at.ref.address, x), event};                                                       \
  }
LAB_ATOMIC(atomicAdd)
LAB_ATOMIC(atomicSub)
LAB_ATOMIC(atomicExch)
LAB_ATOMIC(atomicMin)
LAB_ATOMIC(atomicMax)
LAB_ATOMIC(atomicInc)
LAB_ATOMIC(atomicDec)
LAB_ATOMIC(atomicAnd)
LAB_ATOMIC(atomicOr)
LAB_ATOMIC(atomicXor)
#undef LAB_ATOMIC
template <class Ref>
LAB_DEVICE TracedAtomic<typename Ref::Value> atomicCAS(TracedPointer<Ref> at, typename Ref::Value compare,
                                                       typename Ref::Value x) {
  Access* const event = record_atomic(at);
  return {::atomicCAS(at.ref.address, compare, x), event};
}
template <class Ref>
LAB_DEVICE typename Ref::Value __ldg(TracedPointer<Ref> at) {
  return at.ref.load();
}
template <class Ref>
LAB_DEVICE typename Ref::Value __ldcg(TracedPointer<Ref> at) {
  return at.ref.load(Kind::load_l2);
}
template <class Ref>
LAB_DEVICE void __stcs(TracedPointer<Ref> at, typename Ref::Value x) {
  at.ref.store(x);
}
