#include "app/io/image/clipboard_picture.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/wait.h>

#include "app/io/files/process.h"
#include "app/io/image/png_codec.h"
#include "app/io/image/recorder.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The clipboard program and its arguments; empty if none is installed.
std::vector<std::string> clipboard_program() {
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  if (wayland && *wayland)
    if (const std::string found = find_program("wl-copy"); !found.empty()) return {found, "--type", "image/png"};
  if (const std::string found = find_program("xclip"); !found.empty())
    return {found, "-selection", "clipboard", "-t", "image/png", "-i"};
  return {};
}

}  // namespace

void copy_picture_to_clipboard(const Picture& picture) {
  const std::vector<std::string> program = clipboard_program();
  if (program.empty())
    throw Error(
        "Cannot copy the image: xclip (under Wayland: wl-clipboard) is missing. Install it, or save the image as a "
        "file.");
  const std::vector<unsigned char> png = encode_png(picture, PngEffort::film);
  // Uses an unnamed temporary file, so that the program may read at any speed.
  std::FILE* file = std::tmpfile();
  if (!file || std::fwrite(png.data(), 1, png.size(), file) != png.size() || std::fflush(file) != 0) {
    const std::string why = std::strerror(errno);
    if (file) std::fclose(file);
    throw Error(
        "Cannot copy the image: there is no space for temporary files ({}). Free some space in the folder for "
        "temporary files.",
        why);
  }
  std::rewind(file);
  ChildProcess child;
  const int failure = child.start({program.front(), program, {fileno(file), no_file, no_file}});
  std::fclose(file);
  // The program leaves a background copy of itself that holds the clipboard, and exits.
  const int status = failure == 0 ? child.wait() : 0;
  const bool well = failure == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!well) throw Error("Cannot copy the image: {} failed. Save the image as a file instead.", program.front());
}

}  // namespace perturb
