// What the kernels of this ladder and its table agree on.
#pragma once

namespace lab {

constexpr int kTrips = 4;           // units of 16 bytes that a thread of the copies takes
constexpr int kInputColumns = 512;  // of the products: a column of numbers per thread, over and over
constexpr int kRows = 8, kCols = 12;
constexpr int kElements = 8192;  // that are copied; threads of the products
constexpr int kSteps = 8;        // of the products

}  // namespace lab
