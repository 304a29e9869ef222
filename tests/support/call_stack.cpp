#include "tests/support/call_stack.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>

#include <dlfcn.h>
#include <execinfo.h>

namespace perturb {

namespace {

// The demangled names of this program's functions by address, relative to where it is loaded. Many are local, so that
// the dynamic linker does not know them.
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

// "perturb::(anonymous namespace)::Part<float>::act(int) const" -> "Part::act"; empty: not a function of the program.
std::string short_name(std::string name) {
  if (!name.starts_with("perturb::") || name.find("{lambda") != std::string::npos) return "";
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
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&short_name), &own);
  std::vector<std::string> names;
  for (int k = count - 1; k > 0; --k) {  // without this function
    const auto address = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(k)]) -
                         reinterpret_cast<std::uintptr_t>(own.dli_fbase);
    auto next = symbols().upper_bound(address - 1);  // the call, not the instruction after it
    if (next == symbols().begin()) continue;
    if (const std::string name = short_name(std::prev(next)->second); !name.empty()) names.push_back(name);
  }
  return names;
}

}  // namespace perturb
