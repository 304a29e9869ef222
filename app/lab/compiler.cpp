#include "app/lab/compiler.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"

extern char** environ;

namespace perturb {

namespace {

namespace fs = std::filesystem;

constexpr double compile_seconds = 30;

std::vector<std::string> english_environment() {
  std::vector<std::string> all = {"LC_ALL=C"};
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("LC_ALL=")) all.emplace_back(*variable);
  return all;
}

// A folder that is removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code failure;
    const fs::path all = fs::temp_directory_path(failure);
    std::string name = ((failure ? fs::path("/tmp") : all) / "perturb-kernel-XXXXXX").string();
    check_output_fault(name);
    if (!mkdtemp(name.data()))
      throw Error("Cannot make a folder for the compiler in {} ({}). Free some space or set TMPDIR.",
                  fs::path(name).parent_path().string(), std::strerror(errno));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// Compiles a text to a shared library, whose file is removed at once: only the descriptor keeps it.
Descriptor compile(const std::string& text, const std::stop_token& stop) {
  const std::string compiler = find_compiler();
  if (compiler.empty())
    throw Error(
        "Cannot compile the kernel: no C++ compiler was found in PATH. Install one, for example with \"sudo apt "
        "install g++\".");
  const TemporaryFolder folder;
  const std::string source = folder.file("kernel.cpp"), library = folder.file("kernel.so");
  if (std::ofstream file(source, std::ios::binary); !(file << text) || !file.flush())
    throw Error("Cannot write \"{}\". Free some space or set TMPDIR.", source);
  // The options that decide about rounding are those of the program (scripts/cmake/Compiler.cmake). No libraries: what
  // a text calls is in the program already.
  std::vector<std::string> words = {compiler,
                                    "-std=c++20",
                                    "-O2",
                                    "-ftree-vectorize",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fPIC",
                                    "-shared",
                                    "-nodefaultlibs",
                                    "-w",
                                    "-fdiagnostics-color=never"};
#if defined(__FMA__)
  words.emplace_back("-march=native");
#endif
#if defined(__x86_64__)
  // As the program's widest loops (scripts/cmake/Simulation.cmake).
  words.insert(words.end(), {"-mprefer-vector-width=512", "-falign-loops=64"});
#endif
  words.insert(words.end(), {"-o", library, source});
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) throw_not_started("Cannot start the compiler", errno);
  const Descriptor from(made[0]);
  Descriptor to(made[1]);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  SpawnedProcess process(compiler, words, std::array<int, 3>{nothing.id(), nothing.id(), to.id()},
                         english_environment());
  to = Descriptor();
  std::string output;
  if (!read_all(from.id(), compile_seconds, stop, output))
    throw InputError("The compiler had not finished after {} s. Simplify the text of the kernel.",
                     static_cast<int>(compile_seconds));
  const int status = process.wait();
  Descriptor made_library(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !made_library) throw CompileError(problems_of(output));
  return made_library;
}

}  // namespace

std::string find_compiler() {
  const char* path = std::getenv("PATH");
  if (!path) return {};
  for (const char* name : {"c++", "g++", "clang++"}) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (folder.empty() || folder.front() != '/') continue;
      const std::string file = (fs::path(folder) / name).string();
      if (access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return {};
}

std::vector<CompileProblem> problems_of(const std::string& output) {
  std::vector<CompileProblem> in_text, elsewhere;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t found = line.find("error: ");
    if (found == std::string::npos) continue;
    CompileProblem problem;
    problem.text = line.substr(found + 7);
    // NVRTC has a parenthesis instead, and no column.
    const std::string begin = edited_name;
    if (line.size() > begin.size() && line.starts_with(begin) &&
        (line[begin.size()] == ':' || line[begin.size()] == '(')) {
      const char* const end = line.data() + line.size();
      const auto number = std::from_chars(line.data() + begin.size() + 1, end, problem.line);
      if (number.ec == std::errc() && number.ptr < end && *number.ptr == ':')
        std::from_chars(number.ptr + 1, end, problem.column);
    }
    (problem.line > 0 ? in_text : elsewhere).push_back(std::move(problem));
  }
  // Errors where the function is called follow from those in the text.
  if (!in_text.empty()) return in_text;
  if (elsewhere.empty()) {
    CompileProblem problem;
    problem.text = output.substr(0, output.find('\n'));
    elsewhere.push_back(std::move(problem));
  }
  return elsewhere;
}

std::shared_ptr<const Descriptor> library_of(const std::string& text, const std::stop_token& stop) {
  static std::mutex mutex;
  static std::vector<std::pair<std::string, std::shared_ptr<const Descriptor>>> known;
  constexpr std::size_t most_known = 8;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == text; });
    if (found != known.end()) return found->second;
  }
  auto library = std::make_shared<const Descriptor>(compile(text, stop));
  const std::lock_guard lock(mutex);
  if (known.size() >= most_known) known.erase(known.begin());
  known.emplace_back(text, library);
  return library;
}

}  // namespace perturb
