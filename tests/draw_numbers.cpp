// Numbers as people read them.
#include <doctest/doctest.h>

#include "app/draw/number_text.hpp"

using namespace lockstep;

TEST_CASE("digits stand in groups of three") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(65536) == "65,536");
  CHECK(grouped(1234567890) == "1,234,567,890");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(-65536) == "-65,536");
}

TEST_CASE("a kilobyte has 1024 bytes") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1024) == "1.0 KB");
  CHECK(bytes_text(48 * 1024) == "48.0 KB");
  CHECK(bytes_text(228 * 1024) == "228 KB");
  CHECK(bytes_text(1.5 * 1024 * 1024) == "1.5 MB");
  CHECK(bytes_text(141.0 * 1024 * 1024 * 1024) == "141 GB");
}

TEST_CASE("a figure that rounds up to the next unit is written in it") {
  CHECK(bytes_text(1024 * 1024 - 1) == "1.0 MB");
  CHECK(time_text(0.9997) == "1.00 ms");
  CHECK(time_text(999.7) == "1.00 s");
  CHECK(rate_text(999.8e9) == "1.00 TB/s");
}

TEST_CASE("times and rates have three digits and a unit") {
  CHECK(time_text(3.06) == "3.06 ms");
  CHECK(time_text(0.0005) == "0.50 µs");
  CHECK(time_text(0.0124) == "12.4 µs");
  CHECK(time_text(0.206) == "206 µs");
  CHECK(time_text(1200) == "1.20 s");
  CHECK(rate_text(4.02e12) == "4.02 TB/s");
  CHECK(rate_text(491e9) == "491 GB/s");
  CHECK(rate_text(8.4e6) == "8.40 MB/s");
  CHECK(percent_text(0.941) == "94.1 %");
  CHECK(percent_text(1) == "100.0 %");
}
