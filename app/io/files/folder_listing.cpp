#include "app/io/files/folder_listing.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace perturb {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t most_items = 5000;
}  // namespace

bool has_ending(const std::string& path, const std::vector<std::string>& endings) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return !ending.empty() && std::find(endings.begin(), endings.end(), ending.substr(1)) != endings.end();
}

FolderListing list_folder(const std::string& folder, const std::vector<std::string>& endings) {
  struct Found {
    FolderItem item;
    fs::file_time_type time;
  };
  FolderListing listing;
  std::error_code failure;
  const fs::path absolute = fs::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  listing.folder = absolute.string();
  if (listing.folder.size() > 1 && listing.folder.back() == '/') listing.folder.pop_back();
  std::vector<Found> found;
  fs::directory_iterator entry(absolute, failure);
  if (failure) {
    listing.problem = "The folder \"" + listing.folder + "\" cannot be read (" + failure.message() +
                      "): choose another, or check its permissions.";
    return listing;
  }
  for (const fs::directory_iterator end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(".")) continue;
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    if (!is_folder && !has_ending(name, endings)) continue;
    if (found.size() >= most_items) {
      listing.is_cut = true;
      break;
    }
    found.push_back({{name, is_folder}, entry->last_write_time(ignored)});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.item.is_folder != b.item.is_folder) return a.item.is_folder;
    if (!a.item.is_folder && a.time != b.time) return a.time > b.time;
    return a.item.name < b.item.name;
  });
  listing.items.reserve(found.size());
  for (Found& one : found) listing.items.push_back(std::move(one.item));
  return listing;
}

std::string folder_above(const std::string& folder) {
  const std::string above = fs::path(folder).parent_path().string();
  return above.empty() ? folder : above;
}

}  // namespace perturb
