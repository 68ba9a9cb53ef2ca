#include "counted_operations.hpp"

#include <vector>

namespace lockstep {
namespace {

using lab::Counted, lab::CountedElement, lab::CountedWork, lab::Counting;

// An array in memory whose elements count.
class Array {
 public:
  Array(std::int64_t n, int element_bytes) : data_(std::size_t(n)), element_bytes_(element_bytes) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = float(i % 7) * 0.25f;
  }
  CountedElement operator[](std::int64_t i) { return {data_[std::size_t(i)], element_bytes_}; }
  // All of it, read once into registers.
  std::vector<Counted> load() {
    std::vector<Counted> row;
    for (std::size_t i = 0; i < data_.size(); ++i) row.push_back(Counted((*this)[std::int64_t(i)]));
    return row;
  }

 private:
  std::vector<float> data_;
  const int element_bytes_;
};

void vector_add(Array& a, Array& b, Array& sum) { sum[0] = Counted(a[0]) + Counted(b[0]); }

void relu(Array& in, Array& out) { out[0] = max(Counted(in[0]), Counted(0)); }

void softmax(Array& in, Array& out, std::int64_t n) {
  std::vector<Counted> row = in.load();
  Counted largest = row[0], sum = 0;
  for (std::int64_t i = 1; i < n; ++i) largest = max(largest, row[std::size_t(i)]);
  for (Counted& x : row) x = exp(x - largest);
  for (const Counted& x : row) sum += x;
  for (std::int64_t i = 0; i < n; ++i) out[i] = row[std::size_t(i)] / sum;
}

// Scale and shift are the same for every row: they are read once for all of them, and not counted here.
void layernorm(Array& in, Array& out, std::int64_t n) {
  const std::vector<Counted> row = in.load();
  const Counted scale = 1.5f, shift = 0.5f, epsilon = 1e-5f;
  Counted sum = 0, squares = 0;
  for (const Counted& x : row) sum += x;
  const Counted mean = sum / Counted(float(n));
  for (const Counted& x : row) {
    const Counted distance = x - mean;
    squares = fma(distance, distance, squares);
  }
  const Counted inverse = Counted(1) / sqrt(squares / Counted(float(n)) + epsilon);
  for (std::int64_t i = 0; i < n; ++i) out[i] = (row[std::size_t(i)] - mean) * inverse * scale + shift;
}

// One element of the product: a row of A times a column of B.
Counted dot(const std::vector<Counted>& row, const std::vector<Counted>& column) {
  Counted sum = 0;
  for (std::size_t k = 0; k < row.size(); ++k) sum = fma(row[k], column[k], sum);
  return sum;
}

CountedWork times(CountedWork work, std::int64_t count) {
  const auto n = std::uint64_t(count);
  return {work.additions * n, work.multiplications * n, work.divisions * n,    work.comparisons * n,
          work.functions * n, work.bytes_read * n,      work.bytes_written * n};
}

// Every element of the product costs the same: one is counted. Of each row of A and column of B, read once
// for the whole product, one is counted too.
CountedWork gemm(std::int64_t n, int element_bytes) {
  Array a(n, element_bytes), b(n, element_bytes), c(1, element_bytes);
  CountedWork loads, element;
  std::vector<Counted> row, column;
  {
    const Counting counting(loads);
    row = a.load(), column = b.load();
  }
  {
    const Counting counting(element);
    c[0] = dot(row, column);
  }
  CountedWork all = times(element, n * n);
  all.bytes_read = loads.bytes_read * std::uint64_t(n);
  return all;
}

}  // namespace

std::optional<CountedWork> counted_operation(std::string_view name, std::int64_t n, int element_bytes) {
  if (name == "gemm") return gemm(n, element_bytes);
  const bool by_element = name == "vector_add" || name == "relu";
  const std::int64_t length = by_element ? 1 : n;
  Array in(length, element_bytes), other(length, element_bytes), out(length, element_bytes);
  CountedWork work;
  const Counting counting(work);
  if (name == "vector_add")
    vector_add(in, other, out);
  else if (name == "relu")
    relu(in, out);
  else if (name == "softmax")
    softmax(in, out, n);
  else if (name == "layernorm")
    layernorm(in, out, n);
  else
    return {};
  return by_element ? times(work, n) : work;
}

}  // namespace lockstep
