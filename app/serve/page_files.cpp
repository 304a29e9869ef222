#include "app/serve/page_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/browser/thumbnails.h"
#include "app/i18n/language.h"
#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_page();
std::span<const EmbeddedFile> embedded_page_icon();
std::span<const EmbeddedFile> embedded_thumbnails();

namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, const char*> types[] = {{".js", "text/javascript; charset=utf-8"},
                                                              {".css", "text/css; charset=utf-8"},
                                                              {".html", "text/html; charset=utf-8"},
                                                              {".webmanifest", "application/manifest+json"},
                                                              {".wasm", "application/wasm"},
                                                              {".json", "application/json"},
                                                              {".webp", "image/webp"},
                                                              {".png", "image/png"},
                                                              {".po", "text/plain; charset=utf-8"}};

constexpr std::size_t max_file_bytes = 64 << 20;

const char* type_of(std::string_view name) {
  for (const auto& [ending, type] : types)
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

const EmbeddedFile* find_file(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files)
    if (file.name == name) return &file;
  return nullptr;
}

void fill(std::string& text, const std::string& mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw Error("internal: the page has no {}", mark);
  text.replace(at, mark.size(), by);
}

// The tables of the gallery and of the commands, as app/web/collect.py chooses them.
std::string page_tables(const Json& all) {
  Json tables;
  for (const char* key : {"version", "lessons", "languages", "commands"}) tables[key] = all.at(key);
  tables["simulations"] = Json::array();
  for (const Json& one : all.at("simulations")) {
    Json& simulation = tables["simulations"].emplace_back();
    for (const char* key : {"id", "title", "summary", "presets"}) simulation[key] = one.at(key);
  }
  std::string text = tables.dump();
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

PageFiles::PageFiles(const std::string& catalog) {
  const EmbeddedFile* file = find_file(embedded_page(), "index.html");
  if (!file) throw Error("internal: the program has no page");
  const Json all = Json::parse(catalog);
  index_ = file->text;
  fill(index_, "<!-- modules -->", "");
  fill(index_, "<!-- gallery -->", "");
  fill(index_, "<!-- catalog -->",
       "<script type=\"application/json\" id=\"catalog\">" + page_tables(all) + "</script>");
  // The page asks for the names of its own build, which are WebP; a browser reads the type that it is told.
  images_["/icon.webp"] = images_["/icon.png"] = embedded_page_icon().front().text;
  for (const LanguageName& language : languages())
    if (std::string texts = page_texts(language.id); !texts.empty())
      languages_["/languages/" + language.id + ".po"] = std::move(texts);
  for (const Json& simulation : all.at("simulations"))
    for (const Json& preset : simulation.at("presets")) {
      std::string name = preset.at("scene");
      const EmbeddedFile* image = find_file(embedded_thumbnails(), embedded_thumbnail_name(name));
      std::replace(name.begin(), name.end(), '/', '-');
      if (image) images_["/thumbnails/" + name + ".webp"] = image->text;
    }
}

PageFiles::PageFiles(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file())
      folder_["/" + at->path().lexically_relative(folder).generic_string()] =
          read_input_file(at->path().string(), "file of the page", max_file_bytes);
  for (const char* name : {"/index.html", "/join.html", "/perturb.wasm"})
    if (folder_.find(name) == folder_.end())
      throw InputError("The folder \"{}\" is no page with its engine: it has no {}. Make one with: scripts/web --build",
                       folder.string(), name + 1);
  // A browser that keeps the page would show it without the run.
  folder_.erase("/service-worker.js");
}

bool PageFiles::is_of_join_page(const std::string& path) {
  return path == "/join" || path == "/join.js" || path == "/manifest.webmanifest" || path == "/icon.webp" ||
         path == "/icon.png";
}

HttpAnswer PageFiles::answer(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return plain_answer(405, "Only GET and HEAD are possible for this address.");
  HttpAnswer answer;
  answer.fields = page_fields();
  if (!folder_.empty()) {
    const std::string path = request.path == "/"       ? "/index.html"
                             : request.path == "/join" ? "/join.html"
                                                       : request.path;
    const auto file = folder_.find(path);
    if (file == folder_.end()) return plain_answer(404, "There is no such file here.");
    answer.type = type_of(path);
    answer.body = file->second;
    return answer;
  }
  if (request.path == "/" || request.path == "/index.html") {
    answer.type = "text/html; charset=utf-8";
    answer.body = index_;
    return answer;
  }
  if (const auto image = images_.find(request.path); image != images_.end()) {
    answer.type = "image/png";
    answer.body = image->second;
    return answer;
  }
  if (const auto language = languages_.find(request.path); language != languages_.end()) {
    answer.body = language->second;
    return answer;
  }
  const std::string name = request.path == "/join" ? "join.html" : request.path.substr(1);
  const EmbeddedFile* file = find_file(embedded_page(), name);
  if (!file) return plain_answer(404, "There is no such file here.");
  answer.type = type_of(name);
  answer.body = file->text;
  return answer;
}

}  // namespace perturb
