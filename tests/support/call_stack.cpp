#include "tests/support/call_stack.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>

#include <execinfo.h>
#include <link.h>

namespace perturb {

namespace {

// The demangled names of this program's functions by address, as linked. Many are local, so that the dynamic linker
// does not know them.
const std::map<std::uintptr_t, std::string>& symbols() {
  static const std::map<std::uintptr_t, std::string> all = [] {
    std::map<std::uintptr_t, std::string> found;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen("nm --demangle --defined-only /proc/$PPID/exe 2>/dev/null", "r"), pclose);
    std::array<char, 8192> line;
    while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
      unsigned long long address = 0;
      char kind = 0;
      int name = 0;
      if (std::sscanf(line.data(), "%llx %c %n", &address, &kind, &name) >= 2 &&
          std::string("tTwW").find(kind) != std::string::npos)
        found.emplace(address, line.data() + name);
    }
    return found;
  }();
  return all;
}

// What the loader adds to the addresses of this program: 0 if it is not position-independent.
std::uintptr_t load_bias() {
  std::uintptr_t bias = 0;
  // The first entry is the program itself.
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        *static_cast<std::uintptr_t*>(found) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return bias;
}

// "perturb::(anonymous namespace)::Part<float>::act(int) const" -> "Part::act"; empty: not a function of the program.
std::string short_name(std::string name) {
  // Lambdas are named {lambda ...} by GCC and $_1 by clang.
  if (!name.starts_with("perturb::") || name.find("{lambda") != std::string::npos ||
      name.find("::$_") != std::string::npos)
    return "";
  name = std::regex_replace(name, std::regex("\\(anonymous namespace\\)::|\\[clone.*|\\[abi:\\w+\\]"), "");
  for (std::string before; before != name;) {
    before = name;
    name = std::regex_replace(name, std::regex("<[^<>]*>"), "");
  }
  const std::size_t call = name.find("operator()");
  const std::size_t begin = std::string("perturb::").size();
  name = name.substr(begin, name.find('(', call == std::string::npos ? 0 : call + 10) - begin);
  const std::size_t nested = name.find("::");
  // The namespace of a simulation is in lower case, as all namespaces.
  return nested != std::string::npos && name[0] >= 'a' && name[0] <= 'z' ? name.substr(nested + 2) : name;
}

}  // namespace

std::vector<std::string> call_stack() {
  std::array<void*, 256> frames;
  const int count = backtrace(frames.data(), frames.size());
  std::vector<std::string> names;
  for (int k = count - 1; k >= 0; --k) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(k)]) - load_bias();
    auto next = symbols().upper_bound(address - 1);  // the call, not the instruction after it
    if (next == symbols().begin()) continue;
    if (const std::string name = short_name(std::prev(next)->second); !name.empty()) names.push_back(name);
  }
  std::erase(names, "call_stack");  // this function
  return names;
}

}  // namespace perturb
