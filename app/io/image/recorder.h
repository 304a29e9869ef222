// Records videos through ffmpeg, or as folders of numbered PNG files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/io/image/ffmpeg_process.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

class Recorder {
 public:
  // A path that ends with '/' is a folder, which is created, for 000000.png, 000001.png, ...; otherwise the ending
  // (.mp4, .webm, .mkv or .gif) selects the type of video. Without ffmpeg, the frames go to a folder of PNG files next
  // to the requested path, and `note` receives a message about this. All frames must be width x height. A stuck ffmpeg
  // is ended, earlier after `stop` (may be null) is requested; add() and finish() then throw. Throws InputError or
  // Error.
  static std::unique_ptr<Recorder> make(const std::string& path, int width, int height, double frames_per_second,
                                        Message* note, const StopRequest* stop = nullptr, FfmpegTimeouts timeouts = {});
  virtual ~Recorder() = default;
  virtual void add(const Picture& picture) = 0;
  // Makes the video appear under its name. If the object is destroyed without this call, an older file is unchanged.
  virtual void finish() = 0;
  // Location of the frames: the path, or the folder used instead.
  const std::string& destination() const { return destination_; }

 protected:
  explicit Recorder(std::string destination) : destination_(std::move(destination)) {}

 private:
  std::string destination_;
};

// Throws InputError, before a run starts, for a path that Recorder::make would reject.
void require_recordable(const std::string& path);

}  // namespace perturb
