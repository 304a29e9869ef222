#include "tests/support/virtual_screen.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace perturb {

bool eventually(const std::function<bool()>& done, std::chrono::milliseconds pause) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

Process::Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const std::vector<std::pair<std::string, std::string>>& environment, int pipe) {
  id_ = fork();
  if (id_ != 0) return;
  // If the test itself is killed, for example after a timeout, no window remains that keeps drawing.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A test that runs in the background, or under nohup, ignores some signals, and a child process inherits that.
  for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) signal(number, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(folder.c_str()) != 0) _exit(126);
  const int log = open("output.txt", O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (log >= 0) {
    dup2(log, 1);
    dup2(log, 2);
  }
  if (pipe >= 0) dup2(pipe, 3);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

Process::~Process() {
  if (id_ <= 0 || ended()) return;
  kill(id_, SIGCONT);
  kill(id_, SIGTERM);
  if (!eventually([this] { return ended(); })) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
}

void Process::send(int signal) {
  if (!ended()) kill(id_, signal);
}

bool Process::ended() {
  int status = 0;
  if (!code_ && waitpid(id_, &status, WNOHANG) == id_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_.has_value();
}

VirtualScreen::VirtualScreen(const std::filesystem::path& folder, const std::string& size)
    : memory_(folder / "Xvfb_screen0") {
  // The server finds a free display itself, and writes its number when it is ready. It must not reset when its last
  // client (xdotool, searching for a window) disconnects: clients that connect meanwhile would find no server. Key
  // repeat is off: on a busy machine a key that is released at once may have been down long enough to repeat.
  int ends[2];
  if (pipe(ends) != 0) return;
  server_ = std::make_unique<Process>(std::vector<std::string>{"Xvfb", "-displayfd", "3", "-screen", "0", size + "x24",
                                                               "-nolisten", "tcp", "-noreset", "-r", "-fbdir", "."},
                                      folder, std::vector<std::pair<std::string, std::string>>{}, ends[1]);
  close(ends[1]);
  std::string number;
  for (char letter = 0; read(ends[0], &letter, 1) == 1 && letter != '\n';) number += letter;
  close(ends[0]);
  if (!number.empty()) display_ = ":" + number;
}

std::vector<std::uint8_t> VirtualScreen::pixels(int width, int height) const {
  // A window dump (X11/XWDFile.h): big-endian words of four bytes; the header, the colours, the pixels.
  std::ifstream file(memory_, std::ios::binary);
  std::vector<unsigned char> dump(std::filesystem::file_size(memory_));
  file.read(reinterpret_cast<char*>(dump.data()), static_cast<std::streamsize>(dump.size()));
  if (!file || dump.size() < 80) return {};
  const auto word = [&](std::size_t place) {
    std::size_t value = 0;
    for (std::size_t k = 4 * place; k < 4 * place + 4; ++k) value = value << 8 | dump[k];
    return value;
  };
  const std::size_t bits = word(11), bytes_per_line = word(12), first = word(0) + 12 * word(19),
                    columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  if (bits != 32 || columns > word(4) || rows > word(5) || dump.size() < first + rows * bytes_per_line) return {};
  std::vector<std::uint8_t> rgb(3 * columns * rows);
  // With pointers: this code is not optimised, and there are a million pixels.
  std::uint8_t* to = rgb.data();
  for (std::size_t j = 0; j < rows; ++j) {
    const unsigned char* from = dump.data() + first + j * bytes_per_line;  // blue, green, red, unused
    for (const unsigned char* const end = from + 4 * columns; from < end; from += 4, to += 3) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
    }
  }
  return rgb;
}

}  // namespace perturb
