// A backend for one CUDA device with one stream, and what else needs CUDA's runtime or CUB: launch shapes, prefix sums,
// peak rates.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/caches.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cuda_launch.h"
#include "cuda/core/backend/cuda_scan.h"
#include "cuda/core/backend/cuda_warp.h"
#include "cuda/core/backend/peak_rates.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

namespace detail {

struct Nothing {
  PERTURB_HD void operator()(int) const {}
};

void throw_cuda_error(cudaError_t code, const char* call, const char* file, int line) {
  Message remedy;
  if (code == cudaErrorMemoryAllocation) remedy = "Choose a smaller size, or close other programs that use the GPU.";
  throw Error(Message("CUDA failed: {} ({}) in {} at {}:{}.", std::string(cudaGetErrorString(code)),
                      std::string(cudaGetErrorName(code)), std::string(call), std::string(file), line) +
              remedy);
}

void push_profiler_range([[maybe_unused]] const char* name) {
#if __has_include(<nvtx3/nvToolsExt.h>)
  nvtxRangePushA(name);
#endif
}
void pop_profiler_range() {
#if __has_include(<nvtx3/nvToolsExt.h>)
  nvtxRangePop();
#endif
}

}  // namespace detail

namespace {

std::string format_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Pinned memory is writable by the device as well. The copy engine takes about 10 µs to start and finish, which
// neighbouring loops would wait for; a kernel that copies a few bytes takes 2 µs.
constexpr std::size_t max_by_kernel = 4096;
__global__ void copy_few(const char* from, char* to, std::size_t bytes) {
  for (std::size_t k = threadIdx.x; k < bytes; k += blockDim.x) to[k] = from[k];
}

class CudaReadback final : public PinnedReadback {
 public:
  CudaReadback(std::size_t bytes, cudaStream_t stream) : bytes_(bytes), stream_(stream) {
    PERTURB_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    const cudaError_t code = cudaMallocHost(&memory_, bytes_);
    if (code != cudaSuccess) cudaEventDestroy(event_);
    PERTURB_CUDA_CHECK(code);
  }
  ~CudaReadback() override {
    if (event_) {
      cudaEventSynchronize(event_);  // the copy must not write into freed memory
      cudaEventDestroy(event_);
    }
    cudaFreeHost(memory_);
  }
  CudaReadback(const CudaReadback&) = delete;
  CudaReadback& operator=(const CudaReadback&) = delete;

  void start(const void* device) override {
    if (bytes_ <= max_by_kernel) {
      copy_few<<<1, 128, 0, stream_>>>(static_cast<const char*>(device), static_cast<char*>(memory_), bytes_);
      PERTURB_CUDA_CHECK(cudaGetLastError());
    } else {
      PERTURB_CUDA_CHECK(cudaMemcpyAsync(memory_, device, bytes_, cudaMemcpyDeviceToHost, stream_));
    }
    PERTURB_CUDA_CHECK(cudaEventRecord(event_, stream_));
  }
  bool ready() override {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    PERTURB_CUDA_CHECK(code);
    return true;
  }
  void wait() override { PERTURB_CUDA_CHECK(cudaEventSynchronize(event_)); }
  const void* data() const override { return memory_; }

 private:
  std::size_t bytes_;
  cudaStream_t stream_;
  void* memory_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

// Records the launches of a stream on the timeline of its GPU: an event before and one after each, read once the device
// has passed both, at the next launches. Waits for the device only once, at the first launch of a recording: the event
// whose time is then known on the host's clock.
class LaunchRecorder {
 public:
  explicit LaunchRecorder(const std::string& device) : track_("GPU, " + device) {}
  ~LaunchRecorder() {
    discard();
    for (const cudaEvent_t event : unused_) cudaEventDestroy(event);
  }
  LaunchRecorder(const LaunchRecorder&) = delete;
  LaunchRecorder& operator=(const LaunchRecorder&) = delete;

  // The event before a launch; null: too many are waiting, and this launch is not recorded.
  cudaEvent_t begin(cudaStream_t stream) {
    if (generation_ != Timeline::generation()) begin_recording(stream);
    read_finished();
    if (pending_.size() >= max_pending) return nullptr;
    const cudaEvent_t event = take_event();
    PERTURB_CUDA_CHECK(cudaEventRecord(event, stream));
    return open_ = event;
  }
  // Whether begin() has made this event, and end() is still due.
  bool is_open(cudaEvent_t event) const { return event && event == open_; }
  void end(const char* label, cudaStream_t stream) {
    const cudaEvent_t start = std::exchange(open_, nullptr), stop = take_event();
    pending_.push_back({label, start, stop});
    PERTURB_CUDA_CHECK(cudaEventRecord(stop, stream));
  }
  // A launch that failed.
  void cancel() {
    if (open_) unused_.push_back(std::exchange(open_, nullptr));
  }
  // Adds the launches that the device has finished to the timeline.
  void read_finished() {
    while (!pending_.empty()) {
      const Launch launch = pending_.front();
      const cudaError_t code = cudaEventQuery(launch.stop);
      if (code == cudaErrorNotReady) {
        cudaGetLastError();
        return;
      }
      PERTURB_CUDA_CHECK(code);
      float since_last = 0, lasted = 0;  // milliseconds
      PERTURB_CUDA_CHECK(cudaEventElapsedTime(&since_last, last_, launch.start));
      PERTURB_CUDA_CHECK(cudaEventElapsedTime(&lasted, launch.start, launch.stop));
      // From start to start: single precision would not resolve microseconds since the first one.
      last_time_ += 1e6 * static_cast<double>(since_last);
      const auto begin = static_cast<std::int64_t>(last_time_);
      track_.add({TimeUse::loop, launch.label.c_str(), begin,
                  begin + static_cast<std::int64_t>(1e6 * static_cast<double>(lasted))});
      unused_.push_back(std::exchange(last_, launch.start));
      unused_.push_back(launch.stop);
      pending_.pop_front();
    }
  }

 private:
  struct Launch {
    std::string label;
    cudaEvent_t start, stop;
  };
  static constexpr std::size_t max_pending = 8192;

  cudaEvent_t take_event() {
    if (unused_.empty()) {
      cudaEvent_t event = nullptr;
      PERTURB_CUDA_CHECK(cudaEventCreate(&event));
      return event;
    }
    const cudaEvent_t event = unused_.back();
    unused_.pop_back();
    return event;
  }
  void begin_recording(cudaStream_t stream) {
    discard();
    last_ = take_event();
    PERTURB_CUDA_CHECK(cudaEventRecord(last_, stream));
    PERTURB_CUDA_CHECK(cudaEventSynchronize(last_));
    last_time_ = static_cast<double>(Timeline::now());
    generation_ = Timeline::generation();
  }
  void discard() {
    cancel();
    for (const Launch& launch : pending_) {
      unused_.push_back(launch.start);
      unused_.push_back(launch.stop);
    }
    pending_.clear();
    if (last_) unused_.push_back(std::exchange(last_, nullptr));
  }

  Timeline::GpuTrack track_;
  int generation_ = 0;
  std::deque<Launch> pending_;
  std::vector<cudaEvent_t> unused_;
  cudaEvent_t open_ = nullptr, last_ = nullptr;
  double last_time_ = 0;  // of last_: Timeline::now()
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(int device, const std::string& name)
      : Backend(BackendKind::cuda, name, 1), device_(device), launches_(name) {
    PERTURB_CUDA_CHECK(cudaSetDevice(device_));
    // The default stream would synchronise with everything else in the process.
    PERTURB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~CudaBackend() override { cudaStreamDestroy(stream_); }

  void synchronize() override {
    PERTURB_CUDA_CHECK(cudaStreamSynchronize(stream_));
    launches_.read_finished();
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) override {
    PERTURB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_));
    synchronize();
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes) override {
    PERTURB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    synchronize();
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    PERTURB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_));
  }
  void fill_zero(void* to, std::size_t bytes) override { PERTURB_CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, stream_)); }
  std::unique_ptr<PinnedReadback> make_pinned_readback(std::size_t bytes) override {
    return std::make_unique<CudaReadback>(bytes, stream_);
  }

  std::size_t free_memory() const override { return memory().first; }
  std::size_t total_memory() const override { return memory().second; }
  void* stream() const override { return stream_; }
  int device_index() const override { return device_; }
  LaunchRecorder& launches() { return launches_; }

 private:
  std::pair<std::size_t, std::size_t> memory() const {
    std::size_t free = 0, total = 0;
    PERTURB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return {free, total};
  }
  void* allocate(std::size_t bytes) override {
    void* pointer = nullptr;
    if (cudaMalloc(&pointer, bytes == 0 ? 256 : bytes) == cudaSuccess) return pointer;
    cudaGetLastError();  // an out-of-memory error is not sticky, but the runtime keeps it until it is read
    return nullptr;
  }
  void release(void* pointer) noexcept override { cudaFree(pointer); }

  int device_;
  cudaStream_t stream_ = nullptr;
  LaunchRecorder launches_;
};

LaunchRecorder& launches_of(Backend& backend) { return static_cast<CudaBackend&>(backend).launches(); }

}  // namespace

CudaStatus cuda_status() {
  CudaStatus status;
  status.built = true;
  int driver = 0, runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  status.runtime = format_version(runtime);
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0) status.driver = format_version(driver);
  const cudaError_t code = cudaGetDeviceCount(&status.devices);
  cudaGetLastError();
  if (driver == 0) {
    status.reason = "No NVIDIA driver was found; install the driver of your GPU to use CUDA.";
  } else if (code == cudaErrorInsufficientDriver) {
    status.reason = Message(
        "The NVIDIA driver speaks CUDA {}, older than the CUDA {} this program was built with; update the driver.",
        status.driver, status.runtime);
  } else if (code != cudaSuccess || status.devices == 0) {
    status.devices = 0;
    status.reason = Message("No CUDA device can be used ({}); check that nvidia-smi lists your GPU.",
                            std::string(cudaGetErrorString(code)));
  } else {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
      status.device = properties.name;
      status.compute_capability = 10 * properties.major + properties.minor;
      // The program may contain no kernels for this device: query one that is always compiled.
      cudaFuncAttributes attributes;
      if (cudaFuncGetAttributes(&attributes, detail::run_functor_1d<detail::Nothing>) == cudaSuccess) {
        status.usable = true;
      } else {
        status.reason = Message(
            "This program has no kernels for the {} (compute capability {}.{}); build it on this machine with "
            "scripts/run --cuda.",
            status.device, properties.major, properties.minor);
      }
    }
    cudaGetLastError();
  }
  return status;
}

std::unique_ptr<Backend> Backend::make_cuda(int device) {
  const CudaStatus status = cuda_status();
  if (!status.usable) throw Error(status.reason);
  if (device < 0 || device >= status.devices)
    throw Error("No CUDA device {}: this machine has {}, counted from 0.", device, status.devices);
  cudaDeviceProp properties;
  PERTURB_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return std::make_unique<CudaBackend>(device, properties.name);
}

CudaLaunch::CudaLaunch(Backend& backend, const char* label)
    : backend_(backend), label_(label), stream_(static_cast<cudaStream_t>(backend.stream())) {
  backend_.loop_stop_point();
  if (BlockRecorder* recorder = backend.block_recorder(); recorder && recorder->is_open(label)) recorder_ = recorder;
  if (!backend_.stats().timing() && !recorder_) return;
  if (backend_.stats().timing() && Timeline::is_recording()) {
    detail::push_profiler_range(label_);
    start_ = launches_of(backend_).begin(stream_);
    if (!start_) detail::pop_profiler_range();
    return;
  }
  PERTURB_CUDA_CHECK(cudaEventCreate(&start_));
  PERTURB_CUDA_CHECK(cudaEventRecord(start_, stream_));
}

CudaLaunch::~CudaLaunch() noexcept(false) {
  const cudaError_t code = cudaGetLastError();
  const bool is_recorded = start_ && launches_of(backend_).is_open(start_);
  if (is_recorded) detail::pop_profiler_range();
  if (code != cudaSuccess) {
    if (is_recorded) launches_of(backend_).cancel();
    throw Error("The kernel {} could not be launched: {} ({}).", label_, cudaGetErrorString(code),
                cudaGetErrorName(code));
  }
#if !defined(NDEBUG)
  PERTURB_CUDA_CHECK(cudaStreamSynchronize(stream_));
#endif
  if (!start_) return;
  if (is_recorded) {
    launches_of(backend_).end(label_, stream_);
    if (recorder_) recorder_->end(0);
    return;
  }
  cudaEvent_t stop;
  PERTURB_CUDA_CHECK(cudaEventCreate(&stop));
  PERTURB_CUDA_CHECK(cudaEventRecord(stop, stream_));
  PERTURB_CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  PERTURB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start_, stop));
  cudaEventDestroy(start_);
  cudaEventDestroy(stop);
  if (recorder_) recorder_->end(milliseconds * 1e-3);
  if (backend_.stats().timing()) backend_.stats().add(label_, milliseconds * 1e-3);
}

void use_device_here(const Backend& backend) {
  if (backend.is_cuda()) PERTURB_CUDA_CHECK(cudaSetDevice(backend.device_index()));
}

int cuda_resident_blocks(const void* function, int threads, std::size_t dynamic_shared) {
  static std::mutex mutex;
  static std::map<std::tuple<int, const void*, int, std::size_t>, int> known;
  int device = 0;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard lock(mutex);
  int& blocks = known[{device, function, threads, dynamic_shared}];
  if (blocks == 0) {
    int of_each = 0, processors = 0;
    PERTURB_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, function, threads, dynamic_shared));
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    blocks = std::max(1, of_each * processors);
  }
  return blocks;
}

LaunchShape cuda_launch_shape(const void* function, dim3 block, std::size_t dynamic_shared) {
  cudaFuncAttributes attributes;
  PERTURB_CUDA_CHECK(cudaFuncGetAttributes(&attributes, function));
  const int threads = static_cast<int>(block.x * block.y);
  int device = 0, processors = 1, threads_of_processor = 1;
  PERTURB_CUDA_CHECK(cudaGetDevice(&device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&threads_of_processor, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  // A block of fewer threads than a warp still uses a whole warp.
  const int warps = (threads + warp_size - 1) / warp_size;
  LaunchShape shape;
  shape.block_x = static_cast<int>(block.x);
  shape.block_y = static_cast<int>(block.y);
  shape.registers_per_thread = attributes.numRegs;
  shape.local_bytes = static_cast<int>(attributes.localSizeBytes);
  shape.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + dynamic_shared);
  shape.occupancy =
      static_cast<double>(cuda_resident_blocks(function, threads, dynamic_shared) / processors * warps * warp_size) /
      threads_of_processor;
  return shape;
}

namespace detail {

// Prefix sums (ExclusiveScan).
std::size_t cuda_scan_bytes(std::size_t max_count) {
  std::size_t bytes = 0;
  int* none = nullptr;
  PERTURB_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, static_cast<int>(max_count)));
  return bytes;
}

void cuda_scan(Backend& backend, const char* label, const int* from, int* to, std::size_t count, void* scratch,
               std::size_t bytes) {
  const CudaLaunch launch(backend, label);
  PERTURB_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, static_cast<int>(count), launch.stream()));
}

std::size_t l2_bytes_cuda(int device) {
  int bytes = 0;
  PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  return static_cast<std::size_t>(bytes);
}

PeakRates peak_rates_cuda(int device) {
  const auto get = [device](cudaDeviceAttr attribute) {
    int value = 0;
    PERTURB_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
    return static_cast<double>(value);
  };
  const int major = static_cast<int>(get(cudaDevAttrComputeCapabilityMajor)),
            minor = static_cast<int>(get(cudaDevAttrComputeCapabilityMinor));
  // FP32 units per multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions".
  double units = 128;
  if (major == 6 && minor == 0)
    units = 64;
  else if (major == 7)
    units = 64;
  else if (major == 8 && minor == 0)
    units = 64;
  const double clock = 1e3 * get(cudaDevAttrClockRate);  // kHz
  const double ratio = get(cudaDevAttrSingleToDoublePrecisionPerfRatio);
  PeakRates rates;
  rates.fp32 = 2 * units * clock * get(cudaDevAttrMultiProcessorCount);
  rates.fp64 = rates.fp32 / (ratio > 0 ? ratio : 1);
  rates.bytes_per_second = 2 * 1e3 * get(cudaDevAttrMemoryClockRate) * get(cudaDevAttrGlobalMemoryBusWidth) / 8;
  return rates;
}

}  // namespace detail

}  // namespace perturb
