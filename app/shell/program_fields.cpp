// What a reader's program is given besides its text, and how its arrays are to stand: fields of the window
// that are kept for each file.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "app.hpp"
#include "app/draw/language.hpp"
#include "app/platform/files.hpp"
#include "program_desk.hpp"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMostInput = std::uint64_t{64} << 20;  // bytes on standard input

std::vector<std::uint64_t> extents_in(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  const char *at = text.data(), *const end = text.data() + text.size();
  while (at != end) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc{})
      numbers.push_back(number), at = stop;
    else
      ++at;
  }
  return numbers;
}

}  // namespace

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

std::optional<std::vector<std::uint64_t>> parse_shape(std::string_view text, std::uint64_t elements) {
  std::vector<std::uint64_t> shape = extents_in(text);
  if (shape.empty() || shape.size() > 4 || elements == 0) return {};
  if (std::any_of(shape.begin(), shape.end(), [&](std::uint64_t e) { return e == 0 || e > elements; }))
    return {};
  if (shape.size() == 1 && shape[0] != elements)
    return std::vector<std::uint64_t>{(elements + shape[0] - 1) / shape[0], shape[0]};
  const double all = std::accumulate(shape.begin(), shape.end(), 1.0,
                                     [](double a, std::uint64_t b) { return a * double(b); });
  if (all != double(elements)) return {};
  return shape;
}

std::string ProgramDesk::title() const {
  std::string text = name() + (unsaved() ? " •" : "");
  const auto add = [&](const std::string& more) { text += " · " + more; };
  const auto all = [](std::size_t count) { return std::to_string(count); };
  if (busy() || run_due_) {
    const Message progress = progress_text();
    add(progress.id.empty() ? tr("about to run") : tr(progress));
  } else if (reader::has_error(diagnostics())) {
    add(tr("does not compile"));
  } else if (run_) {
    if (!findings().empty())
      add(findings().size() == 1 ? tr("1 finding") : tr("{0} findings", {all(findings().size())}));
    if (!run_->launches.empty())
      add(tr("launch {0} of {1}", {std::to_string(launch_ + 1), all(run_->launches.size())}));
    if (has_steps()) add(tr("step {0} of {1}", {std::to_string(step_ + 1), std::to_string(last_step() + 1)}));
  }
  return text;
}

// --- shapes

std::vector<std::uint64_t> ProgramDesk::shape_of(const StageArray& array) const {
  const std::uint64_t n = array.view->elements();
  const auto wanted = shapes.find(array.view->name);
  if (wanted != shapes.end())  // it may have another size by now
    if (auto fits = parse_shape(shape_text(wanted->second), n)) return *fits;
  // A square that nobody speaks of, in a launch that has one dimension, is a row of elements.
  const Launch& launch = scene_->launch().launch;
  const bool given = array.array >= 0 && run_->arrays[std::size_t(array.array)].shape_given;
  const bool is_flat = array.view->shape.size() < 2;
  if (!given && is_flat && array.columns > 0) return {(n + array.columns - 1) / array.columns, array.columns};
  const bool flat = launch.grid[1] == 1 && launch.block[1] == 1 && !array.shared() && !given;
  return flat ? std::vector<std::uint64_t>{n} : array.view->shape;
}

std::vector<std::vector<std::uint64_t>> ProgramDesk::likely_shapes(const StageArray& array) const {
  const std::uint64_t n = array.view->elements();
  const auto side = std::uint64_t(std::llround(std::sqrt(double(n))));
  std::vector<std::vector<std::uint64_t>> all{array.view->shape, {n}};
  if (array.columns > 0) all.push_back({(n + array.columns - 1) / array.columns, array.columns});
  if (side * side == n && side > 1) all.push_back({side, side});
  for (const std::uint64_t columns : {16u, 32u, 64u, 128u, 256u})
    if (n % columns == 0 && n > columns) all.push_back({n / columns, columns});
  std::vector<std::vector<std::uint64_t>> each;
  for (auto& shape : all)
    if (std::find(each.begin(), each.end(), shape) == each.end()) each.push_back(std::move(shape));
  return each;
}

void ProgramDesk::open_shape(const StageArray& array) {
  open_bar(Bar::shape);
  shaped_array = array.view->name;
  bar_edit = TextEdit(shape_text(shape_of(array)));
  bar_edit.select_all();
  focused = false;
}

const StageArray* ProgramDesk::array_named(const std::string& name) const {
  if (scene_)
    for (const StageArray& array : scene_->arrays())
      if (array.view->name == name) return &array;
  return nullptr;
}

bool ProgramDesk::on_shape_key(const KeyPress& key) {
  const StageArray* array = array_named(shaped_array);
  if (!array) return bar = Bar::none, true;
  if (key.key == Key::up || key.key == Key::down) {  // the next likely one, tried at once
    const auto all = likely_shapes(*array);
    const auto now = std::find(all.begin(), all.end(), shape_of(*array));
    const std::size_t at = now == all.end() ? 0 : std::size_t(now - all.begin());
    shapes[shaped_array] = all[(at + (key.key == Key::down ? 1 : all.size() - 1)) % all.size()];
    bar_edit = TextEdit(shape_text(shapes[shaped_array]));
    return bar_edit.select_all(), true;
  }
  if (key.key != Key::enter) return on_field_key(bar_edit, key), true;
  if (bar_edit.length() == 0) return shapes.erase(shaped_array), bar = Bar::none, true;
  const auto shape = parse_shape(bar_edit.text(), array->view->elements());
  bar_missed = !shape;
  if (shape) shapes[shaped_array] = *shape, bar = Bar::none;
  return true;
}

// --- what it is given

bool ProgramDesk::on_fields_key(const KeyPress& key) {
  const auto at = std::size_t(*typed_field);
  if (key.key == Key::enter) return run_now(), typed_field.reset(), true;
  if (key.key == Key::escape) return typed_field.reset(), true;
  if (key.key == Key::tab) {
    const bool leaves = key.shift ? at == 0 : at + 1 == kFields;
    typed_field = leaves ? std::nullopt : std::optional(Field(key.shift ? at - 1 : at + 1));
    return true;
  }
  return on_field_key(text_of(*typed_field), key), true;
}

std::vector<std::string> ProgramDesk::kept_fields() const {
  std::vector<std::string> kept;
  for (const TextEdit& field : fields_) kept.push_back(field.text());
  for (const auto& [name, shape] : shapes) kept.push_back(name + "=" + shape_text(shape));
  const bool nothing =
      std::all_of(kept.begin(), kept.end(), [](const std::string& one) { return one.empty(); });
  return nothing ? std::vector<std::string>{} : kept;
}

void ProgramDesk::restore_fields(const std::vector<std::string>& kept) {
  for (std::size_t i = 0; i < kFields; ++i) fields_[i] = TextEdit(i < kept.size() ? kept[i] : "");
  shapes.clear(), field_fault.reset();
  for (std::size_t i = kFields; i < kept.size(); ++i)
    if (const std::size_t equals = kept[i].find('='); equals != std::string::npos)
      shapes[kept[i].substr(0, equals)] = extents_in(std::string_view(kept[i]).substr(equals + 1));
}

void ProgramDesk::set_on_gpu(bool on) {
  if (on == on_gpu_ || (on && !can_ask_gpu())) return;
  on_gpu_ = on;
  run_now();
}

// False: something that was typed cannot be taken, and field_fault says why.
bool ProgramDesk::fill_request(reader::ProgramRequest& request) {
  field_fault.reset();
  request.file = file_, request.text = edit.file_text();
  request.arguments = words_of(text_of(Field::arguments).text());
  request.launch = traced_launch_, request.on_gpu = on_gpu_;
  const auto beside = [&](const std::string& name) {
    return fs::path(name).is_absolute() ? fs::path(name) : file_.parent_path() / name;
  };
  for (const std::string& source : words_of(text_of(Field::sources).text()))
    request.further_sources.push_back(beside(source));
  if (const std::string input = text_of(Field::input).text(); !input.empty()) {
    const auto bytes = read_file(beside(input), kMostInput);
    if (!bytes) return field_fault = bytes.error().message, false;
    request.input.assign(bytes->begin(), bytes->end());
  }
  const auto place = extents_in(text_of(Field::block).text());
  std::array<std::int64_t, 3> grid{1, 1, 1};
  if (scene_) grid = scene_->launch().launch.grid;
  if (place.size() == 1) request.block = std::int64_t(place[0]);
  if (place.size() > 1)
    request.block =
        std::int64_t(place[0]) +
        grid[0] * (std::int64_t(place[1]) + (place.size() > 2 ? grid[1] * std::int64_t(place[2]) : 0));
  return true;
}

}  // namespace lockstep
