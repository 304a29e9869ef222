// A folder for the files of one test, and the program run as by a user.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/io/files/output.h"
#include "tests_places.h"

namespace perturb {

class ScratchFolder : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "_" + test->name();
    for (char& c : name)
      if (c == '/') c = '_';
    folder_ = std::filesystem::temp_directory_path() / ("perturb_" + name + "_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    fail_output_after(-1);
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Number of files in the folder, to detect temporary files that were not removed.
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  struct Outcome {
    int code = -1;
    std::string out, err;
  };
  // Runs the program in this folder; `arguments` as for a shell, `environment` such as "DISPLAY= ".
  Outcome run(const std::string& arguments, const std::string& environment = "") const {
    return shell(environment + " '" PERTURB_BINARY "' " + arguments);
  }
  Outcome shell(const std::string& command) const {
    const std::filesystem::path words = folder_.string() + ".out", complaints = folder_.string() + ".err";
    const int status = std::system(("cd '" + folder_.string() + "' && (" + command + ") >'" + words.string() + "' 2>'" +
                                    complaints.string() + "' </dev/null")
                                       .c_str());
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    outcome.out = slurp(words);
    outcome.err = slurp(complaints);
    std::filesystem::remove(words);
    std::filesystem::remove(complaints);
    return outcome;
  }

 private:
  static std::string slurp(const std::filesystem::path& name) {
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::filesystem::path folder_;
};

}  // namespace perturb
