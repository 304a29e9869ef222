#include "app/io/image/recorder.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <sys/statvfs.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "app/io/image/frame_folder.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {

bool is_folder_name(const std::string& path) { return path.ends_with('/'); }

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

// Encoder options for each type of video, after those that describe the frames. Rows come bottom first. Colours are
// converted to BT.709, and the file says so: ffmpeg would take BT.601, and players decode large videos as BT.709.
std::vector<std::string> encoding_for(const std::string& ending) {
  std::vector<std::string> encoder;
  if (ending == ".mp4" || ending == ".mkv")
    encoder = {"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart"};
  if (ending == ".webm") encoder = {"-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1"};
  if (!encoder.empty()) {
    // 4:2:0 halves the resolution of the colours, so both sides must be even: an odd side is padded by one pixel.
    std::vector<std::string> all = {
        "-vf",
        "vflip,pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,"
        "setparams=color_primaries=bt709:color_trc=bt709",  // ffmpeg 7 takes them from the frames
        "-pix_fmt",
        "yuv420p",
        "-color_range",
        "tv"};
    for (const char* property : {"-colorspace", "-color_trc", "-color_primaries"})
      all.insert(all.end(), {property, "bt709"});
    all.insert(all.end(), encoder.begin(), encoder.end());
    return all;
  }
  if (ending == ".gif")
    return {"-filter_complex", "[0:v]vflip,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none"};
  return {};
}

// Whether the disk of this file has space for another block.
bool has_room(const std::string& path) {
  struct statvfs disk {};
  if (statvfs(path.c_str(), &disk) != 0) return true;  // unknown
  return (geteuid() == 0 ? disk.f_bfree : disk.f_bavail) > 0;
}

// Whether a file consists of MP4 boxes, including the index of frames.
bool is_whole_mp4(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(0, file.tellg()));
  bool has_table = false;
  std::uint64_t at = 0;
  while (at + 8 <= size) {
    unsigned char head[16] = {};
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(head), at + 16 <= size ? 16 : 8);
    if (!file) return false;
    const auto number = [&](int from, int bytes) {
      std::uint64_t value = 0;
      for (int k = 0; k < bytes; ++k) value = value << 8 | head[from + k];
      return value;
    };
    const std::uint64_t length = number(0, 4) == 1 ? number(8, 8) : number(0, 4);
    has_table = has_table || std::memcmp(head + 4, "moov", 4) == 0;
    if (length < 8 || length > size - at) return false;
    at += length;
  }
  return has_table && at == size;
}

// Whether the file begins like a video of this type, and ends like one if the type has an end marker.
bool is_whole_film(const std::string& path, const std::string& ending) {
  if (ending == ".mp4") return is_whole_mp4(path);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  constexpr std::streamoff min_bytes = 32;  // shorter than any header
  if (size < min_bytes) return false;
  char head[4] = {}, last = 0;
  file.seekg(0);
  file.read(head, sizeof head);
  file.seekg(-1, std::ios::end);
  file.read(&last, 1);
  if (!file) return false;
  if (ending == ".gif") return std::memcmp(head, "GIF8", 4) == 0 && last == ';';
  return std::memcmp(head, "\x1a\x45\xdf\xa3", 4) == 0;  // EBML, used by Matroska and WebM
}

class FilmRecorder final : public Recorder {
 public:
  FilmRecorder(const std::string& path, const std::string& program, int width, int height, double frames_per_second,
               const StopRequest* stop, FfmpegTimeouts timeouts)
      : Recorder(path),
        file_(path),
        ffmpeg_(arguments(path, program, width, height, frames_per_second, file_.temporary()), stop, timeouts),
        width_(width),
        height_(height) {}

  void add(const Picture& picture) override {
    if (picture.width != width_ || picture.height != height_)
      throw Error("Cannot continue the video: the view changed its size. Keep the window size during a recording.");
    check_output_fault(destination());
    require_well(ffmpeg_.feed(picture.pixels.data(), picture.pixels.size() * sizeof(std::uint32_t)));
    has_pictures_ = true;
  }

  void finish() override {
    if (!has_pictures_)
      throw Error(
          "Cannot write the video \"{}\": it has no frames yet. Take more steps, or record more often "
          "(--steps-per-frame).",
          destination());
    require_well(ffmpeg_.finish());
    // ffmpeg may end without a message if the disk is full, or if another program has that name.
    if (!has_room(file_.temporary())) throw no_room();
    if (!is_whole_film(file_.temporary(), ending_of(destination())))
      throw Error(
          "Cannot finish the video \"{}\": ffmpeg reported no error, but its output is not a video. Free some space, "
          "try another format (.mp4, .webm, .gif), or record PNGs into a folder (end its name with a slash).",
          destination());
    file_.commit();
  }

 private:
  Error no_room() const {
    return Error(
        "Cannot finish the video \"{}\": there is no space left. Free some space or choose a file on another disk.",
        destination());
  }

  static std::vector<std::string> arguments(const std::string& path, const std::string& program, int width, int height,
                                            double frames_per_second, const std::string& temporary) {
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.6g", frames_per_second);
    std::vector<std::string> all = {program, "-y", "-nostdin", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt",
                                    "rgba",  "-s", size,       "-r",        rate,    "-i", "pipe:0"};
    for (const std::string& argument : encoding_for(ending_of(path))) all.push_back(argument);
    all.push_back("file:" + temporary);
    return all;
  }

  void require_well(FfmpegProcess::Outcome outcome) const {
    if (outcome == FfmpegProcess::Outcome::well) return;
    const std::string said = ffmpeg_.error_text();
    if (said.find("No space left") != std::string::npos) throw no_room();
    const bool is_stuck = outcome == FfmpegProcess::Outcome::stuck;
    Message ending = is_stuck ? "stopped responding and was ended" : "ended with an error";
    if (!said.empty())
      ending =
          is_stuck ? Message("stopped responding and was ended ({})", said) : Message("ended with an error ({})", said);
    throw Error(
        "Cannot record \"{}\": ffmpeg {}. Try another video format (.mp4, .webm, .gif), or record PNGs into a folder "
        "(end its name with a slash).",
        destination(), ending);
  }

  PendingFile file_;
  FfmpegProcess ffmpeg_;
  int width_, height_;
  bool has_pictures_ = false;
};

// The folder for PNG files if a video was requested and ffmpeg is missing.
std::string stand_in_folder(const std::string& path) {
  return fs::path(path).replace_extension("").string() + "-frames/";
}

void require_folder(const std::string& path) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();  // without the slash
  if (!fs::exists(folder, ignored)) {
    require_writable(folder.string());
    return;
  }
  if (!fs::is_directory(folder, ignored))
    throw InputError("Cannot record into \"{}\": it is a file. Choose a folder.", path);
  require_writable((folder / "000000.png").string());
  // Rejects a folder that contains images: a shorter recording over a longer one would leave a mixture of both.
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".png")
      throw InputError("Cannot record into \"{}\": it already contains images. Choose a new folder or empty this one.",
                       path);
}

}  // namespace

void require_recordable(const std::string& path) {
  if (is_folder_name(path)) return require_folder(path);
  if (encoding_for(ending_of(path)).empty())
    throw InputError(
        "Cannot record to \"{}\": unknown video format. End the name of a video with .mp4, .webm, .mkv or .gif, that "
        "of a folder for PNGs with a slash.",
        path);
  require_writable(path);
  if (find_program("ffmpeg").empty()) require_folder(stand_in_folder(path));
}

std::unique_ptr<Recorder> Recorder::make(const std::string& path, int width, int height, double frames_per_second,
                                         Message* note, const StopRequest* stop, FfmpegTimeouts timeouts) {
  require_recordable(path);
  if (is_folder_name(path)) return std::make_unique<FrameFolder>(path);
  const std::string ffmpeg = find_program("ffmpeg");
  if (!ffmpeg.empty())
    return std::make_unique<FilmRecorder>(path, ffmpeg, width, height, frames_per_second, stop, timeouts);
  const std::string folder = stand_in_folder(path);
  if (note)
    *note =
        Message("Cannot find ffmpeg: the frames are saved as PNGs in \"{}\". Install ffmpeg to record videos.", folder);
  return std::make_unique<FrameFolder>(folder);
}

}  // namespace perturb
