#include "app/io/files/timing_cache_file.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

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
  const auto kernels = json.find("kernels");
  if (kernels == json.end() || !kernels->is_object()) return {};
  TimingCache::Entries entries;
  for (const auto& [key, list] : kernels->items()) {
    std::vector<KernelTiming> timings;
    if (!list.is_array()) continue;
    for (const auto& item : list) {
      if (!item.is_object() || !item.contains("kernel") || !item["kernel"].is_string() ||
          !item.contains("seconds_per_step") || !item["seconds_per_step"].is_number())
        continue;
      const auto seconds = item["seconds_per_step"].get<double>();
      if (!std::isfinite(seconds) || seconds <= 0) continue;
      const auto found = item.find("spread");
      const double spread = found != item.end() && found->is_number() ? found->get<double>() : 0;
      timings.push_back(
          {item["kernel"].get<std::string>(), seconds, std::isfinite(spread) ? std::max(spread, 0.0) : 0});
    }
    if (!timings.empty()) entries[key] = std::move(timings);
  }
  cache.merge(entries);
  return {};
}

void write_timing_cache(const std::string& path, const TimingCache& cache) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::object();
  for (const auto& [key, timings] : cache.entries()) {
    auto list = nlohmann::ordered_json::array();
    for (const KernelTiming& timing : timings)
      list.push_back(
          {{"kernel", timing.kernel}, {"seconds_per_step", timing.seconds_per_step}, {"spread", timing.spread}});
    kernels[key] = std::move(list);
  }
  const nlohmann::ordered_json json = {{"build", this_build()}, {"kernels", std::move(kernels)}};
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
  if (path_.empty() || !cache.take_changed()) return;
  try {
    if (!read_timing_cache(path_, cache).empty()) return;  // measurements that another process has saved meanwhile
    write_timing_cache(path_, cache);
  } catch (const std::exception&) {
    // Ignored, as the header says.
  }
}

}  // namespace perturb
