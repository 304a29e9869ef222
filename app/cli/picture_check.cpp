#include "app/cli/picture_check.h"

#include <string>

#include <sys/mman.h>

#include "app/cli/child_process.h"
#include "app/render/gl/context.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"
#include "cuda/core/backend/main_memory.h"

namespace perturb {

namespace {

constexpr double longest_start = 20;  // seconds; an idle machine takes one

// Reserves address space that is never touched. Writable memory counts for RLIMIT_DATA too.
void reserve(std::size_t bytes, int protection) {
  if (bytes > 0 && mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
    throw Error("less memory than a picture takes");
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
        "No picture can be drawn with the memory and the threads that this process may have: OpenGL does not "
        "start (" +
        std::string(error.what()) + "). Raise the limits (ulimit -v, ulimit -d, ulimit -u), or run without pictures.");
  }
}

}  // namespace perturb
