// Moving pictures: a film through ffmpeg, or a folder of numbered PNGs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/io/image/ffmpeg_process.h"
#include "cuda/core/paint/picture.h"

namespace perturb {

class Recorder {
 public:
  // A path that ends with '/' is a folder, which is made, for 000000.png, 000001.png, ...; otherwise its ending
  // (.mp4, .webm, .mkv or .gif) names the kind of film. Without ffmpeg a film becomes a folder of PNGs beside where
  // it would have been, and `note` receives a sentence that says so. All pictures must be width x height. A film's
  // ffmpeg that is stuck is ended, earlier once `stop` (may be null) is asked: add() and finish() then throw.
  // Throws InputError or Error.
  static std::unique_ptr<Recorder> make(const std::string& path, int width, int height, double frames_per_second,
                                        std::string* note, const StopRequest* stop = nullptr,
                                        FfmpegTimeouts timeouts = {});
  virtual ~Recorder() = default;
  virtual void add(const Picture& picture) = 0;
  // The film appears under its name now; destroyed without this, it leaves the old one as it was.
  virtual void finish() = 0;
  // Where the pictures went: the path, or the folder that stands in for it.
  const std::string& destination() const { return destination_; }

 protected:
  explicit Recorder(std::string destination) : destination_(std::move(destination)) {}

 private:
  std::string destination_;
};

// Throws InputError, before a run starts, for a path that Recorder::make would refuse.
void require_recordable(const std::string& path);

// The program's full path, looked for in PATH; empty when there is none.
std::string find_program(const std::string& name);

}  // namespace perturb
