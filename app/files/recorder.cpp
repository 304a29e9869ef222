#include "app/files/recorder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/files/output.h"
#include "cuda/core/check.h"

extern char** environ;

namespace perturb {

namespace fs = std::filesystem;

namespace {

bool is_folder_name(const std::string& path) { return path.ends_with('/'); }

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

// How each kind of film is encoded, after the options that describe the pictures. Rows come bottom first.
std::vector<std::string> encoding_for(const std::string& ending) {
  // 4:2:0 halves the colour's resolution, so sides must be even: the last column or row is doubled where they are not.
  const std::string even = "vflip,pad=ceil(iw/2)*2:ceil(ih/2)*2";
  if (ending == ".mp4" || ending == ".mkv")
    return {"-vf",  even, "-c:v",     "libx264", "-preset",   "medium",
            "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart"};
  if (ending == ".webm")
    return {"-vf", even, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-pix_fmt", "yuv420p"};
  if (ending == ".gif")
    return {"-filter_complex", "[0:v]vflip,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none"};
  return {};
}

class FolderRecorder final : public Recorder {
 public:
  explicit FolderRecorder(const std::string& folder) : Recorder(folder) {
    std::error_code failure;
    fs::create_directory(folder, failure);
    if (failure) throw Error("Could not make the folder \"" + folder + "\": " + failure.message() + ".");
  }
  void add(const Picture& picture) override {
    char name[32];
    std::snprintf(name, sizeof name, "%06lld.png", static_cast<long long>(count_++));
    save_png(picture, (fs::path(destination()) / name).string());
  }
  void finish() override {}

 private:
  std::int64_t count_ = 0;
};

// ffmpeg as a child process that reads raw pictures from a pipe.
class FilmRecorder final : public Recorder {
 public:
  FilmRecorder(const std::string& path, const std::string& ffmpeg, int width, int height, double frames_per_second)
      : Recorder(path), file_(path), words_(std::tmpfile()), width_(width), height_(height) {
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.6g", frames_per_second);
    std::vector<std::string> arguments = {ffmpeg, "-y", "-nostdin", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt",
                                          "rgba", "-s", size,       "-r",        rate,    "-i", "pipe:0"};
    for (const std::string& argument : encoding_for(ending_of(path))) arguments.push_back(argument);
    arguments.push_back("file:" + file_.temporary());
    start(arguments);
  }
  ~FilmRecorder() override {
    // Ended without finish(): what it wrote is not wanted.
    if (pipe_ >= 0) close(pipe_);
    if (child_ > 0) {
      kill(child_, SIGTERM);
      waitpid(child_, nullptr, 0);
    }
    if (words_) std::fclose(words_);
  }
  FilmRecorder(const FilmRecorder&) = delete;
  FilmRecorder& operator=(const FilmRecorder&) = delete;

  void add(const Picture& picture) override {
    if (picture.width != width_ || picture.height != height_)
      throw Error("The picture changed its size while it was recorded: keep the window as it is.");
    pass_output_door(destination());
    const char* data = reinterpret_cast<const char*>(picture.pixels.data());
    std::size_t left = picture.pixels.size() * sizeof(std::uint32_t);
    while (left > 0) {
      const ssize_t written = write(pipe_, data, left);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) give_up();
      data += written;
      left -= static_cast<std::size_t>(written);
    }
  }

  void finish() override {
    close(std::exchange(pipe_, -1));
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail();
    file_.commit();
  }

 private:
  void start(const std::vector<std::string>& arguments) {
    // A child that dies must show as a failed write, not end this program.
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw Error(std::string("Could not make a pipe to ffmpeg: ") + std::strerror(errno) + ".");
    pipe_ = ends[1];

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (words_) posix_spawn_file_actions_adddup2(&actions, fileno(words_), STDERR_FILENO);
    // Ctrl-C is for this program, which then lets ffmpeg end its film in order.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);

    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const int failure = posix_spawn(&child_, words[0], &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failure != 0) {
      close(std::exchange(pipe_, -1));
      child_ = 0;
      throw Error("Could not start " + arguments[0] + ": " + std::strerror(failure) + ".");
    }
  }

  [[noreturn]] void give_up() {
    close(std::exchange(pipe_, -1));
    waitpid(std::exchange(child_, 0), nullptr, 0);
    fail();
  }
  [[noreturn]] void fail() {
    std::string said;
    if (words_) {
      std::rewind(words_);
      char line[400];
      if (std::fgets(line, sizeof line, words_)) said = line;
      while (!said.empty() && said.back() == '\n') said.pop_back();
    }
    throw Error("Recording \"" + destination() + "\" failed: ffmpeg ended with an error" +
                (said.empty() ? "" : " (" + said + ")") +
                ". Try another kind of film (.mp4, .webm, .gif), or a folder (its name ends with a slash) for PNGs.");
  }

  PendingFile file_;
  std::FILE* words_;
  int width_, height_;
  int pipe_ = -1;
  pid_t child_ = 0;
};

// Where PNGs go when a film was asked for and there is no ffmpeg.
std::string stand_in_folder(const std::string& path) {
  return fs::path(path).replace_extension("").string() + "-frames/";
}

void require_folder(const std::string& path) {
  std::error_code ignored;
  const fs::path folder = fs::path(path).parent_path();  // without the slash
  const std::string name = "\"" + path + "\"";
  if (!fs::exists(folder, ignored)) {
    require_writable(folder.string());
    return;
  }
  if (!fs::is_directory(folder, ignored))
    throw InputError("Cannot record into " + name + ": it is a file. Name a folder.");
  require_writable((folder / "000000.png").string());
  // A shorter recording over a longer one would leave a mixture of both.
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".png")
      throw InputError("Cannot record into " + name +
                       ": it already holds pictures. Name a new folder or empty this one.");
}

}  // namespace

std::string find_program(const std::string& name) {
  const char* paths = std::getenv("PATH");
  std::string_view rest = paths ? paths : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return "";
}

void require_recordable(const std::string& path) {
  if (is_folder_name(path)) return require_folder(path);
  if (encoding_for(ending_of(path)).empty())
    throw InputError("Cannot record to \"" + path +
                     "\": a film's name ends with .mp4, .webm, .mkv or .gif, and a folder's (for PNGs) with a slash.");
  require_writable(path);
  if (find_program("ffmpeg").empty()) require_folder(stand_in_folder(path));
}

std::unique_ptr<Recorder> Recorder::make(const std::string& path, int width, int height, double frames_per_second,
                                         std::string* note) {
  require_recordable(path);
  if (is_folder_name(path)) return std::make_unique<FolderRecorder>(path);
  const std::string ffmpeg = find_program("ffmpeg");
  if (!ffmpeg.empty()) return std::make_unique<FilmRecorder>(path, ffmpeg, width, height, frames_per_second);
  const std::string folder = stand_in_folder(path);
  if (note)
    *note = "There is no ffmpeg in PATH, so the pictures go to \"" + folder + "\" as PNGs. Install ffmpeg for films.";
  return std::make_unique<FolderRecorder>(folder);
}

}  // namespace perturb
