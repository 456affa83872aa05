#include "loading/shared_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace envpool {

namespace {

// Which processor a library or a program is for, as its first bytes tell.
struct Processor {
  unsigned char width;  // ELFCLASS32 or ELFCLASS64
  Elf64_Half machine;

  bool operator==(const Processor&) const = default;

  std::string Name() const {
    const std::string bits = width == ELFCLASS32 ? "32-bit " : "";
    switch (machine) {
      case EM_X86_64: return bits + "x86-64";
      case EM_AARCH64: return bits + "aarch64";
      case EM_386: return "i386";
      case EM_ARM: return "arm";
      case EM_RISCV: return bits + "riscv";
      default: return "processor number " + std::to_string(machine);
    }
  }
};

// Nothing if the file is no ELF file.
std::optional<Processor> ProcessorOf(const std::string& path) {
  // What is read of it stands at the same places in files of 32 and of 64 bits.
  std::array<char, sizeof(Elf64_Ehdr)> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  return Processor{header.e_ident[EI_CLASS], header.e_machine};
}

// What to do about a library that did not load, for this reason.
std::string Advice(const std::string& path, const std::string& error) {
  if (error.find("version `GLIBC") != std::string::npos) {
    return ". The library was built on a newer system than this one: build it again here";
  }
  if (!std::ifstream(path)) return "";
  const std::optional<Processor> library = ProcessorOf(path);
  if (!library) return ". The file is no shared library: build it again";
  const std::optional<Processor> ours = ProcessorOf("/proc/self/exe");
  if (!ours || *library == *ours) return "";
  return ". The library is for " + library->Name() + ", and this process runs on " + ours->Name() +
         ": build it again here, or install its package for this processor";
}

}  // namespace

void* OpenLibrary(const std::string& path) {
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string error = dlerror();
  throw std::runtime_error(error + Advice(path, error));
}

}  // namespace envpool
