// Provenance: the words of files and JSON, and the value that is made of them.
#include <doctest/doctest.h>

#include <random>

#include "app/model/cache.hpp"
#include "app/model/provenance.hpp"

using namespace lockstep;

TEST_CASE("every word that runs are saved with comes back as it was, and is understood") {
  using Kind = Provenance::Kind;
  using Basis = Provenance::Basis;
  struct Row {
    const char* words;
    Kind kind;
    Basis basis;
  };
  for (const Row& row :
       {Row{"measured", Kind::measured, Basis::unstated}, Row{"emulated", Kind::emulated, Basis::unstated},
        Row{"not measured", Kind::not_measured, Basis::unstated},
        Row{"recorded: NVIDIA H200, 2026-11-22", Kind::recorded, Basis::unstated},
        Row{"modelled", Kind::modelled, Basis::unstated},
        Row{"modelled, error 3 %", Kind::modelled, Basis::error},
        Row{"modelled, error 0 %", Kind::modelled, Basis::error},
        Row{"modelled, error 0", Kind::modelled, Basis::exact},
        Row{"modelled, at most", Kind::modelled, Basis::at_most},
        Row{"modelled, without the kernel's code", Kind::modelled, Basis::without_code},
        Row{"modelled, from the measured costs", Kind::modelled, Basis::measured_costs},
        Row{"modelled, from the recorded costs", Kind::modelled, Basis::recorded_costs},
        Row{"modelled, against the recording", Kind::modelled, Basis::against_recording}}) {
    CAPTURE(row.words);
    const Provenance read(row.words);
    CHECK(read.kind == row.kind);
    CHECK(read.basis == row.basis);
    CHECK(read.rest.empty());
    CHECK(read.words() == row.words);
  }
  CHECK(Provenance("").empty());
  CHECK(Provenance("").words().empty());
}

TEST_CASE("a recording's device and date are fields, whatever commas a device's name has") {
  const Provenance read("recorded: NVIDIA RTX 6000, Ada, 2026-11-22");
  CHECK(read.device == "NVIDIA RTX 6000, Ada");
  CHECK(read.date == "2026-11-22");
  CHECK(read == Provenance::recorded("NVIDIA RTX 6000, Ada", "2026-11-22"));
  CHECK(Provenance::modelled_within(12) == Provenance("modelled, error 12 %"));
  CHECK(Provenance("modelled, error 12 %").error_text() == "12 %");
  CHECK(Provenance("modelled, error 0").error_text() == "0");
  CHECK_FALSE(Provenance("modelled, at most").error_text());
}

TEST_CASE("the cache models say what they leave out, and how far they are") {
  CHECK(cache_model_provenance(1000).words() == "modelled, without the kernel's code");
  CHECK(cache_model_provenance(1 << 20).words() == "modelled, error 10 %");
}

// Pieces of the words above in any order, and bytes that no program writes.
TEST_CASE("a stranger's words stay as they are, damaged ones too, and none of them stops the program") {
  const char* const pieces[] = {"measured",
                                "recorded",
                                "modelled",
                                "not ",
                                ": ",
                                ", ",
                                "error ",
                                "error 0",
                                " %",
                                "007",
                                "99999999999999999999",
                                "-3",
                                "at most",
                                "2026-11-22",
                                "NVIDIA H200",
                                "\xff\x00",
                                "",
                                "from the measured costs",
                                "。",
                                " "};
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string words;
    for (std::size_t k = random() % 6; k-- > 0;) words += pieces[random() % std::size(pieces)];
    CAPTURE(words);
    CHECK(Provenance(words).words() == words);
  }
}
