#include "tests/support/real_window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>

#include <unistd.h>

#include "app/io/files/process.h"
#include "tests_places.h"

namespace perturb {

namespace fs = std::filesystem;

namespace {
std::string from_environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}
}  // namespace

void RealWindow::SetUp() {
  for (const char* program : {"Xvfb", "xdotool"})
    if (find_program(program).empty()) GTEST_SKIP() << program << " is not installed";
  folder_ = fs::temp_directory_path() / ("perturb-window-" + std::to_string(getpid()) + "-" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
  fs::create_directories(folder_);
  display_ = from_environment("PERTURB_TEST_DISPLAY", "");
  if (!display_.empty()) return;
  screen_ = std::make_unique<VirtualScreen>(folder_, screen_size());
  if (screen_->display().empty()) GTEST_SKIP() << "Xvfb does not start here: " << output();
  display_ = screen_->display();
}

void RealWindow::TearDown() {
  program_.reset();
  screen_.reset();
  std::error_code ignored;
  if (!HasFailure()) fs::remove_all(folder_, ignored);
}

std::vector<std::pair<std::string, std::string>> RealWindow::environment() const {
  // An address-sanitised program would report memory that Mesa's drivers do not free. The drivers are unloaded by then,
  // so a suppression list cannot name them.
  const std::string sanitizer = from_environment("ASAN_OPTIONS", "");
  std::vector<std::pair<std::string, std::string>> variables = {
      {"DISPLAY", display_},
      {"WAYLAND_DISPLAY", ""},
      {"XDG_SESSION_TYPE", "x11"},
      {"XDG_STATE_HOME", (folder_ / "state").string()},
      {"XDG_CONFIG_HOME", (folder_ / "config").string()},
      {"XDG_DATA_HOME", (folder_ / "data").string()},
      {"ASAN_OPTIONS", (sanitizer.empty() ? "" : sanitizer + ":") + "detect_leaks=0"}};
  if (screen_) variables.push_back({"LIBGL_ALWAYS_SOFTWARE", "1"});
  return variables;
}

std::string RealWindow::output() const {
  // Output of the program, and messages that appeared only in the window.
  std::string text;
  for (const fs::path& path : {folder_ / "output.txt", folder_ / "state" / "perturb" / "failures.log"}) {
    std::ifstream file(path);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

void RealWindow::start(std::vector<std::string> arguments, int scale) {
  arguments.insert(arguments.end(), {"--colormap", "grey"});
  start_command(std::move(arguments), width, height, scale);
}

void RealWindow::start_command(std::vector<std::string> arguments, int window_width, int window_height, int scale) {
  std::vector<std::string> words = {from_environment("PERTURB_TEST_BINARY", PERTURB_BINARY)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> fixed = {
      "--backend",       from_environment("PERTURB_TEST_BACKEND", "cpu"),
      "--window-size",   std::to_string(window_width) + "x" + std::to_string(window_height),
      "--ui-scale",      std::to_string(scale),
      "--output-folder", ".",
      "--frame-rate",    "20"};
  words.insert(words.end(), fixed.begin(), fixed.end());
  // Without another option a busy machine would open a lighter variant of the scene, whose panel is another.
  const bool is_scene = arguments.size() == 1 && arguments.front().find('/') != std::string::npos;
  if (is_scene && std::filesystem::path(arguments.front()).extension().empty())
    words.insert(words.end(), {"--kernel", "auto"});
  // Tests find rows as in LaidOutPanels, which has the full view.
  if (arguments.front() != "lesson") words.insert(words.end(), {"--panel", "full"});
  ASSERT_NO_FATAL_FAILURE(launch(words));
  // No window manager places or focuses the window: it is in the corner, and keys follow the pointer.
  layout_ = make_layout(window_width, window_height, 1, scale, true);
  move_to(layout_.view_rect.width / 2, layout_.view_rect.height / 2);
}

void RealWindow::start_without_defaults(std::vector<std::string> words) {
  words.insert(words.begin(), from_environment("PERTURB_TEST_BINARY", PERTURB_BINARY));
  ASSERT_NO_FATAL_FAILURE(launch(words));
  move_to(100, 100);
}

void RealWindow::launch(const std::vector<std::string>& words) {
  program_ = std::make_unique<Process>(words, folder_, environment());
  // (Each check starts a process: many per second would slow the program down.)
  ASSERT_TRUE(eventually(
      [this] {
        return program_->ended() || xdotool({"search", "--onlyvisible", "--class", "perturb"}) == 0;
      },
      std::chrono::milliseconds(40)));
  ASSERT_FALSE(program_->ended()) << output();
}

int RealWindow::xdotool(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "xdotool");
  Process hand(arguments, folder_, environment());
  if (!eventually([&] { return hand.ended(); })) return -1;
  return hand.code();
}

void RealWindow::move_to(double x, double y) {
  pointer_x_ = static_cast<int>(x);
  pointer_y_ = static_cast<int>(y);
  ASSERT_EQ(xdotool({"mousemove", std::to_string(pointer_x_), std::to_string(pointer_y_)}), 0) << output();
}

void RealWindow::click(int button) { ASSERT_EQ(xdotool({"click", std::to_string(button)}), 0) << output(); }

void RealWindow::key(const std::string& name) { ASSERT_EQ(xdotool({"key", name}), 0) << output(); }

void RealWindow::within_one_frame(const std::function<void()>& actions) {
  program_->send(SIGSTOP);
  actions();
  program_->send(SIGCONT);
}

void RealWindow::drag(int button, double x0, double y0, double x1, double y1) {
  constexpr int moves = 8;
  move_to(x0, y0);
  std::vector<std::string> words = {"mousedown", std::to_string(button)};
  for (int k = 1; k <= moves; ++k) {
    words.push_back("mousemove");
    words.push_back(std::to_string(static_cast<int>(x0 + (x1 - x0) * k / moves)));
    words.push_back(std::to_string(static_cast<int>(y0 + (y1 - y0) * k / moves)));
  }
  words.push_back("mouseup");
  words.push_back(std::to_string(button));
  ASSERT_EQ(xdotool(words), 0) << output();
  pointer_x_ = static_cast<int>(x1);
  pointer_y_ = static_cast<int>(y1);
}

std::vector<fs::path> RealWindow::files(const std::string& extension) const {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder_))
    // Hidden files are still being written.
    if (entry.path().extension() == extension && entry.path().filename().string().front() != '.')
      found.push_back(entry.path());
  return found;
}

std::vector<fs::path> RealWindow::scripts() const {
  std::vector<fs::path> found = files(".toml");
  std::erase_if(found, [](const fs::path& path) { return !path.filename().string().starts_with("perturb-"); });
  return found;
}

namespace {

// Saved images contain the domain only. An image that fits into the view gets the bars beside it again, so that its
// pixels are those of the view while the camera is in the middle; a larger one is not of this view.
std::shared_ptr<const GreyImage> in_whole_view(std::shared_ptr<const GreyImage> image, const Viewport& view) {
  constexpr float bars = 0.1f;
  if (image->width > view.width || image->height > view.height) return image;
  const int left = (view.width - image->width) / 2, bottom = (view.height - image->height) / 2;
  auto whole = std::make_shared<GreyImage>();
  whole->width = view.width;
  whole->height = view.height;
  whole->values.assign(static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height), bars);
  for (int j = 0; j < image->height; ++j)
    std::copy_n(image->values.begin() + static_cast<std::ptrdiff_t>(j) * image->width, image->width,
                whole->values.begin() + static_cast<std::ptrdiff_t>(bottom + j) * view.width + left);
  return whole;
}

}  // namespace

std::shared_ptr<const GreyImage> RealWindow::screenshot() {
  // The program names the file by the step; an old file of that name is removed first.
  for (const fs::path& old : files(".png")) fs::remove(old);
  const auto start = std::chrono::steady_clock::now();
  key("p");
  EXPECT_TRUE(eventually([this] { return !files(".png").empty() || program_->ended(); })) << output();
  const std::vector<fs::path> found = files(".png");
  if (found.empty()) return nullptr;
  response_ = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  last_name_ = found.front().filename().string();
  return in_whole_view(load_grey_image(found.front().string()), layout_.viewport());
}

std::int64_t RealWindow::step() const { return std::stoll(last_name_.substr(last_name_.rfind('-') + 1)); }

bool RealWindow::patiently(const std::function<bool()>& done) {
  for (int k = 0; k < 5; ++k)
    if (eventually(done)) return true;
  return false;
}

std::shared_ptr<const GreyImage> RealWindow::play_until(std::int64_t steps) {
  EXPECT_TRUE(patiently([&] { return screenshot() && step() >= steps; })) << last_name_ << output();
  key("n");
  return screenshot();
}

void RealWindow::press_until_image_is_saved(const std::string& name) {
  for (const fs::path& old : files(".png")) fs::remove(old);
  EXPECT_TRUE(eventually([&] {
    key(name);
    wait_for_typing();
    return !files(".png").empty() || program_->ended();
  })) << output();
}

std::shared_ptr<const GreyImage> RealWindow::paused_image() {
  key("n");  // one step, which pauses
  key("r");
  std::shared_ptr<const GreyImage> picture = screenshot();
  // A run that is not paused would continue, and its file would soon have another name.
  for (int i = 0; i < 2 && picture; ++i) {
    EXPECT_TRUE(last_name_.ends_with("-0.png")) << last_name_;
    picture = screenshot();
  }
  return picture;
}

bool RealWindow::cannot_capture() const { return !screen_ && find_program("ffmpeg").empty(); }

std::vector<std::uint8_t> RealWindow::capture(int window_width, int window_height) {
  if (screen_) {
    // Two frames, also on a busy machine: there the last image took as long.
    std::this_thread::sleep_for(std::clamp(response_, std::chrono::milliseconds(100), std::chrono::milliseconds(3000)));
    std::vector<std::uint8_t> pixels = screen_->pixels(window_width, window_height);
    EXPECT_FALSE(pixels.empty()) << "The screen's picture cannot be read.";
    return pixels;
  }
  if (cannot_capture()) return {};
  const fs::path file = folder_ / "seen.rgb";
  Process eye({"ffmpeg", "-loglevel", "error", "-y", "-f", "x11grab", "-draw_mouse", "0", "-video_size",
               std::to_string(window_width) + "x" + std::to_string(window_height), "-i", display_, "-frames:v", "1",
               "-f", "rawvideo", "-pix_fmt", "rgb24", file.string()},
              folder_, environment());
  EXPECT_TRUE(eventually([&] { return eye.ended(); }));
  EXPECT_EQ(eye.code(), 0) << output();
  std::vector<std::uint8_t> pixels(std::size_t{3} * static_cast<std::size_t>(window_width) *
                                   static_cast<std::size_t>(window_height));
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
  EXPECT_EQ(static_cast<std::size_t>(stream.gcount()), pixels.size());
  pixels.resize(static_cast<std::size_t>(stream.gcount()));
  return pixels;
}

void RealWindow::wait_for_input() {
  // A script is the quickest response.
  key("ctrl+shift+s");
  ASSERT_TRUE(eventually([this] { return !scripts().empty() || program_->ended(); })) << output();
  for (const fs::path& script : scripts()) fs::remove(script);
}

void RealWindow::wait_for_frame() {
  // A button goes down in one frame and up in the next: three frames, each of which responds to its own key. The image,
  // last, shows all effects.
  for (int i = 0; i < 2; ++i) ASSERT_NO_FATAL_FAILURE(wait_for_input());
  ASSERT_TRUE(screenshot());
}

void RealWindow::wait_for_typing() {
  // Three frames at least, also on a busy machine: there the last image took as long, and so does a program that does
  // nothing.
  const auto start = std::chrono::steady_clock::now();
  xdotool({"sleep", "0"});
  const auto call = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  std::this_thread::sleep_for(
      std::clamp(std::max(3 * response_, 10 * call), std::chrono::milliseconds(300), std::chrono::milliseconds(30000)));
}

fs::path RealWindow::saved_state() {
  for (const fs::path& old : files(".perturb")) fs::remove(old);
  key("ctrl+s");
  EXPECT_TRUE(eventually([this] { return !files(".perturb").empty() || program_->ended(); })) << output();
  const std::vector<fs::path> found = files(".perturb");
  return found.empty() ? fs::path() : found.front();
}

void RealWindow::quit() {
  key("ctrl+q");
  ASSERT_TRUE(eventually([this] { return program_->ended(); })) << output();
  EXPECT_EQ(program_->code(), 0) << output();
}

std::vector<fs::path> RealWindow::found(const std::string& ending) const {
  std::vector<fs::path> list;
  std::error_code ignored;
  for (fs::recursive_directory_iterator entry(folder_, ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().string().ends_with(ending) && entry->path().filename().string().front() != '.')
      list.push_back(entry->path());
  return list;
}

std::string RealWindow::text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

double RealWindow::Difference::at(double px, double py) const { return std::hypot(px - x, py - y); }

RealWindow::Difference RealWindow::difference(const GreyImage& before, const GreyImage& after) const {
  Difference d;
  EXPECT_EQ(before.width, after.width);
  EXPECT_EQ(before.height, after.height);
  if (before.values.size() != after.values.size()) return d;
  const auto each = [&](const auto& use) {
    for (int j = 0; j < before.height; ++j)
      for (int i = 0; i < before.width; ++i) {
        const std::size_t k =
            static_cast<std::size_t>(j) * static_cast<std::size_t>(before.width) + static_cast<std::size_t>(i);
        const double weight = std::abs(after.values[k] - before.values[k]);
        if (weight > 0.02) use(i, before.height - 1 - j, weight);
      }
  };
  each([&](double x, double y, double w) {
    d.x += w * x;
    d.y += w * y;
    d.weight += w;
  });
  if (d.weight > 0) {
    d.x /= d.weight;
    d.y /= d.weight;
  }
  each([&](double x, double y, double) { d.radius = std::max(d.radius, std::hypot(x - d.x, y - d.y)); });
  return d;
}

}  // namespace perturb
