// Files of a folder as answers, origins, and codes.
#include "app/serve/net/static_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/serve/net/join_code.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

std::string field_of(const HttpAnswer& answer, const std::string& name) {
  for (const auto& [own, value] : answer.fields)
    if (own == name) return value;
  return "";
}

std::string content_of(const HttpAnswer& answer) {
  if (!answer.file) return answer.body;
  std::string all(answer.file->bytes(), '\0');
  EXPECT_EQ(answer.file->read(all.data(), all.size(), 0), all.size());
  return all;
}

class StaticFilesOfFolder : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    std::filesystem::create_directories(path("page/languages"));
    write("page/index.html", "<p>front</p>");
    write("page/languages/index.html", "<p>languages</p>");
    write("page/languages/de.po", "msgid");
    write("outside.txt", "secret");
  }
  HttpAnswer get(const std::string& target, const HttpFields& fields = {}, const std::string& method = "GET") const {
    HttpRequest request;
    request.method = method;
    request.path = target;
    request.fields = fields;
    return StaticFiles(path("page")).answer(request);
  }
};

TEST_F(StaticFilesOfFolder, HaveTheirTypes) {
  const std::map<std::string, std::string> types{{"a.js", "text/javascript; charset=utf-8"},
                                                 {"a.mjs", "text/javascript; charset=utf-8"},
                                                 {"a.wasm", "application/wasm"},
                                                 {"a.json", "application/json"},
                                                 {"a.po", "text/plain; charset=utf-8"},
                                                 {"a.webp", "image/webp"},
                                                 {"a.png", "image/png"},
                                                 {"a.html", "text/html; charset=utf-8"},
                                                 {"a.css", "text/css; charset=utf-8"},
                                                 {"a.webmanifest", "application/manifest+json"},
                                                 {"a.toml", "application/toml"},
                                                 {"a.unknown", "application/octet-stream"},
                                                 {"a", "application/octet-stream"}};
  for (const auto& [name, type] : types) {
    write("page/" + name, name);
    const HttpAnswer answer = get("/" + name);
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_EQ(answer.type, type) << name;
    EXPECT_EQ(content_of(answer), name);
  }
}

TEST_F(StaticFilesOfFolder, AreIsolatedAndCachedAfterAsking) {
  for (const char* target : {"/", "/languages/de.po", "/missing"}) {
    const HttpAnswer answer = get(target);
    EXPECT_EQ(field_of(answer, "Cross-Origin-Opener-Policy"), "same-origin") << target;
    EXPECT_EQ(field_of(answer, "Cross-Origin-Embedder-Policy"), "require-corp") << target;
    EXPECT_EQ(field_of(answer, "Cache-Control"), "no-cache") << target;
  }
}

TEST_F(StaticFilesOfFolder, ServeIndexForFolders) {
  EXPECT_EQ(content_of(get("/")), "<p>front</p>");
  EXPECT_EQ(content_of(get("/languages/")), "<p>languages</p>");
  EXPECT_EQ(get("/languages").status, 404);  // its relative links would lead elsewhere
}

TEST_F(StaticFilesOfFolder, DecodeNames) {
  write("page/ä b+c.txt", "umlaut");
  EXPECT_EQ(content_of(get("/%C3%A4%20b+c.txt")), "umlaut");
  EXPECT_EQ(content_of(get("/languages/%64e.po")), "msgid");
}

TEST_F(StaticFilesOfFolder, ServeNothingOutside) {
  std::filesystem::create_directories(path("page-secret"));
  write("page-secret/a.txt", "secret");
  write("page/.hidden", "secret");
  std::filesystem::create_directories(path("page/.git"));
  write("page/.git/config", "secret");
  std::filesystem::create_symlink(path("outside.txt"), path("page/link.txt"));
  std::filesystem::create_symlink("../outside.txt", path("page/relative.txt"));
  std::filesystem::create_directory_symlink(path("page-secret"), path("page/linked"));
  std::filesystem::create_symlink(path("nowhere"), path("page/dangling"));
  std::filesystem::create_symlink("loop", path("page/loop"));
  for (const std::string target : {"/../outside.txt",
                                   "/%2e%2e/outside.txt",
                                   "/languages/../../outside.txt",
                                   "/..%2foutside.txt",
                                   "/..%5coutside.txt",
                                   "/..\\outside.txt",
                                   "/languages/..%2F..%2Foutside.txt",
                                   "/index.html%00.txt",
                                   "/%00",
                                   "//etc/passwd",
                                   "/%2fetc/passwd",
                                   "/./index.html",
                                   "/languages//de.po",
                                   "/.hidden",
                                   "/.git/config",
                                   "/link.txt",
                                   "/relative.txt",
                                   "/linked/a.txt",
                                   "/../page-secret/a.txt",
                                   "/dangling",
                                   "/loop",
                                   "/%",
                                   "/%4",
                                   "/%zz",
                                   "",
                                   "index.html",
                                   "/index.html/",
                                   "/index.html/a"}) {
    const HttpAnswer answer = get(target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_EQ(content_of(answer), "There is no such page.\n") << target;
  }
  EXPECT_EQ(get("/" + std::string(5000, 'a')).status, 404);
}

TEST_F(StaticFilesOfFolder, FollowLinksWithin) {
  std::filesystem::create_symlink("languages/de.po", path("page/german"));
  EXPECT_EQ(content_of(get("/german")), "msgid");
}

TEST_F(StaticFilesOfFolder, RejectPipesWithoutWaiting) {
  ASSERT_EQ(mkfifo(path("page/pipe").c_str(), 0600), 0);
  EXPECT_EQ(get("/pipe").status, 404);
}

TEST_F(StaticFilesOfFolder, AreSentAgainOnlyWhenChanged) {
  const std::string tag = field_of(get("/"), "ETag");
  ASSERT_GT(tag.size(), 4u);
  for (const std::string& list : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const HttpAnswer answer = get("/", {{"if-none-match", list}});
    EXPECT_EQ(answer.status, 304) << list;
    EXPECT_EQ(field_of(answer, "ETag"), tag);
    EXPECT_EQ(content_of(answer), "");
  }
  for (const std::string list : {"\"other\"", ""}) EXPECT_EQ(get("/", {{"If-None-Match", list}}).status, 200) << list;
  write("page/index.html", "<p>longer front</p>");
  EXPECT_EQ(get("/", {{"If-None-Match", tag}}).status, 200);
  EXPECT_NE(field_of(get("/"), "ETag"), tag);
}

TEST_F(StaticFilesOfFolder, CanOnlyBeRead) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    const HttpAnswer answer = get("/", {}, method);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(field_of(answer, "Allow"), "GET, HEAD");
  }
  EXPECT_EQ(get("/", {}, "HEAD").status, 200);
}

TEST_F(StaticFilesOfFolder, NeedAFolder) {
  for (const std::string& folder : {path("missing"), path("outside.txt")}) {
    const std::string error = error_thrown_by([&] { StaticFiles files(folder); });
    EXPECT_NE(error.find(folder), std::string::npos) << error;
    EXPECT_NE(error.find("Choose a folder"), std::string::npos) << error;
  }
}

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
