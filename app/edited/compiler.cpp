#include "app/edited/compiler.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "cuda/core/backend/check.h"

extern char** environ;

namespace perturb {

namespace {

namespace fs = std::filesystem;

// Of processor time, of each process of the compiler: a busy machine does not make a text too long.
constexpr rlim_t max_compiler_seconds = 120;
constexpr double max_compiler_wait = 600;  // for a compiler that waits without using the processor
constexpr const char* killed = "Killed";   // as the system and compilers call it
constexpr const char* no_time_left = "CPU time limit exceeded";
// Of each process of the compiler: the kernels of the program need a fifth of it. The number of processes has no limit:
// RLIMIT_NPROC is compared with all processes of the user, so a limit for this tree would depend on what else runs, and
// the compiler could fail to start. All its processes end with the program.
constexpr rlim_t max_compiler_memory = rlim_t{3} << 30;

std::vector<std::string> compiler_environment(const std::string& folder) {
  std::vector<std::string> all = {"LC_ALL=C", "TMPDIR=" + folder};
  for (char** variable = environ; *variable; ++variable)
    if (const std::string_view word = *variable; !word.starts_with("LC_ALL=") && !word.starts_with("TMPDIR="))
      all.emplace_back(word);
  return all;
}

// A folder's name that nothing else has.
fs::path temporary_name(const fs::path& parent) {
  std::random_device random;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string name = "perturb-kernel-";
  for (int k = 0; k < 16; ++k) name += letters[random() % letters.size()];
  return parent / name;
}

// Makes a folder, which the destructor removes. The process of the compiler removes it if the program is killed: make
// this object after that process, so that it is destroyed before. Throws CompilerError.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& path) : path_(path) {
    check_output_fault(path_.string());
    if (mkdir(path_.c_str(), 0700) != 0)
      throw CompilerError("cannot make a folder for the compiler in {} ({})", path_.parent_path().string(),
                          std::strerror(errno));
  }
  ~TemporaryFolder() { remove_folder(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  fs::path path_;
};

// Folders in which the compiler may write, the preferred one first.
std::vector<fs::path> temporary_folders() {
  std::vector<fs::path> all;
  const auto add = [&](const fs::path& folder) {
    if (!folder.empty() && std::find(all.begin(), all.end(), folder) == all.end()) all.push_back(folder);
  };
  std::error_code failure;
  const fs::path first = fs::temp_directory_path(failure);
  if (!failure) add(first);
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm"}) add(folder);
  return all;
}

std::vector<std::string> arguments_of(const std::string& compiler, const std::string& library,
                                      const std::string& source) {
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
  return words;
}

// The library in memory: a folder may forbid to execute its files.
Descriptor copy_in_memory(const std::string& library) {
  const Descriptor from(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!from) return Descriptor();
  constexpr unsigned executable = 0x10;  // MFD_EXEC, which older systems neither need nor know
  int id = memfd_create("perturb-kernel", MFD_CLOEXEC | executable);
  if (id < 0) id = memfd_create("perturb-kernel", MFD_CLOEXEC);
  Descriptor to(id);
  if (!to) throw_not_started("Not enough memory for an edited kernel", errno);
  for (ssize_t count = 1; count > 0;) {
    count = sendfile(to.id(), from.id(), nullptr, std::size_t{1} << 20);
    if (count < 0) throw_not_started("Not enough memory for an edited kernel", errno);
  }
  // The kernel's process has it as its standard error, where libraries print: they must not write into it.
  Descriptor read_only(open(("/proc/self/fd/" + std::to_string(to.id())).c_str(), O_RDONLY | O_CLOEXEC));
  if (!read_only) throw_not_started("Cannot open an edited kernel", errno);
  return read_only;
}

struct Compiled {
  Descriptor library;  // none: it was not made
  std::string output;
};

[[noreturn]] void throw_not_finished(double seconds) {
  throw InputError("The compiler had not finished after {} s. Simplify the text of the kernel.",
                   static_cast<int>(seconds));
}

// Runs the compiler once, in a new folder. Throws InputError if it does not finish, and CompilerError if the folder
// cannot be used.
Compiled run_compiler(const std::string& compiler, const std::string& text, const fs::path& parent,
                      const std::stop_token& stop) {
  const fs::path path = temporary_name(parent);
  const std::string source = path / "kernel.cpp", library = path / "kernel.so";
  int made[2], ends[2];
  if (pipe2(made, O_CLOEXEC) != 0) throw_not_started("Cannot start the compiler", errno);
  const Descriptor from(made[0]);
  Descriptor to(made[1]);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw_not_started("Cannot start the compiler", errno);
  const Descriptor connection(ends[0]);
  Descriptor other(ends[1]);
  std::vector<std::string> words = {"perturb", compiler_task.name, path.string()};
  for (std::string& word : arguments_of(compiler, library, source)) words.push_back(std::move(word));
  SpawnedProcess process("/proc/self/exe", std::move(words), std::array<int, 3>{other.id(), to.id(), to.id()},
                         compiler_environment(path.string()));
  to = Descriptor();
  other = Descriptor();
  // At any time from here on, that process removes the folder if the program is killed. It is still alive when the
  // destructor removes the folder.
  const TemporaryFolder folder(path);
  if (std::ofstream file(source, std::ios::binary); !(file << text) || !file.flush())
    throw CompilerError("cannot write \"{}\" ({})", source, std::strerror(errno));
  constexpr char begin = 'b';
  if (send(connection.id(), &begin, 1, MSG_NOSIGNAL) != 1) throw_not_started("Cannot start the compiler", errno);
  Compiled compiled;
  if (!read_all(from.id(), max_compiler_wait, stop, compiled.output)) throw_not_finished(max_compiler_wait);
  unsigned char status = 1;
  while (read(connection.id(), &status, 1) < 0 && errno == EINTR) {
  }
  if (status == 0) compiled.library = copy_in_memory(library);
  return compiled;
}

std::string first_line_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && line.find_first_not_of(" \t\r") == std::string::npos) {
  }
  return line;
}

// Why the compiler failed: an error in this text, or one that affects every text.
[[noreturn]] void throw_failure(const std::string& compiler, const std::string& output, const fs::path& parent,
                                const std::stop_token& stop) {
  const std::vector<CompileProblem> problems = problems_of(output);
  if (!problems.empty() && problems.front().line > 0) throw CompileError(problems);
  if (output.find(no_time_left) != std::string::npos) throw_not_finished(max_compiler_seconds);
  if (output.find("out of memory") != std::string::npos || output.find("Cannot allocate memory") != std::string::npos)
    throw InputError("The compiler needs more than {} of memory for this text. Simplify the text of the kernel.",
                     format_bytes(max_compiler_memory));
  const Message line = Message::value(first_line_of(output));
  for (const char* full : {"No space left", "Disk quota exceeded", "Read-only file system"})
    if (output.find(full) != std::string::npos) throw CompilerError("{} says \"{}\"", compiler, line);
  if (output.find(killed) != std::string::npos)
    throw CompilerError("{} was killed ({}): memory may have run out", compiler, line);
  const Compiled probe = run_compiler(compiler, "int perturb_probe;\n", parent, stop);
  if (probe.library) throw CompileError(problems);
  if (first_line_of(output).empty()) throw CompilerError("{} ended without a library and without a message", compiler);
  throw CompilerError("{} says \"{}\"", compiler, line);
}

// Compiles a text to a shared library.
Descriptor compile(const std::string& text, const std::stop_token& stop) {
  const std::string compiler = find_compiler();
  if (compiler.empty())
    throw CompilerError("no C++ compiler was found in PATH. Install one, for example with \"sudo apt install g++\"");
  // The compiler's messages come before what a folder lacks: another folder has that.
  std::optional<CompilerError> of_compiler, of_folder;
  bool was_killed = false;
  for (const fs::path& parent : temporary_folders()) {
    if (was_killed) break;  // another folder has no more memory
    bool has_run = false;
    try {
      Compiled compiled = run_compiler(compiler, text, parent, stop);
      has_run = true;
      if (compiled.library) return std::move(compiled.library);
      was_killed = compiled.output.find(killed) != std::string::npos;
      throw_failure(compiler, compiled.output, parent, stop);
    } catch (const CompilerError& error) {
      if (auto& first = has_run ? of_compiler : of_folder; !first) first = error;
    }
  }
  throw of_compiler ? *of_compiler : *of_folder;
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
  constexpr std::size_t max_known = 8;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == text; });
    if (found != known.end()) return found->second;
  }
  auto library = std::make_shared<const Descriptor>(compile(text, stop));
  const std::lock_guard lock(mutex);
  if (known.size() >= max_known) known.erase(known.begin());
  known.emplace_back(text, library);
  return library;
}

void serve_as_compiler_process(int /*argc*/, char** argv) {
  char begin = 0;
  ssize_t got = 0;
  while ((got = read(STDIN_FILENO, &begin, 1)) < 0 && errno == EINTR) {
  }
  if (got != 1) {  // the program has ended
    remove_folder(argv[2]);
    _exit(1);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t id = 0;
  // The limits are for the compiler. That of memory is the last one: sanitizers map more.
  const std::array<std::pair<int, rlim_t>, 3> limits = {
      {{RLIMIT_CPU, max_compiler_seconds}, {RLIMIT_CORE, 0}, {RLIMIT_AS, max_compiler_memory}}};
  std::array<struct rlimit, limits.size()> own{};
  for (std::size_t k = 0; k < limits.size(); ++k) {
    getrlimit(limits[k].first, &own[k]);
    struct rlimit limited = own[k];
    limited.rlim_cur = std::min(limited.rlim_max, limits[k].second);
    setrlimit(limits[k].first, &limited);
  }
  const auto remove_limit = [&](std::size_t k) { setrlimit(limits[k].first, &own[k]); };
  int failure = posix_spawn(&id, argv[3], &files, nullptr, argv + 3, environ);
  remove_limit(2);
  if (failure == ENOMEM) failure = posix_spawn(&id, argv[3], &files, nullptr, argv + 3, environ);
  remove_limit(0);
  remove_limit(1);
  exit_with_connection(argv[2]);  // a thread: only now, without the limit
  unsigned char answer = 1;
  if (failure != 0) {
    dprintf(STDERR_FILENO, "%s\n", std::strerror(failure));
  } else {
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) dprintf(STDERR_FILENO, "%s\n", strsignal(WTERMSIG(status)));
    if (WIFEXITED(status)) answer = static_cast<unsigned char>(WEXITSTATUS(status));
  }
  send(STDIN_FILENO, &answer, 1, MSG_NOSIGNAL);
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  // While it waits for the other end to close, the folder of a program that is killed is still removed.
  for (;;) pause();
}

}  // namespace perturb
