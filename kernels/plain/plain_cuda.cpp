#include "plain_cuda.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "directives.hpp"
#include "edited_text.hpp"
#include "launches.hpp"
#include "notes.hpp"

namespace lockstep {
namespace {

using Range = EditedText::Range;

// The names of the template parameter that a kernel's build is chosen by.
std::set<std::string> probes_of(const EditedText& code) {
  std::set<std::string> names{"P"};
  for (int i = 0; i < code.size(); ++i) {
    if (!code.is(i, "View") && !code.is(i, "Launcher")) continue;
    const int open = code.next(i), close = code.is(open, "<") ? code.close_angle(open) : -1;
    if (close < 0) continue;
    const auto all = code.arguments(open, close);
    if (!all.empty() && all.back().first == all.back().second)
      names.insert(std::string(code[all.back().first].text));
  }
  return names;
}

// template <int kTile, class P> and gemm<kTile, P>: without the probe.
void drop_probe(EditedText& code, const std::set<std::string>& probes) {
  const auto is_probe = [&](Range r) {
    if (code.is(r.first, "class") || code.is(r.first, "typename")) r.first = code.next(r.first);
    return r.first == r.second && code.word(r.first) && probes.contains(std::string(code[r.first].text));
  };
  for (int i = 0; i < code.size(); ++i) {
    const int open = code.word(i) ? code.next(i) : code.size();
    if (!code.is(open, "<") || code.is(i, "View")) continue;
    const int close = code.close_angle(open);
    if (close < 0) continue;
    const auto all = code.arguments(open, close);
    const auto dropped = std::count_if(all.begin(), all.end(), is_probe);
    if (dropped == 0) continue;
    if (dropped == std::ptrdiff_t(all.size())) {
      code.drop(code.is(i, "template") ? i : open, close);
      if (code.live(close + 1) && code[close + 1].kind == TokenKind::space && code.is(i, "template"))
        code.drop(close + 1);
    } else {
      for (const Range& r : all)
        if (is_probe(r)) code.drop_from_list(r);
    }
  }
}

// An array or pointer of the kernel, as declared.
struct Array {
  std::string type, pitch;  // pitch: elements per row; "" = one dimension
};

int size_of(const std::string& type) {
  static const std::map<std::string, int> sizes{
      {"e4m3", 1},   {"bf16", 2},     {"half", 2},   {"nv_bfloat16", 2}, {"float", 4},
      {"int", 4},    {"unsigned", 4}, {"float2", 8}, {"int2", 8},        {"uint2", 8},
      {"double", 8}, {"float4", 16},  {"int4", 16},  {"uint4", 16}};
  const auto at = sizes.find(type);
  return at == sizes.end() ? 0 : at->second;
}

bool simple(const std::string& expression) {
  return std::all_of(expression.begin(), expression.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}
std::string factor(const std::string& expression) {
  return simple(expression) ? expression : "(" + expression + ")";
}

// How many elements of `wide` stand in a row of `pitch` elements of `type`.
std::string wide_pitch(const Array& array, const std::string& wide) {
  const int from = size_of(array.type), to = size_of(wide);
  if (from == 0 || to == 0)
    return factor(array.pitch) + " * sizeof(" + array.type + ") / sizeof(" + wide + ")";
  if (from == to) return array.pitch;
  return factor(array.pitch) + (from < to ? " / " : " * ") +
         std::to_string(from < to ? to / from : from / to);
}

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

// Declarations of memory and accesses to it.
class Memory {
 public:
  explicit Memory(EditedText& code) : code_(code) {}
  void run() {
    for (int i = 0; i < code_.size(); ++i) {
      if (code_.is(i, "}") && depth(i) == 0) arrays_.clear(), dynamic_declared_ = false;
      if (!code_.word(i)) continue;
      const int open = code_.next(i);
      if (code_.is(i, "View"))
        view(i, open);
      else if (code_.is(i, "SHARED"))
        shared(i, open);
      else if (code_.is(i, "DYNAMIC_SHARED"))
        dynamic_shared(i, open, 16);
      else if (code_.is(i, "DYNAMIC_BOXES"))
        boxed_shared(i, open);
      else if (code_.is(i, "DYNAMIC_CHUNKS"))
        dynamic_shared(i, open, 1024);
      else if (code_.is(i, "SHARED_BARRIERS"))
        shared_barriers(i, open);
      else if (code_.is(i, "Boxes"))
        boxes(i, open);
      else if (code_.is(i, "as"))
        as(i, open);
      else
        call(i, open);
    }
  }

 private:
  int depth(int i) {
    while (counted_ <= i) {
      if (code_.is(counted_, "{")) ++depth_;
      if (code_.is(counted_, "}")) --depth_;
      ++counted_;
    }
    return depth_;
  }
  std::vector<Range> call_arguments(int open) const {
    if (!code_.is(open, "(") || code_.partner(open) < 0) return {};
    return code_.arguments(open, code_.partner(open));
  }

  // View<const float, P> in: const float* __restrict__ in
  void view(int i, int open) {
    const int close = code_.is(open, "<") ? code_.close_angle(open) : -1;
    if (close < 0) return;
    const auto all = code_.arguments(open, close);
    if (all.empty()) return;
    const std::string type = code_.text(all[0]);
    if (const int name = code_.next(close); code_.word(name))
      arrays_[std::string(code_[name].text)] = {without_const(type), ""};
    code_.drop(i, open);
    code_.drop(all[0].second + 1, close);
    code_.put_after(all[0].second, "* __restrict__");
  }

  // Arrays that are read as wider elements, or handed on, start at multiples of 16 bytes, as the dialect's
  // do; so do those that end at none, and what follows them. So do rows whose length a template sets, unless
  // they are padded: where they are whole 16 bytes, the compiler reads four elements at once if the first row
  // begins at such a multiple.
  bool wants_alignment(int name, const std::string& type, const std::string& elements,
                       const std::string& pitch) const {
    const auto is_number = [](const std::string& text) {
      return !text.empty() && text.size() < 5 && text.find_first_not_of("0123456789") == text.npos;
    };
    if (is_number(elements) && std::stoi(elements) * size_of(type) % 16 != 0) return true;
    if (!pitch.empty() && !is_number(pitch) && pitch.find('+') == pitch.npos) return true;
    for (int i = name + 1; i < code_.size(); ++i) {
      const bool function_ends = code_.is(i, "}") && i > 0 && code_[i - 1].kind == TokenKind::newline;
      if (function_ends) return false;
      if (code_.word(i) && code_[i].text == code_[name].text && !code_.is(code_.next(i), "[")) return true;
    }
    return false;
  }

  // SHARED(float, tile, 32, 33): __shared__ float tile[32][33]
  void shared(int i, int open) {
    const auto all = call_arguments(open);
    if (all.size() < 3 || all.size() > 5) return;
    const int close = code_.partner(open);
    const std::string type = code_.text(all[0]), name = code_.text(all[1]);
    const Array array{type, all.size() > 3 ? code_.text(all[3]) : ""};
    arrays_[name] = array;
    const std::string elements = all.size() == 3 ? code_.text(all[2]) : "";
    const bool aligned = size_of(type) < 16 && wants_alignment(all[1].first, type, elements, array.pitch);
    const std::string storage = aligned ? "__shared__ alignas(16) " : "__shared__ ";
    if (all.size() == 5) {
      const std::string tile = "SwizzledTile<" + type + ", " + array.pitch + ", " + code_.text(all[4]) + ">";
      const std::string rows = factor(code_.text(all[2]));
      code_.drop(i, close);
      code_.put_before(i, "__shared__ alignas(16) " + type + " " + name + "_storage[" + rows + " * " +
                              factor(array.pitch) + "]; const " + tile + " " + name + "{" + name +
                              "_storage}");
      return;
    }
    code_.replace(i, storage), code_.drop(open);
    code_.drop(all[0].second + 1, all[1].first - 1), code_.put_after(all[0].second, " ");
    for (std::size_t d = 2; d < all.size(); ++d) {
      code_.drop(all[d - 1].second + 1, all[d].first - 1);
      code_.put_before(all[d].first, d == 2 ? "[" : "][");
    }
    code_.replace(close, "]");
  }

  // SHARED_BARRIERS(full, 4): __shared__ std::uint64_t full[4]
  void shared_barriers(int i, int open) {
    const auto all = call_arguments(open);
    if (all.size() != 2) return;
    const std::string name = code_.text(all[0]), size = code_.text(all[1]);
    code_.drop(i, code_.partner(open));
    code_.put_before(i, "__shared__ std::uint64_t " + name + "[" + size + "]");
  }

  // Boxes<const bf16, P> a: CUtensorMap a
  void boxes(int i, int open) {
    const int close = code_.is(open, "<") ? code_.close_angle(open) : -1;
    if (close < 0) return;
    code_.replace(i, "CUtensorMap");
    code_.drop(open, close);
  }

  // DYNAMIC_SHARED(float, tile, rows, pitch, byte): a pointer to rows of `pitch`, from that byte on;
  // DYNAMIC_CHUNKS likewise
  void dynamic_shared(int i, int open, int alignment, const std::string& fixed_pitch = "") {
    const auto all = call_arguments(open);
    if (all.size() != (fixed_pitch.empty() ? 5 : 4)) return;
    const std::string type = code_.text(all[0]), name = code_.text(all[1]),
                      pitch = fixed_pitch.empty() ? code_.text(all[3]) : fixed_pitch;
    const std::string byte = code_.text(all.back());
    arrays_[name] = {type, pitch};
    code_.drop(i, code_.partner(open));
    std::string text;
    if (!dynamic_declared_)
      text = "extern __shared__ __align__(" + std::to_string(alignment) +
             ") unsigned char dynamic_shared[];\n" + indentation(i);
    dynamic_declared_ = true;
    const bool sum = byte.find_first_of("?<>&|^") == byte.npos;
    const std::string from = byte == "0" ? "" : " + " + (sum ? byte : "(" + byte + ")");
    code_.put_before(i, text + "const auto " + name + " = reinterpret_cast<" + type + " (*)[" + pitch +
                            "]>(dynamic_shared" + from + ")");
  }
  // DYNAMIC_BOXES(bf16, tile, rows, byte): a pointer to rows of 128 bytes, as boxes have them
  void boxed_shared(int i, int open) {
    const auto all = call_arguments(open);
    const int bytes = all.empty() ? 0 : size_of(code_.text(all[0]));
    if (bytes > 0) dynamic_shared(i, open, 1024, std::to_string(128 / bytes));
  }
  std::string indentation(int i) const {
    return i > 0 && code_[i - 1].kind == TokenKind::space ? std::string(code_[i - 1].text) : "";
  }

  // as<float4>(in)[i]: reinterpret_cast<float4*>(in)[i], and of a tile one that keeps its rows
  void as(int i, int open) {
    const int close = code_.is(open, "<") ? code_.close_angle(open) : -1,
              bracket = close < 0 ? -1 : code_.next(close);
    const auto all = call_arguments(bracket);
    if (all.size() != 1) return;
    const std::string wide = code_.text({code_.next(open), code_.previous(close)});
    const auto array = arrays_.find(code_.text(all[0]));
    if (array == arrays_.end()) return code_.replace(i, "rows_as");
    code_.replace(i, "reinterpret_cast");
    const bool rows = !array->second.pitch.empty();
    code_.put_after(code_.previous(close),
                    rows ? " (*)[" + wide_pitch(array->second, without_const(wide)) + "]" : "*");
  }

  // The dialect's functions by other names; those that copy take addresses.
  void call(int i, int open) {
    struct Renamed {
      std::string_view dialect, plain;
      std::size_t addresses;  // how many of the last arguments are elements
    };
    static constexpr Renamed kCalls[] = {{"load_if", "load_or_zero", 0},
                                         {"copy_async", "cp_async", 2},
                                         {"copy_async_if", "cp_async_if", 2},
                                         {"copy_async_commit", "cp_async_commit", 0},
                                         {"copy_async_wait", "cp_async_wait", 0},
                                         {"load_matrix_x4", "ldmatrix_x4", 1},
                                         {"load_matrix_x4_trans", "ldmatrix_x4_trans", 1}};
    for (const Renamed& renamed : kCalls) {
      if (!code_.is(i, renamed.dialect)) continue;
      code_.replace(i, std::string(renamed.plain));
      const auto all = call_arguments(open);
      for (std::size_t n = 0; n < std::min(renamed.addresses, all.size()); ++n)
        code_.put_before(all[all.size() - 1 - n].first, "&");
    }
  }

  EditedText& code_;
  std::map<std::string, Array> arrays_;
  bool dynamic_declared_ = false;
  int depth_ = 0, counted_ = 0;
};

void write_cuda_words(EditedText& code) {
  for (int i = 0; i < code.size(); ++i) {
    if (code.is(i, "LAB_KERNEL")) code.replace(i, "__global__");
    if (code.is(i, "LAB_KERNEL_OF")) code.replace(i, "__global__ __launch_bounds__");
    if (code.is(i, "LAB_DEVICE")) code.replace(i, "__device__");
    if (code.is(i, "LAB_BOXES")) code.replace(i, "__grid_constant__");
  }
}

}  // namespace

PlainKernel plain_cuda(std::string_view text) {
  EditedText code(text);
  resolve_directives(code);
  drop_notes(code);
  const auto probes = probes_of(code);
  write_launches(code);
  Memory(code).run();
  drop_probe(code, probes);
  write_cuda_words(code);
  return code.render();
}

const std::vector<std::string_view>& dialect_words() {
  static const std::vector<std::string_view> words{"View",
                                                   "View2",
                                                   "LAB_KERNEL",
                                                   "LAB_KERNEL_OF",
                                                   "LAB_DEVICE",
                                                   "LAB_BOXES",
                                                   "Boxes",
                                                   "SHARED_BARRIERS",
                                                   "DYNAMIC_BOXES",
                                                   "DYNAMIC_CHUNKS",
                                                   "SHARED",
                                                   "DYNAMIC_SHARED",
                                                   "begin_step",
                                                   "show",
                                                   "show_if",
                                                   "arithmetic",
                                                   "load_if",
                                                   "LAB_ITERATION",
                                                   "copy_async",
                                                   "copy_async_if",
                                                   "copy_async_commit",
                                                   "copy_async_wait",
                                                   "as",
                                                   "load_matrix_x4",
                                                   "Launcher",
                                                   "Binding",
                                                   "load_matrix_x4_trans",
                                                   "LAB_TRACED",
                                                   "Extents",
                                                   "launch_shared",
                                                   "launch_on"};
  return words;
}

}  // namespace lockstep
