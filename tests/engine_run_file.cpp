#include <doctest/doctest.h>
#include <zip.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/platform/files.hpp"
#include "engine_sample.hpp"
#include "engine_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes encoded(const Run& run, Packing packing = Packing::stored) {
  auto bytes = encode_run(run, packing);
  REQUIRE_MESSAGE(bytes, bytes.error().text());
  return *bytes;
}

// What decode_run promises of any run that it returns.
bool holds(const Run& run) {
  for (const Launch& launch : run.launches) {
    const BlockTrace& trace = launch.trace;
    const auto rises = [](const auto& begin, std::size_t count, std::size_t threads) {
      if (begin.empty()) return count == 0;
      return begin.size() == threads + 1 && begin.front() == 0 && begin.back() == count &&
             std::is_sorted(begin.begin(), begin.end());
    };
    if (launch.threads() < 1 || launch.threads() > 1024 || trace.block < 0 || trace.block >= launch.blocks())
      return false;
    if (!rises(trace.begin, trace.events.size(), launch.threads())) return false;
    if (!rises(trace.copy_begin, trace.copies.size(), launch.threads())) return false;
    for (const Access& event : trace.events) {
      if (event.kind > kLastKind) return false;
      if ((event.kind <= Kind::atomic || event.kind == Kind::reduction) && !launch.view(event.view))
        return false;
    }
  }
  for (const Touch& touch : run.touches)
    if (touch.reads.size() != touch.writer_block.size() || touch.reader_line.size() != touch.reads.size())
      return false;
  return true;
}

// The archive with one entry replaced or removed, its checksums made right again.
Bytes with_entry(const Bytes& archive, const std::string& name, const std::optional<Bytes>& content,
                 int method = ZIP_CM_STORE) {
  const TemporaryFolder folder;
  const auto path = folder / "run.npz";
  REQUIRE(write_file_atomically(path, archive));
  zip_t* zip = zip_open(path.c_str(), 0, nullptr);
  REQUIRE(zip);
  const zip_int64_t index = zip_name_locate(zip, name.c_str(), 0);
  REQUIRE(index >= 0);
  if (!content) {
    zip_delete(zip, zip_uint64_t(index));
  } else {
    REQUIRE(zip_file_replace(zip, zip_uint64_t(index),
                             zip_source_buffer(zip, content->data(), content->size(), 0), 0) == 0);
    zip_set_file_compression(zip, zip_uint64_t(index), method, 0);
  }
  REQUIRE(zip_close(zip) == 0);
  return *read_file(path, 1 << 30);
}

Bytes entry_of(const Bytes& archive, const std::string& name) {
  zip_error_t error;
  zip_t* zip = zip_open_from_source(zip_source_buffer_create(archive.data(), archive.size(), 0, &error),
                                    ZIP_RDONLY, &error);
  REQUIRE(zip);
  zip_stat_t stat;
  REQUIRE_MESSAGE(zip_stat(zip, name.c_str(), 0, &stat) == 0, name);
  Bytes bytes(stat.size);
  zip_file_t* file = zip_fopen(zip, name.c_str(), 0);
  REQUIRE(zip_fread(file, bytes.data(), bytes.size()) == zip_int64_t(bytes.size()));
  zip_fclose(file);
  zip_discard(zip);
  return bytes;
}

void put_u32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.at(at + std::size_t(i)) = std::uint8_t(value >> 8 * i);
}

// The archive with another unpacked size said of an entry, in both of the places where zip says it.
Bytes with_claim(Bytes archive, const std::string& name, std::uint32_t size) {
  struct Header {
    std::string signature;
    std::size_t size_at, name_at;
  };
  int claims = 0;
  for (const Header& header : {Header{"PK\3\4", 22, 30}, Header{"PK\1\2", 24, 46}})
    for (std::size_t at = 0; at + header.name_at + name.size() <= archive.size(); ++at) {
      const auto first = archive.begin() + std::ptrdiff_t(at);
      if (!std::equal(header.signature.begin(), header.signature.end(), first)) continue;
      if (!std::equal(name.begin(), name.end(), first + std::ptrdiff_t(header.name_at))) continue;
      put_u32(archive, at + header.size_at, size), ++claims;
    }
  REQUIRE(claims == 2);
  return archive;
}

// Bytes that deflate cannot make smaller.
Bytes noise(std::size_t count) {
  std::mt19937 random(1);
  Bytes bytes(count);
  for (auto& byte : bytes) byte = std::uint8_t(random());
  return bytes;
}

// The manifest after an edit, in an otherwise sound archive.
template <class F>
Result<Run> decoded_after(F&& edit) {
  const Bytes archive = encoded(sample_run());
  const Bytes manifest = entry_of(archive, "manifest.json");
  auto json = nlohmann::json::parse(manifest.begin(), manifest.end());
  edit(json);
  const std::string text = json.dump();
  return decode_run(with_entry(archive, "manifest.json", Bytes(text.begin(), text.end())), "edited.npz");
}

// A column after a change of its last bytes, in an otherwise sound archive.
Result<Run> decoded_with_last_byte(const std::string& name, std::uint8_t value) {
  const Bytes archive = encoded(sample_run());
  Bytes column = entry_of(archive, name);
  column.back() = value;
  return decode_run(with_entry(archive, name, column), "edited.npz");
}

void check_refused(const Result<Run>& run, const std::string& why) {
  REQUIRE_FALSE(run);
  CHECK(run.error().exit == Exit::bad_input);
  CHECK_MESSAGE(run.error().text().find(why) != std::string::npos, run.error().text());
}

}  // namespace

TEST_CASE("a run comes back from its file as it was, and the same run gives the same bytes") {
  Run run = sample_run();
  run.request.params["word"] = std::string("a \"b\""), run.request.params["x"] = 0.1;
  const Bytes archive = encoded(run);
  CHECK(archive == encoded(run));
  const auto back = decode_run(archive, "sample.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(encoded(*back) == archive);
  CHECK(back->request == run.request);
  CHECK(back->engine == run.engine);
  CHECK(back->device == run.device);
  CHECK(back->check == run.check);
  CHECK(back->counts == run.counts);
  CHECK(back->time == run.time);
  CHECK(back->occupancy == run.occupancy);
  CHECK(back->metrics() == run.metrics());
  CHECK(back->provenance == run.provenance);
  CHECK(back->warnings == run.warnings);
  CHECK(back->findings == run.findings);
  REQUIRE(back->launches.size() == 1);
  CHECK(back->launches[0].trace.events == run.launches[0].trace.events);
  CHECK(back->launches[0].trace.begin == run.launches[0].trace.begin);
  CHECK(back->launches[0].trace.copies == run.launches[0].trace.copies);
  CHECK(back->launches[0].trace.l2_sectors == run.launches[0].trace.l2_sectors);
  CHECK(back->launches[0].trace.hbm_sectors == run.launches[0].trace.hbm_sectors);
  CHECK(back->launches[0].view(kFirstSharedView + 7)->pitch == 3);
  CHECK(back->buffers[1].bytes == run.buffers[1].bytes);
  CHECK(back->touches[0].reader_block == run.touches[0].reader_block);
}

TEST_CASE("numbers that JSON does not know come back from a file, and are null in `run --json`") {
  Run run = sample_run();
  run.check = {false, std::numeric_limits<double>::infinity(), 1e-5};
  run.evidence.set("bad", std::nan(""));
  const auto back = decode_run(encoded(run), "sample.npz");
  REQUIRE(back);
  CHECK(std::isinf(back->check.max_error));
  CHECK(std::isnan(std::get<double>(back->metrics().at("bad"))));
  const auto json = nlohmann::json::parse(run_to_json(run));
  CHECK(json["check"]["max_error"].is_null());
  CHECK(json["metrics"]["bad"].is_null());
  CHECK(json["metrics"]["models"]["hbm_load_bytes"] == 65536);
}

TEST_CASE("a run without events or counts is a file like any other") {
  Run run;
  run.request.lab = "transpose";
  run.engine = EngineKind::recording;
  const auto back = decode_run(encoded(run), "empty.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(back->launches.empty());
  CHECK_FALSE(back->counts.has_value());
}

TEST_CASE("entries are stored .npy arrays of version 1.0 with headers padded to 64 bytes") {
  const Bytes archive = encoded(sample_run());
  for (const std::string name :
       {"launch0/access_offset.npy", "launch0/access_begin.npy", "view0/data.npy", "strings.npy"}) {
    const Bytes npy = entry_of(archive, name);
    REQUIRE(npy.size() >= 64);
    CHECK(std::memcmp(npy.data(), "\x93NUMPY\x01\x00", 8) == 0);
    const std::size_t header = npy[8] + 256u * npy[9];
    CHECK((10 + header) % 64 == 0);
    CHECK(npy[10 + header - 1] == '\n');
  }
  const Bytes data = entry_of(archive, "view0/data.npy");
  const std::string text(data.begin(), data.end());
  CHECK(text.find("'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }") != std::string::npos);
}

TEST_CASE("a file cut short at any byte is refused") {
  const Bytes archive = encoded(sample_run());
  for (std::size_t size = 0; size < archive.size(); ++size) {
    const auto run = decode_run(std::span(archive).first(size), "cut.npz");
    REQUIRE_MESSAGE(!run, size);
    REQUIRE(run.error().exit == Exit::bad_input);
  }
}

TEST_CASE("bits that flip never crash the reader, and what it returns keeps its promises") {
  const Bytes archive = encoded(sample_run());
  std::mt19937 random(7);
  int refused = 0;
  constexpr int kTrials = 6000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Bytes damaged = archive;
    for (int flips = 1 + int(random() % 3); flips > 0; --flips)
      damaged[random() % damaged.size()] ^= std::uint8_t(1u << random() % 8);
    const auto run = decode_run(damaged, "flipped.npz");
    refused += !run;
    if (run) REQUIRE(holds(*run));
  }
  CHECK(refused > kTrials / 2);
}

TEST_CASE("columns and manifest that are sound as files but not as a run are refused") {
  const Bytes archive = encoded(sample_run());
  std::mt19937 random(11);
  for (const std::string name :
       {"manifest.json", "launch0/access_begin.npy", "launch0/access_view.npy", "launch0/access_kind.npy",
        "launch0/copy_begin.npy", "view0/data.npy", "view1/writer_block.npy", "string_id.npy"}) {
    const Bytes entry = entry_of(archive, name);
    check_refused(decode_run(with_entry(archive, name, {}), "gone.npz"), "is missing");
    for (int trial = 0; trial < 150; ++trial) {
      Bytes damaged = entry;
      damaged[random() % damaged.size()] ^= std::uint8_t(1u << random() % 8);
      const auto run = decode_run(with_entry(archive, name, damaged), "flipped.npz");
      if (run) REQUIRE(holds(*run));
    }
  }
}

TEST_CASE("every kind of lie in a run file has its own refusal") {
  check_refused(decoded_with_last_byte("launch0/access_kind.npy", 99), "unknown kind");
  check_refused(decoded_with_last_byte("launch0/access_width.npy", 3), "width other than");
  check_refused(decoded_with_last_byte("launch0/access_view.npy", 9), "which the manifest does not have");
  check_refused(decoded_with_last_byte("launch0/access_offset.npy", 9), "reaches beyond the view");
  check_refused(decoded_with_last_byte("launch0/access_begin.npy", 9), "does not rise");
  check_refused(decoded_with_last_byte("launch0/copy_wait.npy", 9), "beyond its thread's events");
  check_refused(decoded_with_last_byte("view0/writer_block.npy", 9), "was not launched");
  check_refused(decoded_after([](auto& m) { m["schema"] = 2; }), "schema 2");
  check_refused(decoded_after([](auto& m) { m["engine"] = "auto"; }), "'engine'");
  check_refused(decoded_after([](auto& m) { m["date"] = "yesterday"; }), "'date'");
  check_refused(decoded_after([](auto& m) { m["counts"]["barriers"] = -1; }), "'barriers' = -1");
  check_refused(decoded_after([](auto& m) { m["counts"]["barriers"] = 18446744073709551615u; }), "too large");
  check_refused(decoded_after([](auto& m) {
                  m["launches"][0]["block"] = {5, 1, 1};
                }),
                "one entry per thread");
  check_refused(decoded_after([](auto& m) { m["launches"][0]["block"] = {1024, 2, 1}; }), "1024 threads");
  check_refused(decoded_after([](auto& m) { m["launches"][0]["grid"] = {1, 1}; }), "three numbers");
  check_refused(decoded_after([](auto& m) { m["launches"][0]["followed_block"] = 2; }),
                "'followed_block' = 2");
  check_refused(decoded_after([](auto& m) {
                  m["launches"][0]["views"][0]["shape"] = {2, 3};
                }),
                "shape of its view");
  check_refused(decoded_after([](auto& m) {
                  m["launches"][0]["views"][0]["shape"] = {1099511627776u, 1099511627776u};
                }),
                "2^48");
  check_refused(decoded_after([](auto& m) {
                  m["launches"][0]["views"][0]["shape"] = {2, 0};
                }),
                "shape is out of range");
  check_refused(decoded_after([](auto& m) { m["launches"][0]["views"][2]["pitch"] = 1 << 19; }), "1 MiB");
  check_refused(decoded_after([](auto& m) { m["launches"][0]["views"][1]["id"] = 0; }), "twice");
  check_refused(decoded_after([](auto& m) { m["buffers"] = {5}; }), "belongs to no view");
  check_refused(decoded_after([](auto& m) { m.erase("check"); }), "'check' is missing");
}

TEST_CASE("a file from before the L1 model has no L2 column, and still opens") {
  const auto older = decode_run(with_entry(encoded(sample_run()), "launch0/l2_sectors.npy", {}), "older.npz");
  REQUIRE_MESSAGE(older, older.error().text());
  CHECK(older->launches[0].trace.l2_sectors.empty());
  CHECK(older->launches[0].trace.hbm_sectors == sample_run().launches[0].trace.hbm_sectors);
}

TEST_CASE(
    "a file from before atomics and clusters were counted opens with none of them, and no other count may be "
    "missing") {
  constexpr std::array kLater{"global_reduction_sectors",
                              "global_atomic_sectors",
                              "shared_atomic_instructions",
                              "cluster_load_sectors",
                              "box_sectors",
                              "box_store_sectors",
                              "products"};
  const auto older = decoded_after([&](auto& m) {
    for (const char* name : kLater) m["counts"].erase(name);
  });
  REQUIRE_MESSAGE(older, older.error().text());
  CHECK(older->counts->global_atomic_sectors == 0);
  CHECK(older->counts->global_load_sectors == sample_run().counts->global_load_sectors);
  check_refused(decoded_after([](auto& m) { m["counts"].erase("barriers"); }), "'barriers'");
}

TEST_CASE("a launch without copies or events has no columns of them, and a column alone cannot go") {
  Run bare = sample_run();
  BlockTrace& trace = bare.launches[0].trace;
  trace.copies.clear();
  std::fill(trace.copy_begin.begin(), trace.copy_begin.end(), 0);
  const Bytes without_copies = encoded(bare);
  CHECK(encoded(sample_run()).size() > without_copies.size() + 11 * 128);  // a header is 128 bytes
  const auto back = decode_run(without_copies, "bare.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(back->launches[0].trace.copies.empty());
  CHECK(back->launches[0].trace.copy_begin == trace.copy_begin);
  CHECK(back->launches[0].trace.events == trace.events);
  CHECK(encoded(*back) == without_copies);
  trace = {};
  const auto untraced = decode_run(encoded(bare), "untraced.npz");
  REQUIRE_MESSAGE(untraced, untraced.error().text());
  CHECK(untraced->launches[0].trace.events.empty());
  for (const std::string name : {"launch0/access_offset.npy", "launch0/access_kind.npy",
                                 "launch0/copy_source_offset.npy", "launch0/copy_line.npy"}) {
    CAPTURE(name);
    CHECK_FALSE(decode_run(with_entry(encoded(sample_run()), name, {}), "gone.npz").ok());
  }
}

TEST_CASE("a column of L2 sectors with more entries than accesses is refused") {
  Run run = sample_run();
  run.launches[0].trace.l2_sectors.assign(9, 1);
  check_refused(decode_run(encoded(run), "long.npz"), "l2_sectors.npy has more entries");
}

TEST_CASE("a deflated run reads as the stored one, in fewer bytes; what is saved is stored") {
  const Run run = sample_run();
  const Bytes stored = encoded(run), deflated = encoded(run, Packing::deflated);
  CHECK(deflated.size() < stored.size());
  const auto back = decode_run(deflated, "deflated.npz");
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(encoded(*back) == stored);
  const TemporaryFolder folder;
  REQUIRE(save_run(run, folder / "run.npz"));
  CHECK(*read_file(folder / "run.npz", 1 << 30) == stored);
}

TEST_CASE("entries packed in any other way than by deflate are refused") {
  const Bytes archive = encoded(sample_run());
  const Bytes packed = with_entry(archive, "launch0/access_offset.npy", Bytes(1 << 12), ZIP_CM_BZIP2);
  check_refused(decode_run(packed, "packed.npz"), "is neither stored nor deflated");
}

TEST_CASE("an archive says no more bytes than its entries can unfold to, and no more than 256 MiB in all") {
  const std::string name = "launch0/access_offset.npy";
  const auto claimed = [&](const Bytes& content, std::uint32_t size) {
    return decode_run(
        with_claim(with_entry(encoded(sample_run()), name, content, ZIP_CM_DEFLATE), name, size), "bomb.npz");
  };
  check_refused(claimed(Bytes(1 << 20), 1 << 30), "claims more bytes than it can unfold to");
  check_refused(claimed(noise(300'000), 257 << 20), "it unfolds to more than 256 MiB");
  check_refused(claimed(noise(300'000), 400'000), "is cut short or its checksum is wrong");
  check_refused(claimed(noise(300'000), 200'000), "has a wrong checksum");
  check_refused(claimed(Bytes(1 << 20), 128),
                "has a wrong checksum");  // more than it says: no byte beyond is kept
}

TEST_CASE("a run that its lab could not show is refused") {
  Run flat = sample_run();
  flat.launches[0].views[0].shape = {4};
  check_refused(as_recording(flat, "flat.npz"), "its buffer in has another form");
  Run many = sample_run();
  many.launches[0].views.push_back({2, "third", Space::global, "float", 4, {2, 2}, 0});
  check_refused(as_recording(many, "many.npz"), "its buffer third has another form");
  Run newer = sample_run();
  newer.request.rung = "telepathy";
  check_refused(as_recording(newer, "newer.npz"), "transpose/telepathy, which this program does not have");
  CHECK(as_recording(sample_run(), "sound.npz"));
}

TEST_CASE("a saved run reads later as a recording") {
  const TemporaryFolder folder;
  REQUIRE(save_run(sample_run(), folder / "run.npz"));
  const auto run = load_recording(folder / "run.npz");
  REQUIRE(run);
  CHECK(run->engine == EngineKind::recording);
  CHECK(run->stale);
  CHECK(provenance_of(*run, "counts.barriers") == "recorded: NVIDIA H200, 2026-11-21");
  CHECK(provenance_of(*run, "metrics.models.error") == "modelled, error 4 %");
}

TEST_CASE("a run is saved as .npz or .json and as nothing else") {
  const TemporaryFolder folder;
  REQUIRE(save_run(sample_run(), folder / "run.json"));
  CHECK(nlohmann::json::parse(text_of(folder / "run.json"))["rung"] == "copy");
  const Status other = save_run(sample_run(), folder / "run.txt");
  REQUIRE_FALSE(other);
  CHECK(other.error().text().find("run.txt") != std::string::npos);
}
