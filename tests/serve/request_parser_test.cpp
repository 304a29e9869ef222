// Requests of HTTP from bytes. The server's answers to requests that are not allowed: net_test.cpp.
#include "app/serve/net/request_parser.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/reach.h"
#include "tests_places.h"

namespace perturb {
namespace {

using ParserState = RequestParser::State;

struct Result {
  std::vector<std::string> requests;  // one text for each
  int status = 0;                     // of the rejection; 0: none
};

// The requests of a connection, whose bytes arrive `part` at a time.
Result read_all(std::string_view bytes, std::size_t part, const RequestParser::Limits& limits = {600, 300}) {
  RequestParser parser(limits);
  EXPECT_EQ(parser.state(), ParserState::waiting);
  Result result;
  while (!bytes.empty()) {
    const std::size_t taken = parser.take(bytes.substr(0, part));
    bytes.remove_prefix(taken);
    if (parser.state() == ParserState::rejected) {
      result.status = parser.rejection().status;
      break;
    }
    if (parser.state() != ParserState::complete) {
      if (taken == 0) {
        ADD_FAILURE() << "stays at: " << bytes;
        break;
      }
      continue;
    }
    const HttpRequest& request = parser.request();
    std::string text = request.method + '|' + request.path + '|' + request.query + '|' + request.host + '|' +
                       request.origin + '|' + request.body + '|' + (parser.keeps_connection() ? "keeps" : "ends") +
                       (parser.asks_for_websocket() ? "|websocket" : "");
    for (const auto& [name, value] : request.cookies) text += '|' + name + '=' + value;
    EXPECT_LE(request.body.size(), limits.body_bytes);
    EXPECT_TRUE(request.path.starts_with('/'));
    result.requests.push_back(text);
    parser.next();
  }
  return result;
}

TEST(RequestParser, ReadsWhatHandlersNeed) {
  const Result result = read_all(
      "POST /join?a=%20&b HTTP/1.1\r\nHOST: a:80\r\norigin: http://b\r\nCookie: x=1;y = 2; z; w=3=4\r\n"
      "Content-Length: 2\r\n\r\nok"
      "GET /run HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
      "GET / HTTP/1.0\r\n\r\n",
      10'000);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.requests, (std::vector<std::string>{"POST|/join|a=%20&b|a:80|http://b|ok|keeps|x=1|y = 2|w=3=4",
                                                       "GET|/run||a|||keeps|websocket", "GET|/|||||ends"}));
}

TEST(RequestParser, WaitsForTheRest) {
  RequestParser parser({});
  EXPECT_EQ(parser.take(""), 0u);
  EXPECT_EQ(parser.take("\r\n"), 2u);
  EXPECT_EQ(parser.state(), ParserState::waiting);
  EXPECT_EQ(parser.take("G"), 1u);
  EXPECT_EQ(parser.state(), ParserState::reading);
  const std::string rest = "ET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(parser.take(rest + "GET"), rest.size());
  EXPECT_EQ(parser.state(), ParserState::complete);
  EXPECT_EQ(parser.take("GET"), 0u);
  parser.next();
  EXPECT_EQ(parser.state(), ParserState::waiting);
}

// Also of damaged ones: from the corpus of tests/harden/fuzz, with random changes.
TEST(RequestParser, ReadsTheSameHoweverBytesArrive) {
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  std::size_t accepted = 0, rejected = 0;
  for (const char* name : {"get", "post", "chunked", "upgrade"}) {
    std::ifstream file(std::string(PERTURB_SOURCE_DIR "/tests/harden/corpus/http/") + name, std::ios::binary);
    const std::string original{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(original.empty()) << name;
    for (int round = 0; round < reach(5000, 300); ++round) {
      std::string bytes = original;
      for (std::size_t changes = static_cast<std::size_t>(round) % 4; changes > 0; --changes) {
        const std::size_t at = random(bytes.size());
        switch (random(4)) {
          case 0:
            bytes[at] = static_cast<char>(random(256));
            break;
          case 1:
            bytes.erase(at, 1 + random(5));
            break;
          case 2:
            bytes.insert(at, std::string(random(700), "x\r;0"[random(4)]));
            break;
          default:
            bytes += original.substr(random(original.size()));
            break;
        }
        if (bytes.empty()) bytes = "\n";
      }
      const Result whole = read_all(bytes, bytes.size());
      for (const std::size_t part : {std::size_t{1}, 1 + random(50)}) {
        const Result parts = read_all(bytes, part);
        EXPECT_EQ(whole.requests, parts.requests) << bytes;
        EXPECT_EQ(whole.status != 0, parts.status != 0) << bytes;
      }
      accepted += whole.requests.size();
      rejected += whole.status != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 100u);
  EXPECT_GT(rejected, 100u);
}

}  // namespace
}  // namespace perturb
