#include "exercise_seed.hpp"

#include <nettle/hmac.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "model_functions.hpp"

namespace lockstep {
namespace {

constexpr std::string_view kLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // Crockford's base 32
constexpr int kLetterBits = 5, kCodeLetters = kSeedBits / kLetterBits;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of x moves half of the result's.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Numbers that depend on the seed, the exercise and the name of what is drawn, and on nothing else: neither
// on the order of the file nor on its other names.
class Draws {
 public:
  Draws(Seed seed, std::string_view exercise, std::string_view name) {
    constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325u, kFnvPrime = 0x100000001b3u;
    state_ = kFnvBasis;
    for (const std::string_view text : {exercise, std::string_view("/"), name})
      for (const char c : text) state_ = (state_ ^ std::uint8_t(c)) * kFnvPrime;
    state_ = mixed(state_ ^ mixed(seed.bits + 1));
  }
  std::size_t below(std::size_t count) {
    state_ += 0x9e3779b97f4a7c15u;
    return std::size_t(mixed(state_) % count);
  }

 private:
  std::uint64_t state_;
};

std::vector<std::size_t> drawn_order(const ExercisePart& part, Seed seed, const std::string& slug) {
  std::vector<std::size_t> order(part.ask.options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The file has the steps of an `order` as they have to stand: never shown so.
  if (seed == Seed{} && part.kind != PartKind::order) return order;
  Draws draws(seed, slug, part.id);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
  return order;
}

// "n: {size / 2}" with the value in place of the braces.
Result<std::string> filled(const std::string& text, TextPlace place, const Params& values) {
  std::string all;
  DrawnFigures figures(values, nullptr);
  for (std::size_t from = 0;;) {
    const std::size_t open = text.find('{', from);
    all += text.substr(from, open - from);
    if (open == std::string::npos) return all;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos)
      return bad_input("{0}:{1}: this '{' has no '}'",
                       {std::to_string(place.line), std::to_string(place.column)});
    auto expression = Expression::parse(std::string_view(text).substr(open + 1, close - open - 1),
                                        model_functions(), place);
    if (!expression) return expression.error();
    auto value = expression->evaluate(figures);
    if (!value) return value.error();
    all += to_string(*value);
    from = close + 1;
  }
}

}  // namespace

std::string seed_code(Seed seed) {
  if (seed == Seed{}) return "";
  std::string code;
  for (int i = kCodeLetters - 1; i >= 0; --i) {
    code += kLetters[(seed.bits >> (i * kLetterBits)) & (kLetters.size() - 1)];
    if (i == kCodeLetters / 2) code += '-';
  }
  return code;
}

std::optional<Seed> seed_from_code(std::string_view code) {
  Seed seed;
  int letters = 0;
  for (char c : code) {
    if (is_space(c) || c == '-') continue;
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
    if (c == 'O') c = '0';
    if (c == 'I' || c == 'L') c = '1';
    const std::size_t value = kLetters.find(c);
    if (value == std::string_view::npos || ++letters > kCodeLetters) return {};
    seed.bits = seed.bits << kLetterBits | value;
  }
  if (letters != 0 && letters != kCodeLetters) return {};
  return seed;
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (!is_space(c))
      plain += c;
    else if (!plain.empty() && plain.back() != ' ')
      plain += ' ';
  }
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

Seed student_seed(std::string_view passphrase, std::string_view name) {
  const std::string plain = plain_name(name);
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, passphrase.size(), reinterpret_cast<const std::uint8_t*>(passphrase.data()));
  hmac_sha256_update(&context, plain.size(), reinterpret_cast<const std::uint8_t*>(plain.data()));
  std::array<std::uint8_t, kSeedBits / 8> digest;
  hmac_sha256_digest(&context, digest.size(), digest.data());
  Seed seed;
  for (const std::uint8_t byte : digest) seed.bits = seed.bits << 8 | byte;
  return seed == Seed{} ? Seed{1} : seed;
}

Status work_out_lets(const Exercise& exercise, Params& values) {
  for (const Let& let : exercise.lets) {
    DrawnFigures figures(values, nullptr);
    auto value = let.value.evaluate(figures);
    if (!value) return value.error();
    values[let.name] = std::move(*value);
  }
  return Unit{};
}

Result<DrawnExercise> draw_exercise(const Exercise& exercise, Seed seed) {
  DrawnExercise drawn{&exercise, seed, {}, {}};
  for (const Vary& vary : exercise.vary) {
    Draws draws(seed, exercise.slug, vary.name);
    drawn.values[vary.name] = vary.values[seed == Seed{} ? vary.usual : draws.below(vary.values.size())];
  }
  if (Status worked = work_out_lets(exercise, drawn.values); !worked) return worked.error();
  for (const ExercisePart& part : exercise.parts)
    drawn.options.push_back(drawn_order(part, seed, exercise.slug));
  return drawn;
}

Result<std::optional<SceneSetup>> filled_setup(const DrawnExercise& drawn, std::size_t part) {
  std::optional<SceneSetup> setup = drawn.exercise->parts[part].setup;
  if (!setup) return setup;
  auto rung = filled(setup->rung, setup->rung_place, drawn.values);
  if (!rung) return rung.error();
  setup->rung = std::move(*rung);
  for (std::size_t i = 0; i < setup->settings.size(); ++i) {
    auto setting = filled(setup->settings[i], setup->setting_places[i], drawn.values);
    if (!setting) return setting.error();
    setup->settings[i] = std::move(*setting);
  }
  return setup;
}

std::optional<SceneSetup> drawn_setup(const DrawnExercise& drawn, std::size_t part) {
  auto setup = filled_setup(drawn, part);
  return setup ? std::move(*setup) : std::optional<SceneSetup>();
}

PartScene scene_of_part(const DrawnExercise& drawn, std::size_t part) {
  for (std::size_t i = part + 1; i > 0; --i)
    if (auto setup = drawn_setup(drawn, i - 1)) return {drawn.exercise->parts[i - 1].lab, std::move(setup)};
  return {drawn.exercise->lab, {}};
}

Result<Value> DrawnFigures::figure(const FigurePath& asked) {
  if (!asked.called && asked.path.empty()) {
    const auto at = values_.find(asked.root);
    if (at != values_.end()) return at->second;
  }
  if (inner_) return inner_->figure(asked);
  std::string all;
  for (const auto& [name, value] : values_) all += (all.empty() ? "" : ", ") + name;
  return bad_input("there is no '{0}' here: there are {1}", {to_text(asked), all});
}

}  // namespace lockstep
