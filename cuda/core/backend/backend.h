// The backend that a simulation runs on: CPU threads, or one CUDA device with one stream; and the time that its kernels
// take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

// Time spent by kernel label.
struct KernelTime {
  std::string label;
  std::int64_t launches = 0;
  double seconds = 0;
};

// While `timing` is on, counts the runs of each labelled loop and measures their time. Timing waits for each kernel, so
// it is for `bench`, never for ordinary frames. While intervals are recorded (timeline.h), loops are added to the
// timeline too; those of a GPU to the timeline only, without waiting.
class KernelStats {
 public:
  bool timing() const { return timing_; }
  void set_timing(bool on) { timing_ = on; }
  void add(const char* label, double seconds);
  void clear() { times_.clear(); }
  // Longest first.
  std::vector<KernelTime> table() const;

 private:
  bool timing_ = false;
  std::map<std::string, KernelTime> times_;
};

// Launch shape and resource use of a kernel, for `bench` and the laboratory; zero if unknown.
struct LaunchShape {
  int block_x = 0, block_y = 0, registers_per_thread = 0, shared_bytes = 0;
  double occupancy = 0;  // theoretical, as a fraction of the device's resident warps
  int local_bytes = 0;   // of a thread, in memory: registers that are spilled, and arrays that registers cannot hold
};

enum class BackendKind { cpu, cuda };

// A copy to the host through pinned memory, which the device writes directly (AsyncReadback).
class PinnedReadback {
 public:
  virtual ~PinnedReadback() = default;
  virtual void start(const void* device) = 0;
  virtual bool ready() = 0;  // whether the copy has arrived; throws Error if the device failed
  virtual void wait() = 0;
  virtual const void* data() const = 0;
};

class BlockRecorder;

// A compute backend. A CUDA backend queues work on its stream, which may still be running when a call returns; a CPU
// backend has finished when the call returns. A process may have several backends.
class Backend {
 public:
  // `threads` = 0 uses one thread for each processor that this process may use. If the system cannot start that many (a
  // limit of memory or of processes), the backend uses those that start, and `note` receives a message about it.
  static std::unique_ptr<Backend> make_cpu(int threads = 0, Message* note = nullptr);
  // Throws Error with the reason (built without CUDA, no driver, driver too old, no device) if there is no such device.
  static std::unique_ptr<Backend> make_cuda(int device = 0);

  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  BackendKind kind() const { return kind_; }
  bool is_cuda() const { return kind_ == BackendKind::cuda; }
  // "cpu" or "cuda", as on the command line.
  const char* id() const { return is_cuda() ? "cuda" : "cpu"; }
  // The name of the processor or device.
  const std::string& device_name() const { return device_name_; }
  // CPU threads that loops use; 1 on CUDA.
  int threads() const { return threads_; }

  virtual void synchronize() = 0;
  // Copies bytes from and to ordinary memory. Both wait until the copy is complete.
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  // Copies bytes within this backend's memory; queued.
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill_zero(void* to, std::size_t bytes) = 0;
  // Null where a plain copy is as good: on the CPU.
  virtual std::unique_ptr<PinnedReadback> make_pinned_readback(std::size_t bytes);

  // Memory available to new fields, and total memory; bytes.
  virtual std::size_t free_memory() const = 0;
  virtual std::size_t total_memory() const = 0;
  // Bytes allocated by allocate_memory and not yet released.
  std::size_t memory_in_use() const { return memory_in_use_; }

  // The device's cudaStream_t and index; null and -1 on the CPU.
  virtual void* stream() const { return nullptr; }
  virtual int device_index() const { return -1; }

  // Whether a stop was requested (core/backend/stop.h). stop_point() then throws Stopped.
  bool stop_requested() const { return stop_request_ && stop_request_->stop_requested(); }
  void stop_point() const {
    if (stop_requested()) throw Stopped();
  }
  // The stop point before a loop; loops may stop only under InterruptibleScope.
  void loop_stop_point() const {
    if (loops_may_stop_ > 0) stop_point();
  }

  // Time by kernel label; off by default.
  KernelStats& stats() { return stats_; }
  // Records where and when the next blocks start (core/backend/block_recorder.h); null: nothing is requested.
  BlockRecorder* block_recorder() const { return block_recorder_; }

 protected:
  Backend(BackendKind kind, std::string device_name, int threads)
      : kind_(kind), device_name_(std::move(device_name)), threads_(threads) {}

 private:
  friend void* allocate_memory(Backend&, std::size_t, const char*, const void*);
  friend void release_memory(Backend&, void*, std::size_t) noexcept;
  friend class StopScope;
  friend class BlockRecorder;
  friend class InterruptibleScope;
  // Later loops may stop early on this request; null: no loop may.
  virtual void set_stop_request(const StopRequest*) noexcept {}
  virtual void* allocate(std::size_t bytes) = 0;  // null: not enough memory
  virtual void release(void* pointer) noexcept = 0;

  BackendKind kind_;
  std::string device_name_;
  int threads_;
  std::size_t memory_in_use_ = 0;
  const StopRequest* stop_request_ = nullptr;
  int loops_may_stop_ = 0;
  KernelStats stats_;
  BlockRecorder* block_recorder_ = nullptr;
};

// The CUDA devices of this machine, found without throwing: for `doctor` and for the choice of a backend.
struct CudaStatus {
  bool built = false;                   // this program was compiled with CUDA
  bool usable = false;                  // a device can be used
  Message reason;                       // why no device can be used, with a remedy; empty when usable
  std::string device, driver, runtime;  // names and versions; empty if unknown
  int devices = 0;
  int compute_capability = 0;  // 90 for 9.0
};
CudaStatus cuda_status();

// `word`: "auto", "cpu" or "cuda". `auto` uses CUDA if a device can be used. Throws InputError for another value, and
// Error if CUDA was requested by name and is unavailable. `note` receives the reason for a fallback or for fewer
// threads than requested (empty otherwise).
std::unique_ptr<Backend> make_backend(const std::string& word, int threads, Message* note = nullptr);

// CUDA's current device is a setting of each thread. A thread that uses a backend made on another thread calls this
// once. Does nothing on the CPU. Throws Error.
void use_device_here(const Backend& backend);

}  // namespace perturb
