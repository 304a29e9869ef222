// The X server that window tests share with xdotool: clients connect and disconnect, and each reaches it.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/io/files/process.h"
#include "tests/support/files_scratch.h"
#include "tests/support/virtual_screen.h"

namespace perturb {
namespace {

class WindowScreen : public ScratchFolder {};

// Connects like the first client of the X protocol, and disconnects. Returns whether the server reported success.
bool visit(const std::string& display) {
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "/tmp/.X11-unix/X" + display.substr(1);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const std::array<std::uint8_t, 12> hello{'l', 0, 11, 0};  // little-endian, protocol 11.0, no authorisation
  std::uint8_t answer = 0;
  const bool welcome = connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                       send(client, hello.data(), hello.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(hello.size()) &&
                       recv(client, &answer, 1, 0) == 1 && answer == 1;
  close(client);
  return welcome;
}

TEST_F(WindowScreen, AcceptsClientAfterLastOneDisconnects) {
  if (find_program("Xvfb").empty()) GTEST_SKIP() << "Xvfb is not installed";
  const VirtualScreen screen(path(""));
  ASSERT_FALSE(screen.display().empty()) << read("output.txt");
  int rejected = 0;
  for (int i = 0; i < 500; ++i) rejected += visit(screen.display()) ? 0 : 1;
  EXPECT_EQ(rejected, 0);
}

}  // namespace
}  // namespace perturb
