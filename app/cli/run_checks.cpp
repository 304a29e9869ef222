#include "app/cli/run_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>

#include "app/io/files/output.h"
#include "app/io/files/same_file.h"
#include "app/io/image/recorder.h"
#include "app/io/state/state_export.h"
#include "app/io/state/state_file.h"
#include "app/render/gl/context.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/main_memory.h"

namespace perturb {

namespace {

// The output files that are asked for, with their options.
std::vector<std::pair<const char*, const std::string*>> outputs_of(const RunOptions& options) {
  std::vector<std::pair<const char*, const std::string*>> outputs = {
      {"--screenshot", &options.screenshot}, {"--record", &options.record}, {"--csv", &options.csv},
      {"--curves", &options.curves},         {"--report", &options.report}, {"--save", &options.save},
      {"--export", &options.fields},         {"--trace", &options.trace}};
  std::erase_if(outputs, [](const auto& output) { return output.second->empty(); });
  return outputs;
}

void require_distinct(const RunOptions& options) {
  const auto outputs = outputs_of(options);
  for (std::size_t a = 0; a < outputs.size(); ++a)
    for (std::size_t b = a + 1; b < outputs.size(); ++b) {
      const std::string &first = *outputs[a].second, &second = *outputs[b].second;
      if (!are_one_file(first, second)) continue;
      throw InputError("{} and {} both write \"{}\"{}: name two files.", outputs[a].first, outputs[b].first, first,
                       (first == second ? "" : " (the second calls it \"" + second + "\")"));
    }
}

}  // namespace

void require_outputs(const RunOptions& options) {
  if (!options.screenshot.empty()) {
    if (!options.screenshot.ends_with(".png") && !options.screenshot.ends_with(".PNG"))
      throw InputError("--screenshot cannot be \"{}\": its name must end with .png.", options.screenshot);
    require_writable(options.screenshot);
  }
  if (!options.record.empty()) require_recordable(options.record);
  if (!options.csv.empty()) require_writable(options.csv);
  if (!options.curves.empty()) {
    if (!options.curves.ends_with(".csv") && !options.curves.ends_with(".png"))
      throw InputError("--curves cannot be \"{}\": its name must end with .csv or .png.", options.curves);
    require_writable(options.curves);
  }
  if (!options.report.empty()) {
    if (!options.report.ends_with(".html"))
      throw InputError("--report cannot be \"{}\": its name must end with .html.", options.report);
    require_writable(options.report);
  }
  if (!options.save.empty()) {
    require_state_name(options.save);
    require_writable(options.save);
  }
  if (!options.fields.empty()) {
    require_export_name(options.fields);
    require_writable(options.fields);
  }
  if (!options.trace.empty()) {
    if (!options.trace.ends_with(".json"))
      throw InputError("--trace cannot be \"{}\": its name must end with .json.", options.trace);
    require_writable(options.trace);
  }
  require_distinct(options);
}

void require_inputs_kept(const RunOptions& options) {
  for (const auto& [option, path] : outputs_of(options))
    for (const std::string* input : {&options.scene, &options.script, &options.input, &options.load})
      if (path != &options.save || input != &options.load) require_not_read(option, *path, *input);
}

namespace {

// Like format_bytes, for sizes beyond any machine.
std::string format_memory(double bytes) {
  if (bytes < 1e18) return format_bytes(static_cast<std::size_t>(bytes));
  char text[40];
  std::snprintf(text, sizeof text, "%.3g EiB", bytes / std::pow(1024, 6));
  return text;
}

// If the setup has no size, the simulation's parameters (a count of discs) or its default determine it.
bool has_size(const Setup& setup) { return setup.width > 0 && setup.height > 0; }

}  // namespace

double memory_estimate(const SimulationInfo& info, const Setup& setup, const Backend& backend) {
  if (!has_size(setup)) return static_cast<double>(info.memory_needed(backend, setup));
  Setup whole = setup;
  // Beyond this many cells (which need gigabytes) a simulation may refuse to count, or the count may overflow: scale up
  // from this size.
  constexpr int side = 16384;
  constexpr double max_cells = static_cast<double>(side) * side;
  const double cells = static_cast<double>(whole.width) * whole.height;
  if (cells <= max_cells) return static_cast<double>(info.memory_needed(backend, whole));
  whole.width = whole.height = side;
  return static_cast<double>(info.memory_needed(backend, whole)) * (cells / max_cells);
}

void require_memory(const SimulationInfo& info, const Setup& setup, const Backend& backend, bool saves,
                    std::size_t lanes) {
  const double one = memory_estimate(info, setup, backend), run = one * static_cast<double>(lanes);
  const double saving = saves ? memory_to_save(info, setup, one) : 0;
  // Only the run is in the device's memory; the file is built in main memory.
  const double in_main_memory = static_cast<double>(main_memory().free);
  if (saves && backend.is_cuda() && saving > in_main_memory)
    throw InputError(
        "Cannot save a {} of {} x {} (--save, --export, --json): this needs {} of main memory, but only {} are free. "
        "Choose a "
        "smaller size (--size), or omit them.",
        info.id, setup.width, setup.height, format_memory(saving), format_memory(in_main_memory));
  const double needed = backend.is_cuda() ? run : run + saving;
  // Memory in use by another program may become free, but a size beyond the total can be rejected at once.
  const double total = static_cast<double>(backend.total_memory()), free = static_cast<double>(backend.free_memory());
  if (needed <= free) return;
  const std::string there = format_memory(needed) + " of memory" + (needed > run ? " with its saving at the end" : "") +
                            ", and " + backend.device_name() + " has " + format_memory(total) + ", of which " +
                            format_memory(free) + " are free. ";
  if (!has_size(setup))
    throw InputError(
        "Cannot run {} with these settings: it needs {}Choose a smaller size (--size), or parameters that need less "
        "memory (--set).",
        info.id, there);
  Setup fitting = setup;
  const double shrink = std::sqrt(0.8 * free / needed);
  fitting.width = std::max(1, static_cast<int>(fitting.width * shrink) / 64 * 64);
  fitting.height = std::max(1, static_cast<int>(fitting.height * shrink) / 64 * 64);
  throw InputError("A {} of {} x {} needs {}Choose a smaller size, such as --size {}x{}.", info.id, setup.width,
                   setup.height, there, fitting.width, fitting.height);
}

namespace {

constexpr double longest_start = 20;  // seconds; an idle machine takes one

// Reserves address space that is never touched. Writable memory counts for RLIMIT_DATA too.
void reserve(std::size_t bytes, int protection) {
  if (bytes > 0 && mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    throw Error("less memory than an image needs");
}

std::size_t excess(std::size_t value, std::size_t over) { return value > over ? value - over : 0; }

// Makes this process as large as its parent with respect to memory limits.
void take_as_much_as(const MemoryUse& parent) {
  const MemoryUse own = memory_use_of_process();
  const std::size_t data = excess(parent.data, own.data);
  reserve(data, PROT_READ | PROT_WRITE);
  reserve(excess(parent.addresses, own.addresses + data), PROT_NONE);
}

bool threads_are_limited() {
  constexpr int enough = 8;
  return CpuThreads::startable(enough) < enough;
}

}  // namespace

std::string draw_empty_picture(const std::vector<std::string>& arguments) {
  if (arguments.size() != 4) throw Error("wrong arguments");
  take_as_much_as({std::stoull(arguments[2]), std::stoull(arguments[3])});
  // The run's own image takes more memory than an empty one: this much has to be left over.
  constexpr std::size_t left_over = std::size_t{64} << 20;
  reserve(left_over, PROT_READ | PROT_WRITE);
  const auto context = make_offscreen_context(std::stoi(arguments[0]), std::stoi(arguments[1]));
  context->begin_frame();
  context->read_back();
  return {};
}

void require_pictures(Size size, const StopRequest* stop) {
  if (!memory_of_process_is_limited() && !threads_are_limited()) return;
  try {
    const MemoryUse used = memory_use_of_process();
    result_of_task(picture_task,
                   {std::to_string(size.width), std::to_string(size.height), std::to_string(used.addresses),
                    std::to_string(used.data)},
                   longest_start, stop);
  } catch (const Error& error) {
    throw Error(
        "Cannot draw images: OpenGL does not start with this process's limits for memory and threads ({}). Raise the "
        "limits (ulimit -v, ulimit -d, ulimit -u), or run without images.",
        error.message());
  }
}

}  // namespace perturb
