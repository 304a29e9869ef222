#include "cuda/core/backend/cuda_program.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// ---- the parts of the driver's and of NVRTC's interface that are used, as in cuda.h and nvrtc.h

using DriverResult = int;  // 0: success
using Device = int;
using Context = void*;
using Module = void*;
using Function = void*;
using DevicePointer = unsigned long long;
struct MemoryHandle {
  char bytes[64];
};
using NvrtcResult = int;  // 0: success, 6: the text does not compile
using NvrtcProgram = void*;

constexpr int nvrtc_compile_error = 6, capability_major = 75, capability_minor = 76;
constexpr unsigned lazy_peer_access = 1;

class Library {
 public:
  explicit Library(std::initializer_list<const char*> names) {
    for (const char* name : names)
      if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) return;
  }
  explicit operator bool() const { return library_ != nullptr; }
  template <class F>
  void find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(library_, name));
    if (!function) throw Error("The CUDA driver has no function {}. Update the driver.", name);
  }

 private:
  void* library_ = nullptr;  // stays open until the process ends
};

struct Driver {
  DriverResult (*initialise)(unsigned);
  DriverResult (*get_device)(Device*, int);
  DriverResult (*get_attribute)(int*, int, Device);
  DriverResult (*retain_context)(Context*, Device);
  DriverResult (*use_context)(Context);
  DriverResult (*load_module)(Module*, const void*);
  DriverResult (*get_function)(Function*, Module, const char*);
  DriverResult (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                         void**);
  DriverResult (*synchronise)();
  DriverResult (*get_handle)(MemoryHandle*, DevicePointer);
  DriverResult (*open_handle)(DevicePointer*, MemoryHandle, unsigned);
  DriverResult (*close_handle)(DevicePointer);
  DriverResult (*allocate)(DevicePointer*, std::size_t);
  DriverResult (*release)(DevicePointer);
  DriverResult (*copy_to_device)(DevicePointer, const void*, std::size_t);
  DriverResult (*copy_to_host)(void*, DevicePointer, std::size_t);
  DriverResult (*get_error)(DriverResult, const char**);

  // Throws Error if there is no driver.
  static const Driver& of_process() {
    static const Driver driver;
    return driver;
  }
  void check(DriverResult result, const char* doing) const {
    if (result == 0) return;
    const char* text = nullptr;
    get_error(result, &text);
    throw Error("The CUDA driver failed {}: {}. Run on the CPU with --backend cpu.", Message(doing),
                std::string(text ? text : "unknown error"));
  }

 private:
  Driver() {
    const Library library{"libcuda.so.1", "libcuda.so"};
    if (!library) throw Error("There is no CUDA driver (libcuda.so.1). Run on the CPU with --backend cpu.");
    library.find(initialise, "cuInit");
    library.find(get_device, "cuDeviceGet");
    library.find(get_attribute, "cuDeviceGetAttribute");
    library.find(retain_context, "cuDevicePrimaryCtxRetain");
    library.find(use_context, "cuCtxSetCurrent");
    library.find(load_module, "cuModuleLoadData");
    library.find(get_function, "cuModuleGetFunction");
    library.find(launch, "cuLaunchKernel");
    library.find(synchronise, "cuCtxSynchronize");
    library.find(get_handle, "cuIpcGetMemHandle");
    library.find(open_handle, "cuIpcOpenMemHandle_v2");
    library.find(close_handle, "cuIpcCloseMemHandle");
    library.find(allocate, "cuMemAlloc_v2");
    library.find(release, "cuMemFree_v2");
    library.find(copy_to_device, "cuMemcpyHtoD_v2");
    library.find(copy_to_host, "cuMemcpyDtoH_v2");
    library.find(get_error, "cuGetErrorString");
  }
};

// The images of a program for one architecture. Empty: it does not compile.
std::vector<char> compile_image(const std::string& text, int capability, std::string& messages) {
  const Library library{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  if (!library)
    throw Error(
        "Cannot compile the kernel: NVRTC (libnvrtc.so) was not found. Install the CUDA toolkit, or run on the CPU "
        "with "
        "--backend cpu.");
  NvrtcResult (*create)(NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*);
  NvrtcResult (*compile)(NvrtcProgram, int, const char* const*);
  NvrtcResult (*log_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*get_log)(NvrtcProgram, char*);
  NvrtcResult (*image_size)(NvrtcProgram, std::size_t*);
  NvrtcResult (*get_image)(NvrtcProgram, char*);
  NvrtcResult (*destroy)(NvrtcProgram*);
  const char* (*error_text)(NvrtcResult);
  library.find(create, "nvrtcCreateProgram");
  library.find(compile, "nvrtcCompileProgram");
  library.find(log_size, "nvrtcGetProgramLogSize");
  library.find(get_log, "nvrtcGetProgramLog");
  library.find(image_size, "nvrtcGetCUBINSize");
  library.find(get_image, "nvrtcGetCUBIN");
  library.find(destroy, "nvrtcDestroyProgram");
  library.find(error_text, "nvrtcGetErrorString");

  // NVRTC has no headers of the host. These declare what the texts of edited kernels use of them.
  constexpr const char* header_names[] = {"cmath", "cstddef", "cstdint", "cstring", "limits", "type_traits"};
  constexpr const char* headers[] = {
      "namespace std { using ::abs; using ::copysign; using ::fabs; using ::isfinite; using ::signbit; using ::sqrt; "
      "}\n",
      "#pragma once\nnamespace std { using size_t = decltype(sizeof 0); using ptrdiff_t = long long; }\n",
      "#pragma once\nnamespace std { using uint8_t = unsigned char; using uint16_t = unsigned short;\n"
      "using uint32_t = unsigned int; using uint64_t = unsigned long long; }\n",
      "#pragma once\nnamespace std { using ::memcpy; }\n",
      "#pragma once\nnamespace std { template <class T> struct numeric_limits; }\n",
      "#pragma once\nnamespace std {\n"
      "template <class T, T v> struct integral_constant { static constexpr T value = v; };\n"
      "template <class T> inline constexpr bool is_const_v = false;\n"
      "template <class T> inline constexpr bool is_const_v<const T> = true;\n"
      "template <class A, class B> inline constexpr bool is_same_v = false;\n"
      "template <class A> inline constexpr bool is_same_v<A, A> = true;\n"
      "}\n"};
  NvrtcProgram program = nullptr;
  const auto check = [&](NvrtcResult result) {
    if (result != 0)
      throw Error("NVRTC failed: {}. Run on the CPU with --backend cpu.", std::string(error_text(result)));
  };
  check(create(&program, text.c_str(), "kernel", static_cast<int>(std::size(headers)), headers, header_names));
  // As nvcc compiles the program (scripts/cmake/Compiler.cmake).
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
  const char* const options[] = {architecture.c_str(), "--fmad=false",       "--ftz=true",
                                 "--std=c++20",        "--disable-warnings", "--device-as-default-execution-space"};
  const NvrtcResult result = compile(program, static_cast<int>(std::size(options)), options);
  std::size_t size = 0;
  check(log_size(program, &size));
  messages.assign(size, '\0');
  check(get_log(program, messages.data()));
  while (!messages.empty() && messages.back() == '\0') messages.pop_back();
  std::vector<char> image;
  if (result != nvrtc_compile_error) {
    check(result);
    check(image_size(program, &size));
    image.resize(size);
    check(get_image(program, image.data()));
  }
  destroy(&program);
  return image;
}

class LoadedProgram final : public CudaProgram {
 public:
  LoadedProgram(const std::vector<char>& image, const char* name) {
    driver_.check(driver_.load_module(&module_, image.data()), "to load the kernel");
    driver_.check(driver_.get_function(&function_, module_, name), "to find the kernel");
  }
  ~LoadedProgram() override {
    if (memory_ != 0) driver_.close_handle(memory_);
  }

  void open(const CudaMemoryHandle& handle) override {
    if (memory_ != 0) driver_.close_handle(std::exchange(memory_, 0));
    MemoryHandle named;
    std::copy(handle.begin(), handle.end(), reinterpret_cast<unsigned char*>(named.bytes));
    driver_.check(driver_.open_handle(&memory_, named, lazy_peer_access), "to share memory with another process");
  }

  void run(int width, int height, int levels) override {
    constexpr unsigned block_x = 32, block_y = 8;
    const unsigned blocks_x = (static_cast<unsigned>(width) + block_x - 1) / block_x;
    const unsigned blocks_y = (static_cast<unsigned>(height) + block_y - 1) / block_y;
    for (int level = 0; level < levels; ++level) {
      void* arguments[] = {&memory_, &level, &width, &height};
      driver_.check(
          driver_.launch(function_, blocks_x, blocks_y, 1, block_x, block_y, 1, 0, nullptr, arguments, nullptr),
          "to launch the kernel");
    }
    driver_.check(driver_.synchronise(), "in the kernel");
  }

  double time(std::array<unsigned, 2> grid, std::array<unsigned, 2> block,
              const std::vector<CudaArgument>& arguments) override {
    std::vector<DeviceMemory> arrays;
    arrays.reserve(arguments.size());
    std::vector<std::array<unsigned char, 4>> numbers;
    numbers.reserve(arguments.size());
    std::vector<void*> words;  // the addresses of the arguments, which no longer move
    for (const CudaArgument& argument : arguments) {
      if (argument.elements)
        words.push_back(&arrays.emplace_back(argument.elements, argument.size * sizeof(float)).pointer);
      else
        words.push_back(&numbers.emplace_back(argument.number));
    }
    const auto launch = [&](int count) {
      using Clock = std::chrono::steady_clock;
      const auto begin = Clock::now();
      for (int k = 0; k < count; ++k)
        driver_.check(
            driver_.launch(function_, grid[0], grid[1], 1, block[0], block[1], 1, 0, nullptr, words.data(), nullptr),
            "to launch the kernel");
      driver_.check(driver_.synchronise(), "in the kernel");
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    launch(1);
    std::size_t next = 0;
    for (const CudaArgument& argument : arguments)
      if (argument.elements) arrays[next++].copy_to(argument.elements);
    constexpr double wanted_seconds = 0.2;
    constexpr int max_launches = 100'000;
    int count = 1;
    double seconds = launch(count);
    while (seconds < wanted_seconds && count < max_launches) {
      count = std::min(max_launches,
                       1 + static_cast<int>(count * std::min(100.0, 1.2 * wanted_seconds / std::max(seconds, 1e-6))));
      seconds = launch(count);
    }
    return seconds / count;
  }

 private:
  // An array on the device, for one call of time().
  struct DeviceMemory {
    DeviceMemory(const void* from, std::size_t size) : bytes(size) {
      const Driver& driver = Driver::of_process();
      driver.check(driver.allocate(&pointer, bytes), "to allocate memory");
      driver.check(driver.copy_to_device(pointer, from, bytes), "to copy to the device");
    }
    ~DeviceMemory() {
      if (pointer != 0) Driver::of_process().release(pointer);
    }
    DeviceMemory(DeviceMemory&& other) noexcept : pointer(std::exchange(other.pointer, 0)), bytes(other.bytes) {}
    void copy_to(void* host) const {
      const Driver& driver = Driver::of_process();
      driver.check(driver.copy_to_host(host, pointer, bytes), "to copy from the device");
    }
    DevicePointer pointer = 0;
    std::size_t bytes = 0;
  };

  const Driver& driver_ = Driver::of_process();
  Module module_ = nullptr;
  Function function_ = nullptr;
  DevicePointer memory_ = 0;
};

}  // namespace

CudaMemoryHandle handle_of_device_memory(void* memory) {
  const Driver& driver = Driver::of_process();
  MemoryHandle named;
  driver.check(driver.get_handle(&named, reinterpret_cast<DevicePointer>(memory)),
               "to share memory with another process");
  CudaMemoryHandle handle;
  std::copy(std::begin(named.bytes), std::end(named.bytes), reinterpret_cast<char*>(handle.data()));
  return handle;
}

std::unique_ptr<CudaProgram> CudaProgram::compile(const std::string& text, const char* name, int device,
                                                  std::string& messages) {
  const Driver& driver = Driver::of_process();
  driver.check(driver.initialise(0), "to start");
  Device own = 0;
  Context context = nullptr;
  int major = 0, minor = 0;
  driver.check(driver.get_device(&own, device), "to find the device");
  driver.check(driver.get_attribute(&major, capability_major, own), "to find the device");
  driver.check(driver.get_attribute(&minor, capability_minor, own), "to find the device");
  driver.check(driver.retain_context(&context, own), "to use the device");
  driver.check(driver.use_context(context), "to use the device");
  const std::vector<char> image = compile_image(text, 10 * major + minor, messages);
  if (image.empty()) return nullptr;
  return std::make_unique<LoadedProgram>(image, name);
}

}  // namespace perturb
