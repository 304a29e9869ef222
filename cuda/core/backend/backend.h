// Where a simulation runs: CPU threads, or one CUDA device with one stream.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cuda/core/backend/kernel_stats.h"
#include "cuda/core/backend/stop.h"

namespace perturb {

enum class BackendKind { cpu, cuda };

// A copy to the host through memory that the device reaches by itself (readback.h).
class PinnedReadback {
 public:
  virtual ~PinnedReadback() = default;
  virtual void start(const void* device) = 0;
  virtual bool ready() = 0;  // whether it has come; throws Error when the device failed
  virtual void wait() = 0;
  virtual const void* data() const = 0;
};

// One place to compute. Work given to a CUDA backend is queued on its stream and may still be running when a call
// returns; a CPU backend is done when the call returns. Nothing assumes that there is only one backend in the process.
class Backend {
 public:
  // `threads` = 0 takes one thread for each processor this process may use. Where the system does not start so many (a
  // limit of memory or of processes), those it does start will do, and `note` receives a sentence that says so.
  static std::unique_ptr<Backend> make_cpu(int threads = 0, std::string* note = nullptr);
  // Throws Error that says why (built without CUDA, no driver, driver too old, no device) when there is no such device.
  static std::unique_ptr<Backend> make_cuda(int device = 0);

  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  BackendKind kind() const { return kind_; }
  bool is_cuda() const { return kind_ == BackendKind::cuda; }
  // "cpu" or "cuda": the word of the command line.
  const char* word() const { return is_cuda() ? "cuda" : "cpu"; }
  // The processor's or the device's own name.
  const std::string& device_name() const { return device_name_; }
  // CPU threads that loops use; 1 on CUDA.
  int threads() const { return threads_; }

  virtual void synchronize() = 0;
  // Bytes, from and to ordinary memory. Both wait until the copy is whole.
  virtual void copy_from_host(void* to, const void* from, std::size_t bytes) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes) = 0;
  // Bytes within this backend's memory; queued.
  virtual void copy_within(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill_zero(void* to, std::size_t bytes) = 0;
  // Null where a plain copy does as well: on the CPU.
  virtual std::unique_ptr<PinnedReadback> make_pinned_readback(std::size_t bytes);

  // Memory a new field could still take, and all there is; bytes.
  virtual std::size_t free_memory() const = 0;
  virtual std::size_t total_memory() const = 0;
  // Bytes taken through allocate_memory and not given back.
  std::size_t memory_in_use() const { return memory_in_use_; }

  // The device's cudaStream_t and index; null and -1 on the CPU.
  virtual void* stream() const { return nullptr; }
  virtual int device_index() const { return -1; }

  // Whether somebody asked for an end (core/stop.h), and a place where it may come: throws Stopped then.
  bool stop_requested() const { return stop_request_ && stop_request_->stop_requested(); }
  void stop_point() const {
    if (stop_requested()) throw Stopped();
  }
  // The same before a loop, which may be given up under InterruptibleScope only.
  void loop_stop_point() const {
    if (loops_may_stop_ > 0) stop_point();
  }

  // Time by kernel label; off until asked for.
  KernelStats& stats() { return stats_; }

 protected:
  Backend(BackendKind kind, std::string device_name, int threads)
      : kind_(kind), device_name_(std::move(device_name)), threads_(threads) {}

 private:
  friend void* allocate_memory(Backend&, std::size_t, const char*, const void*);
  friend void release_memory(Backend&, void*, std::size_t) noexcept;
  friend class StopScope;
  friend class InterruptibleScope;
  // Loops from now on may be given up when this one is asked; null: none may.
  virtual void set_stop_request(const StopRequest*) noexcept {}
  virtual void* allocate(std::size_t bytes) = 0;  // null: not enough
  virtual void release(void* pointer) noexcept = 0;

  BackendKind kind_;
  std::string device_name_;
  int threads_;
  std::size_t memory_in_use_ = 0;
  const StopRequest* stop_request_ = nullptr;
  int loops_may_stop_ = 0;
  KernelStats stats_;
};

// What is on this machine, without throwing: for `doctor` and for the choice of a backend.
struct CudaStatus {
  bool built = false;                   // this program was compiled with CUDA
  bool usable = false;                  // a device can be used
  std::string reason;                   // why not, with a remedy; empty when usable
  std::string device, driver, runtime;  // names and versions, where known
  int devices = 0;
  int compute_capability = 0;  // 90 for 9.0
};
CudaStatus cuda_status();

// `word`: "auto", "cpu" or "cuda". `auto` takes CUDA where a device can be used. Throws InputError for another word and
// Error when CUDA was asked for by name and cannot be had. `note` receives the reason of a fallback, and of fewer
// threads than were asked for (empty otherwise).
std::unique_ptr<Backend> make_backend(const std::string& word, int threads, std::string* note = nullptr);

}  // namespace perturb
