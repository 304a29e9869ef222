#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "app/cli/version.h"
#include "app/io/image/recorder.h"
#include "app/render/display/pixel_buffer.h"
#include "app/render/gl/window.h"
#include "app/ui/widgets/fonts.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_threads.h"

namespace perturb {

namespace {

// Prints one check: what was found, why, and what to do. If the query throws, its message is the finding.
void finding(std::ostream& out, const std::string& name, const std::function<std::string()>& query) {
  std::string text;
  try {
    text = query();
  } catch (const std::exception& error) {
    text = error.what();
  }
  // Texts of drivers and of the environment are untrusted.
  print_line(out, name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + text);
}
void finding(const std::string& name, const std::function<std::string()>& query) { finding(std::cout, name, query); }

std::string describe_gl(const GlInfo& info) {
  return info.renderer + " (" + info.vendor + "), OpenGL " + info.version +
         (info.software ? ". Software rendering: slow for large windows. Install the driver of the GPU" : "");
}

std::string name_or_none(const char* variable) {
  const char* value = std::getenv(variable);
  return std::string(variable) + (value && *value ? "=" + std::string(value) : " not set");
}

// How images reach the screen with this backend in the current OpenGL context.
std::string pixel_path(Backend& backend) {
  Message note;
  const auto buffer = PixelBuffer::make(backend, 64, 64, true, &note);
  return std::string(name_of(buffer->path())) + (note.empty() ? "" : ": " + note.english());
}

void check_context(std::ostream& out, GlContext& context, Backend* cuda, Backend& cpu) {
  finding(out, "  OpenGL", [&] { return describe_gl(context.gl_info()); });
  if (cuda) finding(out, "  from CUDA", [&] { return pixel_path(*cuda); });
  finding(out, "  from CPU", [&] { return pixel_path(cpu); });
}

constexpr double longest_query = 20;  // seconds; a driver that hangs is a finding

}  // namespace

std::string describe_offscreen(const std::vector<std::string>&) {
  std::ostringstream out;
  const auto cpu = Backend::make_cpu();
  std::unique_ptr<Backend> device;
  try {
    if (cuda_status().usable) device = Backend::make_cuda();
  } catch (const Error&) {
    // Already reported with the device.
  }
  std::unique_ptr<GlContext> context;
  finding(out, "Offscreen", [&]() -> std::string {
    context = make_offscreen_context(64, 64);
    return "works (EGL)";
  });
  if (context) check_context(out, *context, device.get(), *cpu);
  return out.str();
}

int doctor_command(const DoctorOptions&) {
  // A run has either a window or an offscreen buffer. CUDA shares memory with the first OpenGL context of a process:
  // after a window, an offscreen buffer that could be shared would be reported as "staged". So the offscreen buffer is
  // checked in a child process.
  std::ostringstream offscreen;
  try {
    offscreen << result_of_task(offscreen_task, {}, longest_query);
  } catch (const Error& error) {
    finding(offscreen, "Offscreen", [&]() -> std::string { return error.what(); });
  }

  std::cout << version_text() << "\n\n";
  const CudaStatus cuda = cuda_status();
  finding("CUDA build", [&] { return cuda.built ? "yes, runtime " + cuda.runtime : std::string("no"); });
  finding("Driver", [&] { return cuda.driver.empty() ? std::string("none found") : cuda.driver; });
  finding("GPU", [&] {
    if (!cuda.usable) return "none: " + cuda.reason.english();
    const int capability = cuda.compute_capability;
    return cuda.device + " (compute capability " + std::to_string(capability / 10) + "." +
           std::to_string(capability % 10) + ")" +
           (cuda.devices > 1 ? ", the first of " + std::to_string(cuda.devices) : "");
  });
  const auto cpu = Backend::make_cpu();
  finding("CPU", [&] {
    return cpu->device_name() + ", " + std::to_string(CpuThreads::available()) + " threads, " +
           format_bytes(cpu->total_memory()) + " of memory, " + format_bytes(cpu->free_memory()) + " free";
  });
  std::unique_ptr<Backend> device;
  if (cuda.usable) {
    finding("GPU memory", [&] {
      device = Backend::make_cuda();
      return format_bytes(device->total_memory()) + ", " + format_bytes(device->free_memory()) + " free";
    });
  }
  std::cout << "Runs use " << (device ? "CUDA" : "the CPU") << " unless --backend is given.\n\n";

  finding("Display", [&] { return name_or_none("DISPLAY") + ", " + name_or_none("WAYLAND_DISPLAY"); });
  std::unique_ptr<Window> window;
  finding("Window", [&]() -> std::string {
    if (const Message reason = Window::unavailable_reason(); !reason.empty()) return "none: " + reason.english();
    WindowOptions options;
    options.width = options.height = 64;
    options.title = "Perturb: doctor";
    window = std::make_unique<Window>(options);
    return "can be opened (GLFW)";
  });
  const bool has_window = window != nullptr;
  if (window) check_context(std::cout, *window, device.get(), *cpu);
  window.reset();
  std::cout << offscreen.str();
  std::cout << "Runs " << (has_window ? "open a window" : "write images without a window") << ".\n\n";

  finding("Font", [] {
    const std::string file = find_font(FontWeight::regular);
    return file.empty() ? std::string("built-in; install fonts-inter or fonts-dejavu-core for a better one") : file;
  });
  finding("ffmpeg", [] {
    const std::string file = find_program("ffmpeg");
    return file.empty() ? std::string("not found: videos are saved as folders of PNGs; install ffmpeg") : file;
  });
  return 0;
}

}  // namespace perturb
