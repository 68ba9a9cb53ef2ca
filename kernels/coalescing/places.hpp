// Where each thread of this folder's kernels finds its floats, by the definition of the rungs: nothing is
// taken from the kernels. Plain C++; what checks them and what draws curves share it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep::coalescing {

constexpr std::int64_t kWarp = 32;         // threads; as many floats are a 128-byte line
constexpr std::int64_t kSectorFloats = 8;  // 32 bytes

inline std::int64_t setting(const Params& params, const char* name, std::int64_t otherwise) {
  const auto at = params.find(name);
  const auto* value = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return value ? *value : otherwise;
}

inline bool one_of(std::string_view rung, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), rung) != names.end();
}

// Floats that a thread writes.
inline std::int64_t floats_out(std::string_view rung, const Params& p) {
  if (rung == "vector") return setting(p, "width", 4) / 4;
  return one_of(rung, {"packed", "aligned"}) ? 4 : 1;
}

// Floats that a thread reads.
inline std::int64_t floats_in(std::string_view rung, const Params& p) {
  return one_of(rung, {"aos", "soa", "aosoa"}) ? setting(p, "read", 1) : floats_out(rung, p);
}

// Floats of a thread's one access.
inline std::int64_t floats_per_access(std::string_view rung, const Params& p) {
  return rung == "packed" ? 1 : floats_out(rung, p);
}

// Of `in`.
inline std::int64_t elements(std::string_view rung, const Params& p) {
  const std::int64_t n = setting(p, "n", 1), fields = setting(p, "fields", 1);
  const std::int64_t rows = (n + kWarp - 1) / kWarp;
  if (rung == "strided") return setting(p, "offset", 0) + (n - 1) * setting(p, "stride", 1) + 1;
  if (rung == "misaligned") return rows * setting(p, "pitch", kWarp);
  if (rung == "aosoa") return rows * kWarp * fields;
  if (one_of(rung, {"aos", "soa"})) return n * fields;
  return n * floats_out(rung, p);
}

// Where thread i finds its k-th float. `from`: a gather's indices.
inline std::int64_t place(std::string_view rung, const Params& p, std::span<const std::int32_t> from,
                          std::int64_t i, std::int64_t k) {
  const std::int64_t fields = setting(p, "fields", 1);
  if (rung == "strided") return setting(p, "offset", 0) + i * setting(p, "stride", 1);
  if (rung == "misaligned") return i / kWarp * setting(p, "pitch", kWarp) + i % kWarp;
  if (rung == "aos") return i * fields + k;
  if (rung == "soa") return k * setting(p, "n", 1) + i;
  if (rung == "aosoa") return (i / kWarp * fields + k) * kWarp + i % kWarp;
  if (rung == "gather") return from[std::size_t(i)];
  return i * floats_out(rung, p) + k;
}

// A parameter that a rung's cost runs over, and where the others that matter stand meanwhile.
struct CurveAxis {
  const char* parameter;
  Params held;
};
inline std::vector<CurveAxis> curve_axes(std::string_view rung) {
  const auto at = [](const char* name, std::int64_t value) { return Params{{name, value}}; };
  if (rung == "strided") return {{"stride", at("offset", 0)}, {"offset", at("stride", 1)}};
  if (rung == "misaligned") return {{"pitch", Params()}};
  if (one_of(rung, {"aos", "soa", "aosoa"})) return {{"read", at("fields", 8)}};
  if (rung == "vector") return {{"width", Params()}};
  if (rung == "gather") return {{"window", Params()}};
  return {};
}

// Whether these settings lie on that curve.
inline bool lies_on(const Params& params, const CurveAxis& axis) {
  return std::all_of(axis.held.begin(), axis.held.end(), [&](const auto& held) {
    const auto at = params.find(held.first);
    return at != params.end() && at->second == held.second;
  });
}

// Sectors that one warp's load asks for, on average over the warps: starts repeat after eight of them at the
// latest, and loads of further fields after eight fields. Of a gather only its indices could say: 0.
inline double sectors_per_load(std::string_view rung, const Params& p) {
  if (rung == "gather") return 0;
  const std::int64_t wide = floats_per_access(rung, p), loads = floats_in(rung, p) / wide;
  std::int64_t sectors = 0, requests = 0;
  for (std::int64_t warp = 0; warp < kSectorFloats; ++warp)
    for (std::int64_t load = 0; load < loads; ++load, ++requests) {
      std::set<std::int64_t> touched;
      for (std::int64_t lane = 0; lane < kWarp; ++lane)
        touched.insert(place(rung, p, {}, warp * kWarp + lane, load * wide) / kSectorFloats);
      sectors += std::int64_t(touched.size());
    }
  return double(sectors) / double(requests);
}

}  // namespace lockstep::coalescing
