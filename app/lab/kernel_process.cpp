#include "app/lab/kernel_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/child_files.h"
#include "app/io/files/output.h"
#include "app/lab/edited_kernel.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/cuda_program.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/skewed_rows.h"

extern char** environ;

namespace perturb {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* process_word = "@edited-kernel";
constexpr const char* edited_name = "kernel";  // of the edited text, in the compiler's messages
constexpr const char* update_function = "perturb_update_rows";
constexpr const char* update_function_cuda = "perturb_update_cells";
using UpdateRows = void (*)(char* memory, int level, int begin, int end);

constexpr double compile_seconds = 30, start_seconds = 20;
// A pass is stopped after this time, and the time that a very slow kernel needs for each of its steps.
constexpr double pass_seconds = 2, least_bytes_per_second = 2e7;

// ---- both sides of the connection

struct StepRequest {
  std::uint64_t bytes;  // of the memory
  std::int32_t width, height, levels;
  CudaMemoryHandle device_memory;  // on CUDA
};
// After `no_compile` and `failed` a text follows, and the connection ends.
enum class Answer : char { ready = 'r', no_library = 'l', no_compile = 'c', failed = 'f', done = 'd' };

class Descriptor {
 public:
  explicit Descriptor(int id = -1) : id_(id) {}
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  Descriptor(Descriptor&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  int id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  int id_;
};

[[noreturn]] void throw_not_started(const Message& what, int why) {
  throw Error("{} ({}). Close other programs and try again.", what, std::strerror(why));
}

// A process, killed by the destructor if it is still running.
class Process {
 public:
  // `inputs`: its standard input, output and error.
  Process(const std::string& path, std::vector<std::string> arguments, std::array<int, 3> inputs,
          const std::vector<std::string>& environment = {}) {
    // Above the standard ones, which are replaced one after the other.
    std::vector<Descriptor> above;
    for (const int input : inputs) above.emplace_back(fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (int k = 0; k < 3; ++k) posix_spawn_file_actions_adddup2(&files, above[static_cast<std::size_t>(k)].id(), k);
    add_close_files(files);
    sigset_t none, all;
    sigemptyset(&none), sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    // Of its own group: Ctrl+C in the terminal is for the program, and all parts of a compiler are killed together.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::vector<char*> words, variables;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    variables.push_back(nullptr);
    const int failure = posix_spawn(&id_, path.c_str(), &files, &attributes, words.data(),
                                    environment.empty() ? environ : variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0) {
      id_ = 0;
      throw_not_started("Cannot start the process of an edited kernel", failure);
    }
  }
  ~Process() { kill_and_wait(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Kills it, and returns its status for waitpid.
  int kill_and_wait() {
    int status = 0;
    if (const pid_t id = std::exchange(id_, 0); id > 0) {
      kill(-id, SIGKILL);
      while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
      }
    }
    return status;
  }
  // Waits for its end after it has closed its output.
  int wait() {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  pid_t id_ = 0;
};

// ---- compiling

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

// All files as one: each in place of the lines that include it.
std::string one_file(const KernelSource& source, const std::string& text, const std::string& rows_class, bool cuda) {
  std::string all;
  for (std::size_t k = 0; k < source.files.size(); ++k) {
    const bool edited = k == source.edited;
    all += "#line 1 \"" + (edited ? std::string(edited_name) : std::string(source.files[k].name)) + "\"\n";
    std::istringstream lines(edited ? text : std::string(source.files[k].text));
    for (std::string line; std::getline(lines, line);) {
      const bool is_in_all = line.starts_with("#pragma once") || line.starts_with("#include \"cuda/");
      all += (is_in_all ? std::string() : line) + "\n";
    }
  }
  all += "#line 1 \"rows\"\n";
  if (cuda)
    return all + "extern \"C\" __global__ void " + update_function_cuda +
           "(char* memory, int level, int width, int height) {\n"
           "  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
           "  if (i < width && j < height) " +
           rows_class + "(memory, level).checked_cell(i, j);\n}\n";
  return all + "extern \"C\" void " + update_function + "(char* memory, int level, int begin, int end) {\n  const " +
         rows_class + " rows(memory, level);\n  for (int j = begin; j < end; ++j) rows.row(j);\n" + "}\n";
}

// "kernel:12:5: error: expected ';'" is an error in line 12 of the text.
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

// Reads until the other end closes; false: it had not after `seconds`.
bool read_all(int pipe, double seconds, std::string& text) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0) return false;
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    char buffer[4096];
    const ssize_t got = ::read(pipe, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    constexpr std::size_t most_text = std::size_t{1} << 20;
    if (text.size() < most_text) text.append(buffer, static_cast<std::size_t>(got));
  }
}

// Compiles a text to a shared library, whose file is removed at once: only the descriptor keeps it.
Descriptor compile(const std::string& text) {
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
  std::vector<std::string> words = {
      compiler,  "-std=c++20",     "-O3", "-ffp-contract=off",        "-fno-math-errno", "-fno-trapping-math", "-fPIC",
      "-shared", "-nodefaultlibs", "-w",  "-fdiagnostics-color=never"};
#if defined(__FMA__)
  words.emplace_back("-march=native");
#endif
  words.insert(words.end(), {"-o", library, source});
  int made[2];
  if (pipe2(made, O_CLOEXEC) != 0) throw_not_started("Cannot start the compiler", errno);
  const Descriptor from(made[0]);
  Descriptor to(made[1]);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  Process process(compiler, words, std::array<int, 3>{nothing.id(), nothing.id(), to.id()}, english_environment());
  to = Descriptor();
  std::string output;
  if (!read_all(from.id(), compile_seconds, output))
    throw InputError("The compiler had not finished after {} s. Simplify the text of the kernel.",
                     static_cast<int>(compile_seconds));
  const int status = process.wait();
  Descriptor made_library(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !made_library) throw CompileError(problems_of(output));
  return made_library;
}

// The libraries of the last texts: undo, redo and a restart need none of them compiled again.
std::shared_ptr<const Descriptor> library_of(const std::string& text) {
  static std::mutex mutex;
  static std::vector<std::pair<std::string, std::shared_ptr<const Descriptor>>> known;
  constexpr std::size_t most_known = 8;
  {
    const std::lock_guard lock(mutex);
    const auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == text; });
    if (found != known.end()) return found->second;
  }
  auto library = std::make_shared<const Descriptor>(compile(text));
  const std::lock_guard lock(mutex);
  if (known.size() >= most_known) known.erase(known.begin());
  known.emplace_back(text, library);
  return library;
}

// ---- the program's side

// Memory that two processes see.
class SharedMemory {
 public:
  SharedMemory() : file_(memfd_create("perturb-kernel", MFD_CLOEXEC)) {
    if (!file_) throw_not_started("Cannot share memory with the process of an edited kernel", errno);
  }
  ~SharedMemory() { unmap(); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int file() const { return file_.id(); }
  std::size_t size() const { return size_; }
  char* grow_to(std::size_t bytes) {
    if (bytes <= size_) return memory_;
    unmap();
    if (ftruncate(file_.id(), static_cast<off_t>(bytes)) == 0) {
      void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.id(), 0);
      if (memory != MAP_FAILED) {
        memory_ = static_cast<char*>(memory), size_ = bytes;
        return memory_;
      }
    }
    throw_not_started("Not enough memory for an edited kernel", errno);
  }

 private:
  void unmap() {
    if (memory_) munmap(memory_, size_);
    memory_ = nullptr, size_ = 0;
  }
  Descriptor file_;
  char* memory_ = nullptr;
  std::size_t size_ = 0;
};

// The text of a CUDA kernel, which its process compiles.
std::shared_ptr<const Descriptor> file_of(const std::string& text) {
  auto file = std::make_shared<const Descriptor>(memfd_create("perturb-kernel-text", MFD_CLOEXEC));
  if (!*file || ::write(file->id(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw_not_started("Cannot share memory with the process of an edited kernel", errno);
  return file;
}

// `code`: the library, or on CUDA the text.
class KernelInProcess final : public EditedKernel {
 public:
  KernelInProcess(std::shared_ptr<const Descriptor> code, Backend& backend)
      : code_(std::move(code)), backend_(backend) {
    start();
  }

  bool is_on_device() const override { return backend_.is_cuda(); }

  char* memory(std::size_t bytes) override {
    if (!is_on_device()) return memory_.grow_to(bytes);
    if (bytes > device_memory_.size()) {
      backend_.synchronize();
      device_memory_ = Array<char>();
      device_memory_ = Array<char>(backend_, bytes, "an edited kernel");
      handle_ = handle_of_device_memory(device_memory_.data());
    }
    return device_memory_.data();
  }

  void run(int width, int height, int levels) override {
    if (!process_) start();
    if (is_on_device()) backend_.synchronize();
    const std::size_t bytes = is_on_device() ? device_memory_.size() : memory_.size();
    const StepRequest request{bytes, width, height, levels, handle_};
    const double seconds = pass_seconds + levels * static_cast<double>(bytes) / least_bytes_per_second;
    if (send(connection_.id(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) throw_ended();
    Answer answer{};
    if (!receive(answer, seconds, true)) throw_ended();
    if (answer != Answer::done) throw EditedKernelError("The edited kernel crashed: {}.", receive_text());
  }

 private:
  void start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw_not_started("Cannot start the process of an edited kernel", errno);
    connection_ = Descriptor(ends[0]);
    const Descriptor other(ends[1]);
    const int number = is_on_device() ? backend_.device_index() : backend_.threads();
    process_.emplace("/proc/self/exe",
                     std::vector<std::string>{"perturb", process_word, backend_.word(), std::to_string(number)},
                     std::array<int, 3>{other.id(), memory_.file(), code_->id()});
    Answer answer{};
    if (!receive(answer, start_seconds, false)) throw_ended();
    if (answer == Answer::ready) return;
    const std::string text = answer == Answer::no_library ? std::string() : receive_text();
    process_.reset();
    if (answer == Answer::no_compile) throw CompileError(problems_of(text));
    if (answer == Answer::failed) throw Error(Message::value(text));
    throw InputError("The edited kernel calls a function that does not exist. Use only functions of its own text.");
  }

  // Waits for an answer; false: the process has ended. Throws EditedKernelError after `seconds`, and Stopped.
  bool receive(Answer& answer, double seconds, bool may_stop) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      pollfd waiting{connection_.id(), POLLIN, 0};
      constexpr int milliseconds = 20;  // between two looks at the stop request
      if (poll(&waiting, 1, milliseconds) > 0) {
        const ssize_t got = recv(connection_.id(), &answer, sizeof answer, 0);
        if (got < 0 && errno == EINTR) continue;
        return got == sizeof answer;
      }
      if (may_stop && backend_.stop_requested()) {
        process_.reset();
        throw Stopped();
      }
      if (Clock::now() < end) continue;
      process_.reset();
      throw EditedKernelError("The edited kernel did not finish its steps within {} s: it may loop forever.",
                              static_cast<int>(seconds));
    }
  }
  // After an answer that ends the process.
  std::string receive_text() {
    std::string text;
    read_all(connection_.id(), start_seconds, text);
    process_.reset();
    return text;
  }

  [[noreturn]] void throw_ended() {
    const int status = process_->kill_and_wait();
    process_.reset();
    if (WIFSIGNALED(status))
      throw EditedKernelError("The edited kernel crashed: {}.", std::string(strsignal(WTERMSIG(status))));
    throw EditedKernelError("The process of the edited kernel ended.");
  }

  std::shared_ptr<const Descriptor> code_;
  Backend& backend_;
  SharedMemory memory_;
  Array<char> device_memory_;
  CudaMemoryHandle handle_{};
  Descriptor connection_;
  std::optional<Process> process_;
};

// ---- the process's side

bool receive_all(void* to, std::size_t bytes) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = recv(STDIN_FILENO, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void send_answer(Answer answer) {
  if (send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) _exit(1);
}

// Ends the process when the program has ended, also during an endless step.
void watch_connection() {
  std::thread([] {
    for (;;) {
      pollfd waiting{STDIN_FILENO, 0, 0};
      if (poll(&waiting, 1, -1) > 0 && (waiting.revents & (POLLHUP | POLLERR | POLLNVAL))) _exit(0);
    }
  }).detach();
}

[[noreturn]] void send_and_exit(Answer answer, const std::string& text) {
  send_answer(answer);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(STDIN_FILENO, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  _exit(1);
}

[[noreturn]] void take_steps_on_device(int device) {
  struct stat file {};
  fstat(STDERR_FILENO, &file);
  std::string text(static_cast<std::size_t>(file.st_size), '\0'), messages;
  if (pread(STDERR_FILENO, text.data(), text.size(), 0) != file.st_size) _exit(1);
  try {
    const std::unique_ptr<CudaProgram> program = CudaProgram::compile(text, update_function_cuda, device, messages);
    if (!program) send_and_exit(Answer::no_compile, messages);
    send_answer(Answer::ready);
    CudaMemoryHandle open{};
    for (StepRequest request{}; receive_all(&request, sizeof request);) {
      if (request.device_memory != open) program->open(request.device_memory);
      open = request.device_memory;
      program->run(request.width, request.height, request.levels);
      send_answer(Answer::done);
    }
  } catch (const std::exception& error) {
    send_and_exit(Answer::failed, error.what());
  }
  _exit(0);
}

[[noreturn]] void take_steps_on_cpu(int threads) {
  void* const library = dlopen("/proc/self/fd/2", RTLD_NOW | RTLD_LOCAL);
  const auto update = library ? reinterpret_cast<UpdateRows>(dlsym(library, update_function)) : nullptr;
  if (!update) {
    send_answer(Answer::no_library);
    _exit(1);
  }
  const std::unique_ptr<Backend> backend = Backend::make_cpu(threads);
  CpuThreads& pool = static_cast<CpuBackend&>(*backend).pool();
  send_answer(Answer::ready);
  char* memory = nullptr;
  std::size_t size = 0;
  for (StepRequest request{}; receive_all(&request, sizeof request);) {
    if (request.bytes != size) {
      if (memory) munmap(memory, size);
      void* const mapped = mmap(nullptr, request.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, STDOUT_FILENO, 0);
      if (mapped == MAP_FAILED) _exit(1);
      memory = static_cast<char*>(mapped), size = request.bytes;
    }
    // Several levels in one pass over memory. Rows read their neighbours; the first and the last are if sides are
    // periodic.
    constexpr int least_cells = 8192;  // a thread is not woken for fewer
    const int least_rows = 1 + (least_cells - 1) / std::max(1, request.width * request.levels);
    for_skewed_rows(pool, request.height, request.levels, true, least_rows, 1,
                    [&](int j, int level) { update(memory, level, j, j + 1); });
    send_answer(Answer::done);
  }
  _exit(0);
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

std::unique_ptr<EditedKernel> start_edited_kernel(const KernelSource& source, const std::string& text,
                                                  const std::string& rows_class, Backend& backend) {
  const std::string all = one_file(source, text, rows_class, backend.is_cuda());
  return std::make_unique<KernelInProcess>(backend.is_cuda() ? file_of(all) : library_of(all), backend);
}

bool is_kernel_process(int argc, char** argv) { return argc == 4 && std::string_view(argv[1]) == process_word; }

void serve_as_kernel_process(int /*argc*/, char** argv) {
  struct rlimit none {};
  setrlimit(RLIMIT_CORE, &none);
  // A sanitizer would report a crash, and exit.
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(crash, SIG_DFL);
  watch_connection();
  const int number = std::atoi(argv[3]);
  if (std::string_view(argv[2]) == "cuda") take_steps_on_device(number);
  setrlimit(RLIMIT_FSIZE, &none);
  take_steps_on_cpu(number);
}

}  // namespace perturb
