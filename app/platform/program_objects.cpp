#include "program_objects.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace lockstep::reader {
namespace {

// Function symbols, local ones too, of an object on disk.
struct Symbols {
  std::unordered_map<std::uint64_t, std::string> names;  // by value
  std::unordered_map<std::string, std::uint64_t> values;
};

struct LoadedObject {
  std::string path;
  void* handle = nullptr;
  std::uint64_t base = 0, first = 0, last = 0;  // of its code
  Symbols symbols;
};

LoadedObject program_object, traced_object;

std::vector<std::uint8_t> bytes_of(const std::string& path) {
  std::vector<std::uint8_t> bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bytes;
  struct stat info {};
  if (fstat(file, &info) == 0) {
    bytes.resize(std::size_t(info.st_size));
    std::size_t done = 0;
    for (ssize_t n; done < bytes.size() && (n = read(file, bytes.data() + done, bytes.size() - done)) > 0;)
      done += std::size_t(n);
    bytes.resize(done);
  }
  close(file);
  return bytes;
}

template <class T>
T at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  T x{};
  if (offset + sizeof x <= bytes.size()) std::memcpy(&x, bytes.data() + offset, sizeof x);
  return x;
}

Symbols symbols_of(const std::vector<std::uint8_t>& bytes) {
  Symbols symbols;
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  for (unsigned s = 0; s < header.e_shnum; ++s) {
    const auto section = at<Elf64_Shdr>(bytes, header.e_shoff + s * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto names = at<Elf64_Shdr>(bytes, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= section.sh_size;
         offset += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(bytes, section.sh_offset + offset);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      const std::uint64_t begin = names.sh_offset + symbol.st_name;
      if (begin >= bytes.size()) continue;
      const char* text = reinterpret_cast<const char*>(bytes.data() + begin);
      std::string name(text, strnlen(text, bytes.size() - begin));
      symbols.names[symbol.st_value] = name;
      symbols.values[std::move(name)] = symbol.st_value;
    }
  }
  return symbols;
}

// The dynamic section's entries for constructors and destructors become ones that the loader does not know.
void drop_constructors(std::vector<std::uint8_t>& bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  for (unsigned p = 0; p < header.e_phnum; ++p) {
    const auto segment = at<Elf64_Phdr>(bytes, header.e_phoff + p * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t o = 0; o + sizeof(Elf64_Dyn) <= segment.p_filesz; o += sizeof(Elf64_Dyn)) {
      auto entry = at<Elf64_Dyn>(bytes, segment.p_offset + o);
      if (entry.d_tag == DT_NULL) break;
      const bool drop = entry.d_tag == DT_INIT || entry.d_tag == DT_FINI || entry.d_tag == DT_INIT_ARRAY ||
                        entry.d_tag == DT_FINI_ARRAY || entry.d_tag == DT_INIT_ARRAYSZ ||
                        entry.d_tag == DT_FINI_ARRAYSZ;
      if (!drop) continue;
      entry.d_tag = 0x6000000f;  // of no meaning, in the range that systems keep for their own
      if (segment.p_offset + o + sizeof entry <= bytes.size())
        std::memcpy(bytes.data() + segment.p_offset + o, &entry, sizeof entry);
    }
  }
}

// A file in memory that holds these bytes; its name for dlopen.
std::string in_memory(const std::vector<std::uint8_t>& bytes) {
  const int file = memfd_create("traced", 0);
  if (file < 0) return "";
  std::size_t done = 0;
  for (ssize_t n; done < bytes.size() && (n = write(file, bytes.data() + done, bytes.size() - done)) > 0;)
    done += std::size_t(n);
  return "/proc/self/fd/" + std::to_string(file);
}

void place(LoadedObject& object) {
  link_map* map = nullptr;
  if (dlinfo(object.handle, RTLD_DI_LINKMAP, &map) != 0 || !map) return;
  object.base = map->l_addr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& mine = *static_cast<LoadedObject*>(data);
        if (info->dlpi_addr != mine.base) return 0;
        for (int p = 0; p < info->dlpi_phnum; ++p) {
          const auto& segment = info->dlpi_phdr[p];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
          mine.first = mine.first ? std::min(mine.first, begin) : begin;
          mine.last = std::max(mine.last, begin + segment.p_memsz);
        }
        return 1;
      },
      &object);
}

bool load(LoadedObject& object, const std::string& path, const std::string& name, int mode) {
  object.path = path;
  object.handle = dlopen(name.c_str(), RTLD_NOW | mode);
  if (!object.handle) return false;
  place(object);
  return true;
}

}  // namespace

Result<ProgramMain> load_objects(const std::string& program, const std::string& traced) {
  program_object.symbols = symbols_of(bytes_of(program));
  auto bytes = bytes_of(traced);
  traced_object.symbols = symbols_of(bytes);
  drop_constructors(bytes);
  if (!load(program_object, program, program, RTLD_GLOBAL) ||
      !load(traced_object, traced, in_memory(bytes), RTLD_LOCAL))
    return bad_input("the program cannot be loaded: {0}", {dlerror()});
  void* entry = dlsym(program_object.handle, "lockstep_reader_main");
  if (!entry) return bad_input("the program has no function main()");
  return reinterpret_cast<ProgramMain>(entry);
}

const void* traced_counterpart(const void* function) {
  const auto address = reinterpret_cast<std::uint64_t>(function);
  const auto name = program_object.symbols.names.find(address - program_object.base);
  if (name == program_object.symbols.names.end()) return nullptr;
  const auto value = traced_object.symbols.values.find(name->second);
  if (value == traced_object.symbols.values.end()) return nullptr;
  return reinterpret_cast<const void*>(traced_object.base + value->second);
}

std::string kernel_name(const void* function) {
  const auto address = reinterpret_cast<std::uint64_t>(function);
  const auto mangled = program_object.symbols.names.find(address - program_object.base);
  if (mangled == program_object.symbols.names.end()) return "";
  int status = 0;
  char* text = abi::__cxa_demangle(mangled->second.c_str(), nullptr, nullptr, &status);
  std::string name = text ? text : mangled->second;
  std::free(text);
  if (name.starts_with("void ")) name.erase(0, 5);  // templates tell what they return
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += (name[i] == '<') - (name[i] == '>');
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

bool is_program_memory(std::uintptr_t address) {
  struct Asked {
    std::uintptr_t address;
    bool found;
  } asked{address, false};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& it = *static_cast<Asked*>(data);
        for (int p = 0; p < info->dlpi_phnum; ++p) {
          const auto& segment = info->dlpi_phdr[p];
          if (segment.p_type == PT_LOAD && it.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz)
            it.found = true;
          if (segment.p_type == PT_TLS && info->dlpi_tls_data &&
              it.address - reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data) < segment.p_memsz)
            it.found = true;
        }
        return int(it.found);
      },
      &asked);
  return asked.found;
}

CodePlace code_place(std::uint64_t address) {
  if (address - traced_object.first < traced_object.last - traced_object.first)
    return {CodePlace::Object::traced, address - traced_object.base};
  if (address - program_object.first < program_object.last - program_object.first)
    return {CodePlace::Object::program, address - program_object.base};
  return {};
}

}  // namespace lockstep::reader
