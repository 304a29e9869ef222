#include "app/cli/picture_check.h"

#include <string>

#include <sys/mman.h>

#include "app/cli/own_process.h"
#include "app/gl/context.h"
#include "cuda/core/check.h"
#include "cuda/core/cpu_threads.h"
#include "cuda/core/main_memory.h"

namespace perturb {

namespace {

constexpr double longest_start = 60;  // seconds; a second on a machine that does nothing else

// The run's own picture takes more than an empty one: so much has to be left over. Memory that can be written, for
// RLIMIT_DATA counts no other.
void draw_empty_picture(Size size) {
  constexpr std::size_t left_over = std::size_t{64} << 20;
  if (mmap(nullptr, left_over, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED)
    throw Error("less memory than a picture takes");
  const auto context = make_offscreen_context(size.width, size.height);
  context->begin_frame();
  context->read_back();
}

bool threads_are_limited() {
  constexpr int enough = 8;
  return CpuThreads::startable(enough) < enough;
}

}  // namespace

void require_pictures(Size size, const StopRequest* stop) {
  if (!memory_of_process_is_limited() && !threads_are_limited()) return;
  try {
    told_by_own_process([&] { return draw_empty_picture(size), std::string(); }, longest_start, stop);
  } catch (const Error& error) {
    throw Error(
        "No picture can be drawn with the memory and the threads that this process may have: OpenGL does not "
        "start (" +
        std::string(error.what()) + "). Raise the limits (ulimit -v, ulimit -d, ulimit -u), or run without pictures.");
  }
}

}  // namespace perturb
