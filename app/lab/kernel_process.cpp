#include "app/lab/kernel_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/lab/compiler.h"
#include "app/lab/edited_kernel.h"
#include "app/lab/process.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/cuda_program.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/skewed_rows.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* process_word = "@edited-kernel";
constexpr const char* update_function = "perturb_update_rows";
constexpr const char* update_function_cuda = "perturb_update_cells";
using UpdateRows = void (*)(char* memory, int level, int begin, int end);

constexpr double start_seconds = 20;
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
  std::optional<SpawnedProcess> process_;
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
  exit_with_connection();
  const int number = std::atoi(argv[3]);
  if (std::string_view(argv[2]) == "cuda") take_steps_on_device(number);
  setrlimit(RLIMIT_FSIZE, &none);
  take_steps_on_cpu(number);
}

}  // namespace perturb
