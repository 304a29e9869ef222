#include "cuda/core/backend/backend.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/nvidia_gpu.h"
#include "cuda/core/backend/stop.h"
#include "cuda/core/backend/timeline.h"

namespace perturb {

std::unique_ptr<PinnedReadback> Backend::make_pinned_readback(std::size_t) { return nullptr; }

bool has_nvidia_gpu() {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::exists("/proc/driver/nvidia", none) || fs::exists("/dev/dxg", none)) return true;  // the second: WSL
  fs::directory_iterator devices("/sys/bus/pci/devices", none);
  return std::any_of(begin(devices), end(devices), [](const fs::directory_entry& device) {
    std::string vendor;
    std::ifstream(device.path() / "vendor") >> vendor;
    return vendor == "0x10de";
  });
}

std::unique_ptr<Backend> make_backend(const std::string& word, int threads, Message* note) {
  if (note) *note = {};
  if (word == "cpu") return Backend::make_cpu(threads, note);
  if (word == "cuda") return Backend::make_cuda();
  if (word != "auto") throw InputError("There is no backend \"{}\". Choose auto, cpu or cuda.", word);
  const CudaStatus status = cuda_status();
  if (status.usable) return Backend::make_cuda();
  Message fewer;
  auto cpu = Backend::make_cpu(threads, &fewer);
  // On a machine without such a GPU, the CPU is no substitute for it.
  if (note) *note = (has_nvidia_gpu() ? status.reason : Message()) + fewer;
  return cpu;
}

void KernelStats::add(const char* label, double seconds) {
  KernelTime& entry = times_[label];
  entry.label = label;
  entry.launches += 1;
  entry.seconds += seconds;
  if (Timeline::is_recording()) {
    const std::int64_t end = Timeline::now();
    Timeline::add({TimeUse::loop, label, end - static_cast<std::int64_t>(1e9 * seconds), end});
  }
}

std::vector<KernelTime> KernelStats::table() const {
  std::vector<KernelTime> rows;
  for (const auto& [label, time] : times_) rows.push_back(time);
  std::sort(rows.begin(), rows.end(), [](const KernelTime& a, const KernelTime& b) { return a.seconds > b.seconds; });
  return rows;
}

StopScope::StopScope(Backend& backend, const StopRequest& request) : backend_(backend), before_(backend.stop_request_) {
  backend_.stop_request_ = &request;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? &request : nullptr);
}

StopScope::~StopScope() {
  backend_.stop_request_ = before_;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? before_ : nullptr);
}

InterruptibleScope::InterruptibleScope(Backend& backend, bool here) : backend_(backend), here_(here) {
  if (!here_) return;
  backend_.stop_point();
  ++backend_.loops_may_stop_;
  backend_.set_stop_request(backend_.stop_request_);
}

InterruptibleScope::~InterruptibleScope() {
  if (!here_) return;
  --backend_.loops_may_stop_;
  backend_.set_stop_request(backend_.loops_may_stop_ > 0 ? backend_.stop_request_ : nullptr);
}

}  // namespace perturb
