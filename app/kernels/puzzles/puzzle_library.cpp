#include "app/kernels/puzzles/puzzle_library.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <gnu/lib-names.h>
#include <unistd.h>

#include "app/edited/edited_kernel.h"
#include "app/kernels/puzzles/counted_arrays.h"

namespace perturb {

namespace {

struct LibrarySymbol {
  std::string_view name;
  std::size_t bytes;
  bool is_imported, is_variable;  // a variable that can be written while a kernel runs
};

class LibraryFile {
 public:
  explicit LibraryFile(const Descriptor& file) : bytes_(static_cast<std::size_t>(lseek(file.id(), 0, SEEK_END))) {
    if (pread(file.id(), bytes_.data(), bytes_.size(), 0) != static_cast<ssize_t>(bytes_.size())) bytes_.clear();
  }

  std::vector<LibrarySymbol> symbols() const {
    const auto header = at<Elf64_Ehdr>(0);
    std::vector<Elf64_Shdr> sections;
    for (std::size_t k = 0; k < header.e_shnum; ++k)
      sections.push_back(at<Elf64_Shdr>(header.e_shoff + k * sizeof(Elf64_Shdr)));
    const auto is_written = [&](std::size_t section) {
      if (section >= sections.size() || (sections[section].sh_flags & SHF_WRITE) == 0) return false;
      // This one is written by the loader only.
      return text_at(sections.at(header.e_shstrndx).sh_offset + sections[section].sh_name).rfind(".data.rel.ro", 0) !=
             0;
    };
    std::vector<LibrarySymbol> all;
    for (const Elf64_Shdr& table : sections) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
      for (std::size_t k = 1; k < table.sh_size / sizeof(Elf64_Sym); ++k) {
        const auto symbol = at<Elf64_Sym>(table.sh_offset + k * sizeof(Elf64_Sym));
        all.push_back({text_at(sections[table.sh_link].sh_offset + symbol.st_name), symbol.st_size,
                       symbol.st_shndx == SHN_UNDEF, symbol.st_size > 0 && is_written(symbol.st_shndx)});
      }
    }
    return all;
  }

 private:
  template <class T>
  T at(std::size_t offset) const {
    T value{};
    if (offset < bytes_.size() && sizeof value <= bytes_.size() - offset)
      std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string_view text_at(std::size_t offset) const {
    if (offset >= bytes_.size()) return {};
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    return {bytes_.data() + offset, static_cast<std::size_t>(std::find(begin, bytes_.end(), '\0') - begin)};
  }

  std::vector<char> bytes_;
};

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view one) { return name.rfind(one, 0) == 0; });
}

// Of the library of mathematics, of the compiler, or nowhere: then the loader reports it.
bool may_import(std::string_view name) {
  constexpr std::string_view of_compiler[] = {"__cxa_",   "__gxx_", "_Unwind_", "_ITM_", "__gmon_start__",
                                              "__stack_", "memcpy", "memmove",  "memset"};
  if (begins_with_one_of(name, of_compiler)) return true;
  static void* const mathematics = dlopen(LIBM_SO, RTLD_LAZY);
  const std::string text(name);
  Dl_info found{};
  if (mathematics)
    if (void* const function = dlsym(mathematics, text.c_str()); function && dladdr(function, &found) != 0)
      return std::string_view(found.dli_fname).find("/libm") != std::string_view::npos;
  return dlsym(RTLD_DEFAULT, text.c_str()) == nullptr;
}

std::size_t count_of(std::string_view word, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

}  // namespace

void check_puzzle_library(const Descriptor& library, const std::string& text) {
  // Of the program; and of the compiler, such as whether a variable has its first value.
  constexpr std::string_view known[] = {"perturb_puzzle_numbers", "_ZN7perturb6puzzle7machineE", "_ZGV", "DW.ref.",
                                        "completed."};
  std::size_t shared_arrays = count_of("__shared__", text);
  const LibraryFile file(library);
  for (const LibrarySymbol& symbol : file.symbols()) {
    if (symbol.is_imported && !may_import(symbol.name))
      throw CompileError({{0, 0,
                           "the kernel uses " + std::string(symbol.name) +
                               ", which a GPU does not have. Use its own text and functions of mathematics."}});
    if (!symbol.is_variable || begins_with_one_of(symbol.name, known)) continue;
    if (symbol.bytes != sizeof(puzzle::Shared<float[1]>) || shared_arrays == 0)
      throw CompileError(
          {{0, 0, "a static variable is memory that is not counted. Use __shared__, or a variable of the thread."}});
    --shared_arrays;
  }
}

}  // namespace perturb
