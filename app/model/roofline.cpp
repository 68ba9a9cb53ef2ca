#include "roofline.hpp"

namespace lockstep {

double product_intensity(double m, double n, double k, double element_bytes) {
  return 2 * m * n * k / ((m * k + k * n + m * n) * element_bytes);
}

}  // namespace lockstep
