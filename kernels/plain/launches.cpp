#include "launches.hpp"

#include <set>

namespace lockstep {
namespace {

class Launches {
 public:
  explicit Launches(EditedText& code) : code_(code) {}
  void run() {
    drop_launcher_parameters();
    for (int i = 0; i < code_.size(); ++i) {
      if (!code_.word(i)) continue;
      if (launchers_.contains(std::string(code_[i].text))) launcher_at(i);
      if (code_.is(i, "Extents")) extents(i);
      if (code_.is(i, "Binding")) binding_parameter(i);
      if (bindings_.contains(std::string(code_[i].text))) bound_view(i);
    }
  }

 private:
  // Launcher<P>& gpu, in a list of parameters
  void drop_launcher_parameters() {
    for (int i = 0; i < code_.size(); ++i) {
      if (!code_.is(i, "Launcher")) continue;
      const int open = code_.next(i), close = code_.is(open, "<") ? code_.close_angle(open) : -1;
      if (close < 0) continue;
      const int name = code_.is(code_.next(close), "&") ? code_.next(code_.next(close)) : code_.next(close);
      if (!code_.word(name)) continue;
      launchers_.insert(std::string(code_[name].text));
      code_.drop_from_list({i, name});
    }
  }

  void launcher_at(int i) {
    const int dot = code_.next(i), method = code_.next(dot), open = code_.next(method);
    const int before = code_.previous(i);
    if (code_.is(dot, ",") && (code_.is(before, "(") || code_.is(before, ",")))
      return code_.drop_from_list({i, i});
    if (!code_.is(dot, ".") || !code_.is(open, "(") || code_.partner(open) < 0) return;
    const int close = code_.partner(open);
    if (code_.is(method, "launch")) launch(i, open, close, 4);
    if (code_.is(method, "launch_on")) launch_on(i, open, close);
    if (code_.is(method, "stream")) stream(i, method, open, close);
    for (const std::string_view own :
         {"cudaMemcpy", "cudaMemcpyAsync", "prefetch_to_device", "prefetch_to_host", "read_on_host"})
      if (code_.is(method, own)) code_.drop(i, method - 1);
    if (code_.is(method, "launch_shared")) launch(i, open, close, 5);
    if (code_.is(method, "launch_cluster")) launch(i, open, close, 5, 1);
    if (code_.is(method, "launch_cluster_shared")) launch(i, open, close, 6, 1);
    if (code_.is(method, "place") && code_.is(code_.next(close), ";")) code_.drop(i, code_.next(close));
  }

  // gpu.launch("name", function, grid, block, ..): the first `facts` arguments are the launch's own; `name`:
  // which of them is the name. What stands before it the kernel says itself.
  void launch(int i, int open, int close, std::size_t facts, std::size_t name = 0) {
    const auto all = code_.arguments(open, close);
    if (all.size() < facts) return;
    const std::size_t grid = name + 2;
    const auto function = all[name + 1];
    code_.drop(i, function.first - 1);
    if (code_.holds(function, "?"))
      code_.put_before(function.first, "("), code_.put_after(function.second, ")");
    separate(function, all[grid], "<<<");
    extent(all[grid]), extent(all[grid + 1]);
    if (all.size() > facts)
      separate(all[facts - 1], all[facts], ">>>(");
    else
      code_.put_after(all[facts - 1].second, ">>>(");
  }
  // gpu.launch_on(stream, "name", function, grid, block, ..): function<<<grid, block, 0, stream>>>(..)
  void launch_on(int i, int open, int close) {
    const auto all = code_.arguments(open, close);
    if (all.size() < 5) return;
    const std::string stream = ", 0, " + code_.text(all[0]);
    code_.drop(i, all[2].first - 1);
    separate(all[2], all[3], "<<<");
    extent(all[3]), extent(all[4]);
    if (all.size() > 5)
      separate(all[4], all[5], stream + ">>>(");
    else
      code_.put_after(all[4].second, stream + ">>>(");
  }
  // gpu.stream(k): streams[k]
  void stream(int i, int method, int open, int close) {
    code_.drop(i, method - 1);
    code_.replace(method, "streams"), code_.replace(open, "["), code_.replace(close, "]");
  }
  // Puts `text` in place of the comma; a line that was broken there stays broken.
  void separate(EditedText::Range left, EditedText::Range right, const std::string& text) {
    const int comma = code_.next(left.second);
    code_.replace(comma, text);
    if (comma + 1 < right.first && code_[comma + 1].kind == TokenKind::space) code_.drop(comma + 1);
  }
  // {a, b} is dim3(a, b), {a} is a
  void extent(EditedText::Range range) {
    if (!code_.is(range.first, "{") || code_.partner(range.first) != range.second) return;
    const bool one = code_.arguments(range.first, range.second).size() == 1;
    code_.replace(range.first, one ? "" : "dim3(");
    code_.replace(range.second, one ? "" : ")");
  }

  // Extents{a, b} and `Extents by{a, b}, ..`: dim3 takes numbers with a sign between parentheses alone
  void extents(int i) {
    code_.replace(i, "dim3");
    for (int j = code_.next(i); j < code_.size() && !code_.is(j, ";") && !code_.is(j, ")");
         j = code_.next(j)) {
      if (!code_.is(j, "{") || code_.partner(j) < 0) continue;
      code_.replace(j, "("), code_.replace(code_.partner(j), ")");
      j = code_.partner(j);
    }
  }

  // const Binding& b: void* const* b
  void binding_parameter(int i) {
    const int reference = code_.next(i), name = code_.next(reference);
    if (!code_.is(reference, "&") || !code_.word(name)) return;
    if (code_.is(code_.previous(i), "const")) code_.drop(code_.previous(i), i - 1);
    code_.replace(i, "void* const"), code_.replace(reference, "*");
    bindings_.insert(std::string(code_[name].text));
  }
  // b.view<P, const float>(3): static_cast<const float*>(b[3])
  void bound_view(int i) {
    const int method = code_.next(code_.next(i)), open = code_.next(method);
    if (!code_.is(method, "view") || !code_.is(open, "<")) return;
    const int close = code_.close_angle(open), bracket = close < 0 ? -1 : code_.next(close);
    if (bracket < 0 || !code_.is(bracket, "(") || code_.partner(bracket) < 0) return;
    const auto types = code_.arguments(open, close);
    if (types.size() != 2) return;
    code_.put_before(i, "static_cast<" + code_.text(types[1]) + "*>(");
    code_.drop(i + 1, bracket - 1);
    code_.replace(bracket, "["), code_.replace(code_.partner(bracket), "])");
  }

  EditedText& code_;
  std::set<std::string> launchers_, bindings_;
};

}  // namespace

void write_launches(EditedText& code) { Launches(code).run(); }

}  // namespace lockstep
