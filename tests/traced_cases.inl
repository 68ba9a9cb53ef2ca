// What is traced alike on a GPU and by the emulator: a name and the hash of the events. Included by the tests of both,
// with a Probe, a traced() that runs a kernel and an on_device() that makes a view.
template <class T, int kDimensions>
EventHash traced_land(const TensorCase& c) {
  const auto data = on_device<const T>(numbered_words(c.elements() * sizeof(T)), 0);
  const auto out = on_device<unsigned>(std::vector<std::uint32_t>(kTileBytes / 4), 1);
  const auto t = lab::tensor<const T, kDimensions>(data, shape_of<kDimensions>(c.extent), shape_of<kDimensions>(c.box), c.swizzle);
  return traced(1, kTileBytes, land_tensor<T, kDimensions, Probe>, t, out, c.at(), int(c.tensor().bytes()), 0);
}
template <class T, int kDimensions, Reduction kHow>
EventHash traced_send(const TensorCase& c) {
  const int count = c.tile_elements();
  const auto from = on_device<const T>(numbered_words(std::size_t(2 * count) * sizeof(T)), 0);
  const auto to = on_device<T>(numbered_words(c.elements() * sizeof(T)), 1);
  const auto t = lab::tensor<T, kDimensions>(to, shape_of<kDimensions>(c.extent), shape_of<kDimensions>(c.box), c.swizzle);
  return traced(2, kTileBytes, send_tensor<T, kDimensions, kHow, Probe>, t, from, c.at(true), count);
}
template <class T, Reduction kHow>
EventHash traced_bytes() {
  constexpr int kCount = 1024;
  const auto from = on_device<const T>(numbered_words(2 * kCount * sizeof(T)), 0);
  const auto to = on_device<T>(numbered_words(2 * kCount * sizeof(T)), 1);
  return traced(2, kTileBytes, send_bytes<T, kHow, Probe>, from, to, kCount);
}
template <class T, int kN, bool kByColumns, bool kInRegisters>
EventHash traced_product() {
  constexpr int kK = 128 / int(sizeof(T));
  const auto a = on_device<const T>(operand(sizeof(T), 64, kK, true, true, 1), 0);
  const auto b = on_device<const T>(operand(sizeof(T), kN, kK, false, true, 2), 1);
  const auto words = on_device<const unsigned>(operand(sizeof(T), 64, kK, true, true, 1), 2);
  const auto c = on_device<float>(std::vector<std::uint32_t>(64 * kN), 3);
  const auto boxed_a = lab::boxes<const T>(a, 64, kK, 64);
  const auto boxed_b = kByColumns ? lab::boxes<const T>(b, kK, kN, 64) : lab::boxes<const T>(b, kN, kK, kN);
  return traced(1, (64 + kN) * 128, product_of<T, kN, kByColumns, kInRegisters, Probe>, boxed_a, boxed_b, words, c);
}

struct TracedCase {
  std::string name;
  EventHash events;
};
std::vector<TracedCase> traced_cases() {
  std::vector<TracedCase> all;
  const auto cases = tensor_cases();
  const auto add = [&](std::string name, const EventHash& events) { all.push_back({std::move(name), events}); };
  add("land 1", traced_land<float, 1>(cases[1]));
  add("land 2", traced_land<float, 1>(cases[2]));
  add("land 9", traced_land<float, 2>(cases[9]));
  add("land 11", traced_land<std::uint16_t, 2>(cases[11]));
  add("land 13", traced_land<std::uint8_t, 2>(cases[13]));
  add("land 14", traced_land<float, 2>(cases[14]));
  add("land 18", traced_land<std::uint16_t, 3>(cases[18]));
  add("land 22", traced_land<std::uint8_t, 4>(cases[22]));
  add("land 24", traced_land<float, 5>(cases[24]));
  add("land 27", traced_land<float, 5>(cases[27]));
  add("land 28", traced_land<float, 2>(cases[28]));
  add("land 29", traced_land<std::uint16_t, 3>(cases[29]));
  add("store 8", traced_send<float, 2, Reduction::none>(cases[8]));
  add("store 25", traced_send<std::uint16_t, 5, Reduction::none>(cases[25]));
  add("add 9", traced_send<float, 2, Reduction::add>(cases[9]));
  add("max 21", traced_send<std::uint16_t, 4, Reduction::max>(cases[21]));
  add("bytes store", traced_bytes<float, Reduction::none>());
  add("bytes min", traced_bytes<int, Reduction::min>());
  add("half columns", traced_product<half, 64, true, false>());
  add("half registers", traced_product<half, 64, true, true>());
  add("e5m2 rows", traced_product<lab::e5m2, 64, false, false>());
  add("e5m2 registers", traced_product<lab::e5m2, 64, false, true>());
  const auto data = on_device<int>(std::vector<std::uint32_t>(512), 0), out = on_device<int>(std::vector<std::uint32_t>(512), 1);
  add("named", traced(1, 0, named<Named::right, Probe>, data, 7));
  add("writes first", traced(4, 0, writes_first<Probe>, data, 500));
  add("reads then", traced(4, 0, reads_then<Probe>, data, out, 500));
  return all;
}
