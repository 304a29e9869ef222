#include "app/edited/kernel_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string_view>
#include <thread>
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

#include "app/edited/compiler.h"
#include "app/edited/edited_kernel.h"
#include "app/edited/process.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/backend/cuda_program.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/backend/shared_memory.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/loops/skewed_rows.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* update_function = "perturb_update_rows";
constexpr const char* update_function_cuda = "perturb_update_cells";
using UpdateRows = void (*)(char* memory, int level, int begin, int end);

constexpr double start_seconds = 20;
// A pass is stopped after this time, and the time that a very slow kernel needs for its cells.
constexpr double pass_seconds = 2, min_cells_per_second = 1e6;
// The limits are of processor time, so that a busy machine makes no kernel endless. A process that waits without using
// the processor gets this much longer.
constexpr double max_kernel_wait = 60;

// ---- both sides of the connection

struct StepRequest {
  std::uint64_t place;  // of the memory in the shared file
  std::int32_t width, height, levels;
  CudaMemoryHandle device_memory;  // on CUDA, instead
};
// After `no_library`, `no_compile` and `failed` a text follows, and the connection ends.
enum class Reply : char { ready = 'r', no_library = 'l', no_compile = 'c', failed = 'f', done = 'd' };

// All files as one: each in place of the lines that include it.
std::string one_file(const KernelSource& source, const std::string& text, const std::string& rows_class, bool cuda) {
  std::string all = "#define PERTURB_ASSERT(condition) ((void)0)\n";
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
  KernelInProcess(std::shared_ptr<const Descriptor> code, Backend& backend, const std::stop_token& stop)
      : code_(std::move(code)), backend_(backend) {
    start(stop);
  }

  char* memory(std::size_t bytes) override {
    if (bytes > memory_.size()) {
      backend_.synchronize();
      memory_ = Array<char>();
      std::optional<SharedAllocations> shared;
      if (!backend_.is_cuda()) shared.emplace();
      memory_ = Array<char>(backend_, bytes, "an edited kernel");
      if (backend_.is_cuda()) handle_ = handle_of_device_memory(memory_.data());
    }
    return memory_.data();
  }

  bool sees(const void* field) const override { return !backend_.is_cuda() && SharedMemory::has(field); }

  void run(int width, int height, int levels) override {
    if (!process_) start({});
    backend_.synchronize();
    const std::uint64_t place = backend_.is_cuda() ? 0 : SharedMemory::of_process().place(memory_.data());
    const StepRequest request{place, width, height, levels, handle_};
    const double cells = static_cast<double>(width) * height * levels;
    const double seconds = pass_seconds + cells / min_cells_per_second;
    if (send(connection_.id(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) throw_ended();
    Reply answer{};
    if (!receive(answer, seconds, [&] { return backend_.stop_requested(); })) throw_ended();
    if (answer != Reply::done) throw EditedKernelError("The edited kernel crashed: {}.", receive_text());
  }

 private:
  void start(const std::stop_token& stop) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw_not_started("Cannot start the process of an edited kernel", errno);
    connection_ = Descriptor(ends[0]);
    Descriptor other(ends[1]);
    const int number = backend_.is_cuda() ? backend_.device_index() : backend_.threads();
    const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    process_.emplace(
        "/proc/self/exe", std::vector<std::string>{"perturb", kernel_task.name, backend_.id(), std::to_string(number)},
        std::array<int, 3>{other.id(), backend_.is_cuda() ? nothing.id() : SharedMemory::of_process().file(),
                           code_->id()});
    other = Descriptor();  // so that the connection ends with that process
    Reply answer{};
    if (!receive(answer, start_seconds, [&] { return stop.stop_requested(); })) throw_ended();
    if (answer == Reply::ready) return;
    const std::string text = receive_text();
    process_.reset();
    if (answer == Reply::no_compile) throw CompileError(problems_of(text));
    if (answer == Reply::failed) throw Error(Message::value(text));
    if (text.find(undefined_symbol) == std::string::npos)
      throw CompilerError("its library cannot be loaded ({})", Message::value(text));
    throw InputError("The edited kernel calls a function that does not exist. Use only functions of its own text.");
  }

  // Waits for an answer; false: the process has ended. Throws EditedKernelError after `seconds` of processor time, and
  // Stopped.
  template <class IsStopped>
  bool receive(Reply& answer, double seconds, const IsStopped& is_stopped) {
    const auto begin = Clock::now();
    const double used_before = process_->processor_seconds();
    for (;;) {
      pollfd waiting{connection_.id(), POLLIN, 0};
      if (poll(&waiting, 1, poll_milliseconds) > 0) {
        const ssize_t got = recv(connection_.id(), &answer, sizeof answer, 0);
        if (got < 0 && errno == EINTR) continue;
        return got == sizeof answer;
      }
      if (is_stopped()) {
        process_.reset();
        throw Stopped();
      }
      const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
      const bool has_computed = process_->processor_seconds() - used_before >= seconds;
      if (passed < (has_computed ? seconds : seconds + max_kernel_wait)) continue;
      process_.reset();
      throw EditedKernelError("The edited kernel did not finish its steps within {} s: it may loop forever.",
                              static_cast<int>(seconds));
    }
  }
  // After an answer that ends the process.
  std::string receive_text() {
    std::string text;
    read_all(connection_.id(), start_seconds, {}, text);
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
  Array<char> memory_;
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
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void send_answer(Reply answer) {
  if (send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) _exit(1);
}

[[noreturn]] void send_and_exit(Reply answer, const std::string& text) {
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
    if (!program) send_and_exit(Reply::no_compile, messages);
    send_answer(Reply::ready);
    CudaMemoryHandle open{};
    for (StepRequest request{}; receive_all(&request, sizeof request);) {
      if (request.device_memory != open) program->open(request.device_memory);
      open = request.device_memory;
      program->run(request.width, request.height, request.levels);
      send_answer(Reply::done);
    }
  } catch (const std::exception& error) {
    send_and_exit(Reply::failed, error.what());
  }
  _exit(0);
}

[[noreturn]] void take_steps_on_cpu(int threads) {
  void* const library = dlopen("/proc/self/fd/2", RTLD_NOW | RTLD_LOCAL);
  const auto update = library ? reinterpret_cast<UpdateRows>(dlsym(library, update_function)) : nullptr;
  if (!update) {
    const char* const why = dlerror();
    send_and_exit(Reply::no_library, why ? why : undefined_symbol);
  }
  const std::unique_ptr<Backend> backend = Backend::make_cpu(threads);
  CpuThreads& pool = static_cast<CpuBackend&>(*backend).pool();
  struct stat file {};
  fstat(STDOUT_FILENO, &file);
  const auto size = static_cast<std::size_t>(file.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, STDOUT_FILENO, 0);
  if (mapped == MAP_FAILED) _exit(1);
  limit_this_process();
  send_answer(Reply::ready);
  for (StepRequest request{}; receive_all(&request, sizeof request);) {
    char* const memory = static_cast<char*>(mapped) + request.place;
    // Several levels in one pass over memory. Rows read their neighbours; the first and the last are if sides are
    // periodic.
    constexpr int min_cells = 8192;  // a thread is not woken for fewer
    const int min_rows = 1 + (min_cells - 1) / std::max(1, request.width * request.levels);
    for_skewed_rows(pool, request.height, request.levels, true, min_rows, 1,
                    [&](int j, int level) { update(memory, level, j, j + 1); });
    send_answer(Reply::done);
  }
  _exit(0);
}

// Kernels that have been prepared and not yet been used.
class PreparedKernels {
 public:
  static PreparedKernels& of_process() {
    static PreparedKernels kernels;
    return kernels;
  }
  // Only the last one is kept: it is used at once, unless the run has changed.
  void put(const std::string& text, const Backend& backend, std::unique_ptr<EditedKernel> kernel) {
    const std::lock_guard lock(mutex_);
    text_ = text;
    backend_ = &backend;
    kernel_ = std::move(kernel);
  }
  // Null: there is none.
  std::unique_ptr<EditedKernel> take(const std::string& text, const Backend& backend) {
    const std::lock_guard lock(mutex_);
    return text_ == text && backend_ == &backend ? std::move(kernel_) : nullptr;
  }

 private:
  std::mutex mutex_;
  std::string text_;
  const Backend* backend_ = nullptr;
  std::unique_ptr<EditedKernel> kernel_;
};

std::unique_ptr<EditedKernel> start_kernel(const std::string& all, Backend& backend, const std::stop_token& stop) {
  return std::make_unique<KernelInProcess>(backend.is_cuda() ? file_of(all) : library_of(all, stop), backend, stop);
}

}  // namespace

std::unique_ptr<EditedKernel> start_edited_kernel(const KernelSource& source, const std::string& text,
                                                  const std::string& rows_class, Backend& backend) {
  const std::string all = one_file(source, text, rows_class, backend.is_cuda());
  std::unique_ptr<EditedKernel> prepared = PreparedKernels::of_process().take(all, backend);
  return prepared ? std::move(prepared) : start_kernel(all, backend, {});
}

struct KernelPreparation::Thread {
  std::atomic<bool> is_done = false;
  std::exception_ptr error;
  std::jthread thread;
};

KernelPreparation::KernelPreparation(const KernelSource& source, std::string text, std::string rows_class,
                                     Backend& backend)
    : thread_(std::make_unique<Thread>()) {
  thread_->thread = std::jthread([own = thread_.get(), &source, text = std::move(text),
                                  rows_class = std::move(rows_class), &backend](const std::stop_token& stop) {
    try {
      const std::string all = one_file(source, text, rows_class, backend.is_cuda());
      PreparedKernels::of_process().put(all, backend, start_kernel(all, backend, stop));
    } catch (...) {
      own->error = std::current_exception();
    }
    own->is_done = true;
  });
}

KernelPreparation::~KernelPreparation() = default;

bool KernelPreparation::is_done() const { return thread_->is_done; }
void KernelPreparation::check() const {
  if (thread_->error) std::rethrow_exception(thread_->error);
}

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
