// Which kernel a case of tensor_cases.hpp is; landed() and sent() run it. Included by the tests of the emulator and of
// the GPU, each with its own.
template <class T, class F>
std::vector<std::uint32_t> by_dimensions(int dimensions, F run) {
  switch (dimensions) {
    case 1:
      return run(std::integral_constant<int, 1>{});
    case 2:
      return run(std::integral_constant<int, 2>{});
    case 3:
      return run(std::integral_constant<int, 3>{});
    case 4:
      return run(std::integral_constant<int, 4>{});
    default:
      return run(std::integral_constant<int, 5>{});
  }
}

std::vector<std::uint32_t> land_case(const TensorCase& c, int bytes, int first_word = 0) {
  const auto of = [&](auto element) {
    using T = decltype(element);
    return by_dimensions<T>(c.dimensions, [&](auto d) { return landed<T, d()>(c, bytes, first_word); });
  };
  if (c.element_bytes == 1) return of(std::uint8_t{});
  if (c.element_bytes == 2) return of(std::uint16_t{});
  return of(float{});
}

std::vector<std::uint32_t> store_case(const TensorCase& c, BoxPlace place) {
  const std::vector<std::uint32_t> before((c.elements() * std::size_t(c.element_bytes) + 3) / 4, 0xeeeeeeeeu);
  const int count = c.tile_elements();
  const auto of = [&](auto element) {
    using T = decltype(element);
    return by_dimensions<T>(c.dimensions, [&](auto d) {
      return sent<T, d(), Reduction::none>(c, numbered_words(std::size_t(count * c.element_bytes)), before, count, 1, place);
    });
  };
  if (c.element_bytes == 1) return of(std::uint8_t{});
  if (c.element_bytes == 2) return of(std::uint16_t{});
  return of(float{});
}

template <class T, Reduction kHow>
std::vector<std::uint32_t> reduce_as(const ReductionCase& r) {
  const TensorCase c = tensor_cases()[std::size_t(r.box)];
  const int count = c.tile_elements();
  return by_dimensions<T>(c.dimensions, [&](auto d) {
    return sent<T, d(), kHow>(c, small_values(r.element, std::size_t(count * r.blocks), 1),
                              small_values(r.element, c.elements(), 2), count, r.blocks, c.at(true));
  });
}
template <class T>
std::vector<std::uint32_t> reduce_narrow(const ReductionCase& r) {
  switch (r.how) {
    case Reduction::add:
      return reduce_as<T, Reduction::add>(r);
    case Reduction::min:
      return reduce_as<T, Reduction::min>(r);
    default:
      return reduce_as<T, Reduction::max>(r);
  }
}
template <class T>
std::vector<std::uint32_t> reduce_whole(const ReductionCase& r) {
  switch (r.how) {
    case Reduction::bit_and:
      return reduce_as<T, Reduction::bit_and>(r);
    case Reduction::bit_or:
      return reduce_as<T, Reduction::bit_or>(r);
    case Reduction::bit_xor:
      return reduce_as<T, Reduction::bit_xor>(r);
    default:
      return reduce_narrow<T>(r);
  }
}
std::vector<std::uint32_t> reduce_case(const ReductionCase& r) {
  switch (r.element) {
    case Element::f32:
      return reduce_as<float, Reduction::add>(r);
    case Element::f16:
      return reduce_narrow<half>(r);
    case Element::bf16:
      return reduce_narrow<lab::bf16>(r);
    case Element::s32:
      return reduce_whole<int>(r);
    default:
      return reduce_whole<unsigned>(r);
  }
}
