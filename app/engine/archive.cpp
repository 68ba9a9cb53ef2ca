#include "archive.hpp"

#include <zip.h>

#include <set>

#include "damaged.hpp"

namespace lockstep {
namespace {

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;
using Source = std::unique_ptr<zip_source_t, FreeSource>;
using EntryFile = std::unique_ptr<zip_file_t, CloseEntry>;

constexpr zip_uint16_t kDosDate = (1 << 5) | 1;  // 1980-01-01, the first that zip can say
constexpr zip_uint16_t kDosTime = 0;

Error cannot_write(const char* why) { return bad_input("the run cannot be packed: {0}", {why}); }

constexpr zip_uint32_t kBestDeflate = 9;
constexpr zip_uint64_t kMostDeflateUnfolds = 1032;  // zlib: 258 bytes take two bits at least

Status add_entry(zip_t* archive, const ArchiveEntry& entry, Packing packing) {
  Source source(zip_source_buffer(archive, entry.bytes.data(), entry.bytes.size(), 0));
  if (!source) return cannot_write(zip_strerror(archive));
  const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) return cannot_write(zip_strerror(archive));
  source.release();  // the archive owns it now
  const auto at = zip_uint64_t(index);
  const bool deflated = packing == Packing::deflated;
  if (zip_set_file_compression(archive, at, deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                               deflated ? kBestDeflate : 0) != 0 ||
      zip_file_set_dostime(archive, at, kDosTime, kDosDate, 0) != 0)
    return cannot_write(zip_strerror(archive));
  return Unit{};
}

Result<std::vector<std::uint8_t>> bytes_of(zip_source_t* source) {
  zip_stat_t stat;
  if (zip_source_open(source) != 0 || zip_source_stat(source, &stat) != 0)
    return cannot_write(zip_error_strerror(zip_source_error(source)));
  std::vector<std::uint8_t> bytes(stat.size);
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != zip_int64_t(bytes.size())) return cannot_write("the archive is incomplete");
  return bytes;
}

// What an entry may claim: a stored one the bytes that it has, a deflated one what they can unfold to.
void check_entry(const zip_stat_t& stat) {
  constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  require((stat.valid & needed) == needed, "its directory is incomplete");
  const std::string name = stat.name;
  require(stat.encryption_method == ZIP_EM_NONE, name + " is encrypted");
  const bool deflated = stat.comp_method == ZIP_CM_DEFLATE;
  require(deflated || stat.comp_method == ZIP_CM_STORE, name + " is neither stored nor deflated");
  require(deflated || stat.size == stat.comp_size, "the sizes of " + name + " disagree");
  require(stat.size / kMostDeflateUnfolds <= stat.comp_size,
          name + " claims more bytes than it can unfold to");
}

}  // namespace

Result<std::vector<std::uint8_t>> write_archive(const std::vector<ArchiveEntry>& entries, Packing packing) {
  zip_error_t error;
  zip_error_init(&error);
  Source target(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!target) return cannot_write(zip_error_strerror(&error));
  Zip archive(zip_open_from_source(target.get(), ZIP_CREATE | ZIP_TRUNCATE, &error));
  if (!archive) return cannot_write(zip_error_strerror(&error));
  zip_source_keep(target.get());  // one reference is the archive's, one ours
  for (const ArchiveEntry& entry : entries)
    if (Status added = add_entry(archive.get(), entry, packing); !added) return added.error();
  if (zip_close(archive.get()) != 0) return cannot_write(zip_strerror(archive.get()));
  archive.release();
  return bytes_of(target.get());
}

struct ArchiveReader::Impl {
  Zip archive;
  std::uint64_t archive_bytes = 0;

  void open(zip_source_t* raw, const zip_error_t& error) {
    Source source(raw);
    require(source != nullptr, zip_error_strerror(const_cast<zip_error_t*>(&error)));
    zip_stat_t stat;
    require(zip_source_stat(source.get(), &stat) == 0 && (stat.valid & ZIP_STAT_SIZE), "it cannot be read");
    archive_bytes = stat.size;
    require(archive_bytes > 0, "it is empty");
    require(archive_bytes <= kMaxArchiveBytes, "it is larger than 1 GiB");
    zip_error_t open_error;
    zip_error_init(&open_error);
    archive.reset(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, &open_error));
    const std::string why = zip_error_strerror(&open_error);
    zip_error_fini(&open_error);
    require(archive != nullptr, why);
    source.release();
    check_directory();
  }

  // Entries that overlap could claim more than the archive holds; the sum of sizes rules that out.
  void check_directory() const {
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    require(count >= 0 && count <= kMaxArchiveEntries, "it has too many entries");
    std::set<std::string> names;
    std::uint64_t packed = 0, inflated = 0;
    for (zip_uint64_t i = 0; i < zip_uint64_t(count); ++i) {
      zip_stat_t stat;
      require(zip_stat_index(archive.get(), i, 0, &stat) == 0, "its directory is damaged");
      check_entry(stat);
      require(names.insert(stat.name).second, std::string(stat.name) + " is there twice");
      require(stat.comp_size <= archive_bytes - packed, "its entries claim more bytes than it has");
      packed += stat.comp_size;
      if (stat.comp_method != ZIP_CM_DEFLATE) continue;
      require(stat.size <= kMaxInflatedBytes - inflated, "it unfolds to more than 256 MiB");
      inflated += stat.size;
    }
  }
};

ArchiveReader::ArchiveReader(std::span<const std::uint8_t> archive) : impl_(std::make_unique<Impl>()) {
  zip_error_t error;
  zip_error_init(&error);
  impl_->open(zip_source_buffer_create(archive.data(), archive.size(), 0, &error), error);
}

ArchiveReader::ArchiveReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>()) {
  zip_error_t error;
  zip_error_init(&error);
  impl_->open(zip_source_file_create(path.c_str(), 0, -1, &error), error);
}

ArchiveReader::~ArchiveReader() = default;

bool ArchiveReader::has(const std::string& name) const {
  return zip_name_locate(impl_->archive.get(), name.c_str(), 0) >= 0;
}

std::vector<std::uint8_t> ArchiveReader::read(const std::string& name) const {
  const zip_int64_t index = zip_name_locate(impl_->archive.get(), name.c_str(), 0);
  require(index >= 0, name + " is missing");
  zip_stat_t stat;
  require(zip_stat_index(impl_->archive.get(), zip_uint64_t(index), 0, &stat) == 0,
          name + " cannot be found");
  EntryFile file(zip_fopen_index(impl_->archive.get(), zip_uint64_t(index), 0));
  require(file != nullptr, name + " cannot be read");
  std::vector<std::uint8_t> bytes(stat.size);
  zip_uint64_t got = 0;
  while (got < bytes.size()) {
    const zip_int64_t n = zip_fread(file.get(), bytes.data() + got, bytes.size() - got);
    require(n > 0, name + " is cut short or its checksum is wrong");
    got += zip_uint64_t(n);
  }
  std::uint8_t beyond;  // libzip compares the checksum when it meets the end
  require(zip_fread(file.get(), &beyond, 1) == 0, name + " has a wrong checksum");
  return bytes;
}

}  // namespace lockstep
