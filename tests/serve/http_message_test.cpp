// Origins and codes.
#include "app/serve/net/http_message.h"

#include <cctype>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "app/serve/net/join_code.h"

namespace perturb {
namespace {

TEST(SameOrigin, IsThatOfTheHost) {
  const auto same = [](const std::string& origin, const std::string& host) {
    HttpRequest request;
    request.origin = origin;
    request.host = host;
    return same_origin(request);
  };
  EXPECT_TRUE(same("", "a.lan"));
  EXPECT_TRUE(same("http://a.lan:8000", "a.lan:8000"));
  EXPECT_TRUE(same("https://A.lan", "a.LAN"));
  EXPECT_TRUE(same("http://[::1]:80", "[::1]:80"));
  for (const char* origin : {"http://b.lan:8000", "http://a.lan", "http://a.lan:8001", "http://a.lan:8000.b.lan",
                             "http://b.lan/a.lan:8000", "a.lan:8000", "null", "http://"})
    EXPECT_FALSE(same(origin, "a.lan:8000")) << origin;
  EXPECT_FALSE(same("http://", ""));
}

TEST(JoinCode, IsRandomAndUnambiguous) {
  std::set<std::string> codes;
  std::map<char, int> counts;
  for (int k = 0; k < 500; ++k) {
    const std::string code = make_code();
    EXPECT_EQ(code.size(), 6u);
    codes.insert(code);
    for (const char c : code) ++counts[c];
  }
  // Two equal ones of 500 among 23^6 have a probability of 1 in 1200, two such pairs of 1 in 3 million.
  EXPECT_GE(codes.size(), 499u);
  for (const char c : std::string("0O1I2Z5S8BAEU")) EXPECT_EQ(counts.count(c), 0u) << c;
  // 3000 characters of 23 kinds: 130 of each, with a standard deviation of 11.
  EXPECT_EQ(counts.size(), 23u);
  for (const auto& [c, count] : counts) {
    EXPECT_GT(count, 60) << c;
    EXPECT_LT(count, 200) << c;
  }
  EXPECT_EQ(make_code(30).size(), 30u);
}

TEST(JoinCode, MayBeTypedInSmallLettersAndWithSpaces) {
  const std::string code = make_code();
  std::string typed = " ";
  for (const char c : code) typed += std::string(1, static_cast<char>(std::tolower(c))) + "- ";
  EXPECT_EQ(tidy_code(typed), code);
}

TEST(JoinCode, IsComparedWhole) {
  EXPECT_TRUE(equal_in_constant_time("ABC", "ABC"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  for (const char* other : {"", "AB", "ABCD", "ABD", "XBC", "abc"}) EXPECT_FALSE(equal_in_constant_time("ABC", other));
}

}  // namespace
}  // namespace perturb
