// The page's files as the server sends them.
#include "app/serve/page_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/i18n/translation.h"
#include "app/web/engine/engine.h"
#include "tests_places.h"

namespace perturb {
namespace {

class PageFilesTest : public testing::Test {
 protected:
  HttpAnswer get(const std::string& path, const std::string& method = "GET") const {
    HttpRequest request;
    request.method = method;
    request.path = path;
    return page_.answer(request);
  }
  static std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string catalog_ = WebEngine(1).call(R"({"call":"catalog"})");
  const PageFiles page_{catalog_};
};

TEST_F(PageFilesTest, ServesEachFileOfThePageWithItsType) {
  const std::map<std::string, std::string> types{{".js", "text/javascript; charset=utf-8"},
                                                 {".css", "text/css; charset=utf-8"},
                                                 {".html", "text/html; charset=utf-8"},
                                                 {".webmanifest", "application/manifest+json"}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(PERTURB_SOURCE_DIR "/app/web/page")) {
    const std::string name = entry.path().filename();
    ASSERT_EQ(types.count(entry.path().extension()), 1u) << name << ": add its type";
    for (const char* method : {"GET", "HEAD"}) {
      const HttpAnswer answer = get("/" + name, method);
      EXPECT_EQ(answer.status, 200) << name;
      EXPECT_EQ(answer.type, types.at(entry.path().extension())) << name;
      EXPECT_TRUE(name == "index.html" || answer.body == text_of_file(entry.path())) << name;
      // Without these a browser gives the page no threads.
      const std::map<std::string, std::string> fields(answer.fields.begin(), answer.fields.end());
      EXPECT_EQ(fields.at("Cross-Origin-Opener-Policy"), "same-origin") << name;
      EXPECT_EQ(fields.at("Cross-Origin-Embedder-Policy"), "require-corp") << name;
    }
    ++count;
  }
  EXPECT_GT(count, 50);
}

TEST_F(PageFilesTest, IndexHasCatalog) {
  const std::string index = get("/").body;
  EXPECT_TRUE(get("/index.html").body == index);
  for (const char* mark : {"<!-- modules -->", "<!-- gallery -->", "<!-- catalog -->"})
    EXPECT_EQ(index.find(mark), std::string::npos) << mark;
  const std::string begin = "<script type=\"application/json\" id=\"catalog\">";
  const std::size_t at = index.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::size_t from = at + begin.size(), to = index.find('<', from);
  EXPECT_EQ(index.compare(to, 9, "</script>"), 0) << "no text of the catalog may end it";
  const auto tables = nlohmann::ordered_json::parse(index.substr(from, to - from)),
             all = nlohmann::ordered_json::parse(catalog_);
  for (const char* key : {"version", "lessons", "languages", "commands"}) EXPECT_EQ(tables.at(key), all.at(key));
  ASSERT_EQ(tables.at("simulations").size(), all.at("simulations").size());
  for (std::size_t k = 0; k < all.at("simulations").size(); ++k)
    EXPECT_EQ(tables["simulations"][k].at("presets"), all["simulations"][k].at("presets"));
}

TEST_F(PageFilesTest, ServesAnImageForEachScene) {
  const auto all = nlohmann::ordered_json::parse(catalog_);
  const std::string signature = "\x89PNG";
  for (const auto& simulation : all.at("simulations"))
    for (const auto& preset : simulation.at("presets")) {
      std::string name = preset.at("scene");
      std::replace(name.begin(), name.end(), '/', '-');
      const HttpAnswer answer = get("/thumbnails/" + name + ".webp");
      EXPECT_EQ(answer.status, 200) << name;
      EXPECT_EQ(answer.type, "image/png") << name;
      EXPECT_TRUE(answer.body.starts_with(signature)) << name;
    }
  EXPECT_TRUE(get("/icon.webp").body.starts_with(signature));
}

TEST_F(PageFilesTest, ServesTheTextsOfEachLanguage) {
  const auto all = nlohmann::ordered_json::parse(catalog_);
  for (const auto& language : all.at("languages")) {
    const std::string id = language.at("id");
    if (id == "en") continue;
    const HttpAnswer answer = get("/languages/" + id + ".po");
    EXPECT_EQ(answer.status, 200) << id;
    const std::vector<PoEntry> texts = read_po(answer.body, id);
    for (const char* text : {"Show the results to all", "Two slits", "Wave tank"})
      EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const PoEntry& one) { return one.english == text; }))
          << id << ": " << text;
  }
  EXPECT_EQ(get("/languages/xx.po").status, 404);
}

TEST_F(PageFilesTest, JoinPageNeedsNothingElse) {
  const HttpAnswer join = get("/join");
  EXPECT_EQ(join.status, 200);
  EXPECT_EQ(join.type, "text/html; charset=utf-8");
  // Whoever has no cookie yet reads the form and what it names.
  std::string form = join.body;
  const std::regex named("(?:src|href)=\"([^\"]+)\"");
  int count = 0;
  for (std::sregex_iterator one(form.begin(), form.end(), named), end; one != end; ++one) {
    const std::string name = (*one)[1];
    if (name.starts_with("data:")) continue;
    EXPECT_TRUE(PageFiles::is_of_join_page("/" + name)) << name;
    EXPECT_EQ(get("/" + name).status, 200) << name;
    ++count;
  }
  EXPECT_EQ(count, 1);
  EXPECT_FALSE(std::regex_search(get("/join.js").body, std::regex("\nimport |import\\(")));
  for (const char* path : {"/join", "/join.js", "/manifest.webmanifest", "/icon.webp"}) {
    EXPECT_TRUE(PageFiles::is_of_join_page(path)) << path;
    EXPECT_EQ(get(path).status, 200) << path;
  }
  for (const char* path : {"/", "/index.html", "/main.js", "/run", "/join/", "/joined", "/join.js/../main.js", ""})
    EXPECT_FALSE(PageFiles::is_of_join_page(path)) << path;
}

TEST_F(PageFilesTest, RefusesOtherPathsAndMethods) {
  for (const char* path : {"/missing.js", "/main.js/", "//main.js", "/MAIN.JS", "/../main.js", "/%6dain.js",
                           "/thumbnails/", "/thumbnails/none.webp", "/index.html/", "/ "}) {
    const HttpAnswer answer = get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "There is no such file here.\n");
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", ""}) {
    EXPECT_EQ(get("/", method).status, 405) << method;
    EXPECT_EQ(get("/missing.js", method).status, 405) << method;
  }
}

}  // namespace
}  // namespace perturb
