#include "syntax.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "lexer.hpp"

namespace lockstep {
namespace {

using Words = std::set<std::string_view>;

Words words_of(std::string_view list) {
  Words words;
  for (const Token& token : tokens_of(list))
    if (token.is_word()) words.insert(token.text);
  return words;
}

const Words& keywords() {
  static const Words words = words_of(
      "alignas asm auto bool break case char class concept const constexpr continue decltype default delete "
      "do double else enum explicit extern false float for friend if inline int long namespace new noexcept "
      "nullptr operator private protected public requires return short signed size_t sizeof static "
      "static_assert static_cast struct switch template this true typedef typename union unsigned using "
      "virtual void volatile while "
      "__align__ __cluster_dims__ __constant__ __device__ __forceinline__ __global__ __grid_constant__ "
      "__host__ __launch_bounds__ __managed__ __noinline__ __restrict__ __shared__ "
      "__half __half2 __nv_bfloat16 __nv_bfloat162 bf16 e4m3 dim3 double2 float2 float3 float4 half2 int2 "
      "int3 "
      "int4 nv_bfloat16 nv_bfloat162 uint2 uint3 uint4 "
      "DYNAMIC_SHARED LAB_DEVICE LAB_KERNEL LAB_KERNEL_OF SHARED View View2");
  return words;
}

const Words& built_in_variables() {
  static const Words words = words_of("blockDim blockIdx gridDim threadIdx warpSize");
  return words;
}

// Sized integers: std::uint32_t, int64_t.
bool is_sized_integer(std::string_view word) {
  return word.ends_with("_t") && (word.starts_with("int") || word.starts_with("uint"));
}

std::optional<Syntax> syntax_of_word(std::string_view word) {
  if (keywords().contains(word) || is_sized_integer(word)) return Syntax::keyword;
  // Two underscores in front are the compiler's own names: what is no qualifier is an intrinsic.
  if (built_in_variables().contains(word) || word.starts_with("__") || word.starts_with("atomic"))
    return Syntax::builtin;
  return {};
}

// Takes stretches of the text one behind the other, and gives each of its lines what is its own.
class LineSpans {
 public:
  void add(std::string_view text, std::optional<Syntax> syntax) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n'), count = std::min(end, text.size());
      if (syntax && count > 0) lines_.back().push_back({column_, count, *syntax});
      column_ += count;
      if (end == text.npos) return;
      lines_.emplace_back(), column_ = 0;
      text.remove_prefix(end + 1);
    }
  }
  std::vector<std::vector<SyntaxSpan>> take() {
    if (lines_.back().empty() && column_ == 0) lines_.pop_back();  // behind the last newline
    return std::move(lines_);
  }

 private:
  std::vector<std::vector<SyntaxSpan>> lines_{1};
  std::size_t column_ = 0;
};

void add_tokens(LineSpans& spans, std::string_view text);

// "#include", "#pragma"; what follows them is text like any other.
void add_directive(LineSpans& spans, std::string_view text) {
  const std::size_t name = text.find_first_not_of(" \t", 1);
  const std::size_t end = std::min(text.find_first_of(" \t\n(\"<", std::min(name, text.size())), text.size());
  spans.add(text.substr(0, end), Syntax::keyword);
  add_tokens(spans, text.substr(end));
}

void add_tokens(LineSpans& spans, std::string_view text) {
  for (const Token& token : tokens_of(text)) switch (token.kind) {
      case TokenKind::comment:
        spans.add(token.text, Syntax::comment);
        break;
      case TokenKind::directive:
        add_directive(spans, token.text);
        break;
      case TokenKind::word:
        spans.add(token.text, syntax_of_word(token.text));
        break;
      case TokenKind::number:
      case TokenKind::text:
        spans.add(token.text, Syntax::literal);
        break;
      default:
        spans.add(token.text, {});
    }
}

}  // namespace

std::vector<std::vector<SyntaxSpan>> syntax_of_lines(std::string_view text) {
  LineSpans spans;
  add_tokens(spans, text);
  return spans.take();
}

}  // namespace lockstep
