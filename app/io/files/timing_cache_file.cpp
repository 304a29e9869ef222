#include "app/io/files/timing_cache_file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_file = 4 << 20;  // a longer file was not written by Perturb

// Times of another build are invalid: its kernels may differ or be faster or slower.
std::string this_build() {
  struct stat info {};
  if (stat("/proc/self/exe", &info) != 0) return PERTURB_VERSION;
  return PERTURB_VERSION " " + std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec);
}

// Whether a profiler or a checker of NVIDIA's has started this process: each launch of a kernel then takes longer, so
// that kernels with few launches seem faster than they are. The tools set these variables for their programs.
bool is_profiled() {
  constexpr const char* set_by[] = {"NV_COMPUTE_PROFILER_PERFWORKS_DIR",  // ncu
                                    "NSYS_PROFILING_SESSION_ID",          // nsys
                                    "NV_SANITIZER_INJECTION_PORT_BASE",   // compute-sanitizer
                                    "NV_SANITIZER_INJECTION_PORT_RANGE_BEGIN"};
  return std::any_of(std::begin(set_by), std::end(set_by),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

// A positive number; 0 for anything else.
double positive_number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const auto value = found->get<double>();
  return std::isfinite(value) && value > 0 ? value : 0;
}

// Lists of timings by a key.
std::map<std::string, std::vector<KernelTiming>> timings_in(const nlohmann::json& json, const char* section) {
  std::map<std::string, std::vector<KernelTiming>> all;
  const auto found = json.find(section);
  if (found == json.end() || !found->is_object()) return all;
  for (const auto& [key, list] : found->items()) {
    std::vector<KernelTiming> timings;
    if (!list.is_array()) continue;
    for (const auto& item : list) {
      if (!item.is_object() || !item.contains("kernel") || !item["kernel"].is_string()) continue;
      const double seconds = positive_number(item, "seconds_per_step");
      if (seconds > 0) timings.push_back({item["kernel"].get<std::string>(), seconds, positive_number(item, "spread")});
    }
    if (!timings.empty()) all[key] = std::move(timings);
  }
  return all;
}

nlohmann::ordered_json json_of(const std::map<std::string, std::vector<KernelTiming>>& all) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, timings] : all) {
    auto list = nlohmann::ordered_json::array();
    for (const KernelTiming& timing : timings)
      list.push_back(
          {{"kernel", timing.kernel}, {"seconds_per_step", timing.seconds_per_step}, {"spread", timing.spread}});
    json[key] = std::move(list);
  }
  return json;
}

TimingCache::Rooflines rooflines_in(const nlohmann::json& json) {
  TimingCache::Rooflines rooflines;
  const auto found = json.find("rooflines");
  if (found == json.end() || !found->is_object()) return rooflines;
  for (const auto& [device, item] : found->items()) {
    if (!item.is_object()) continue;
    const Roofline roofline{positive_number(item, "bytes_per_second"), positive_number(item, "flops_per_second")};
    if (roofline.bytes_per_second > 0 && roofline.flops_per_second > 0) rooflines[device] = roofline;
  }
  return rooflines;
}

}  // namespace

std::string timing_cache_path() {
  const std::string folder = cache_folder();
  return folder.empty() ? folder : folder + "/kernels.json";
}

Message read_timing_cache(const std::string& path, TimingCache& cache) {
  Message failure;
  const std::optional<std::string> text = read_kept_file(path, "file of kernel timings", largest_file, failure);
  if (!text) return failure;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || json.value("build", nlohmann::json()) != this_build()) return {};
  cache.merge(timings_in(json, "kernels"));
  cache.merge_tables(timings_in(json, "tables"), rooflines_in(json));
  return {};
}

void write_timing_cache(const std::string& path, const TimingCache& cache) {
  nlohmann::ordered_json rooflines = nlohmann::ordered_json::object();
  for (const auto& [device, roofline] : cache.rooflines())
    rooflines[device] = {{"bytes_per_second", roofline.bytes_per_second},
                         {"flops_per_second", roofline.flops_per_second}};
  const nlohmann::ordered_json json = {{"build", this_build()},
                                       {"kernels", json_of(cache.entries())},
                                       {"tables", json_of(cache.tables())},
                                       {"rooflines", rooflines}};
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  replace_file(path, [&](const std::string& temporary) {
    check_output_fault(temporary);
    std::ofstream file(temporary, std::ios::trunc);
    file << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    file.close();
    if (!file) throw Error("Cannot write \"{}\": the disk may be full. Free some space.", path);
  });
}

TimingCacheFile::TimingCacheFile() : path_(timing_cache_path()) {
  const Message failure = read_timing_cache(path_, TimingCache::of_process());
  if (failure.empty()) return;
  // A file that was not written by Perturb is not overwritten; a pipe would even block the writer.
  note_ =
      failure +
      Message("The kernels are timed again, and their timings are not saved. Remove \"{}\" to save them again.", path_);
  path_.clear();
}

TimingCacheFile::~TimingCacheFile() {
  TimingCache& cache = TimingCache::of_process();
  if (path_.empty() || !cache.take_changed() || is_profiled()) return;
  try {
    // Measurements that another process has saved meanwhile.
    if (!read_timing_cache(path_, cache).empty()) return;
    write_timing_cache(path_, cache);
  } catch (const std::exception&) {
    // Ignored, as the header says.
  }
}

}  // namespace perturb
