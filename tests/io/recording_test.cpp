// Tables and videos: an incomplete one leaves the old file unchanged.

#include <algorithm>

#include <gtest/gtest.h>

#include "app/io/files/csv.h"
#include "app/io/files/output.h"
#include "app/io/image/recorder.h"
#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/cpu_backend.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/diagnostics.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

class Csv : public ScratchFolder {
 protected:
  static Diagnostics row(std::int64_t step, double energy) {
    Diagnostics diagnostics;
    diagnostics.step = step;
    diagnostics.time = 0.1 * static_cast<double>(step);
    diagnostics.scalars = {{"energy", "Energy", "J", energy}, {"ratio", "Ratio", "", 0.5}};
    return diagnostics;
  }
};

TEST_F(Csv, LeavesUnknownValuesEmpty) {
  CsvFile csv(path("a.csv"));
  Diagnostics d;
  for (int step = 0; step < 2; ++step) {
    d.step = step;
    d.time = step;
    d.scalars = {value_if(step > 0, {"strouhal", "Strouhal number", "", 0.25}), {"mass", "Mass", "", 1}};
    csv.add(d);
  }
  csv.finish();
  EXPECT_EQ(read("a.csv"), "step,time,strouhal,mass\n0,0,,1\n1,1,0.25,1\n");
}

TEST_F(Csv, StatesTheScaleInAnEmptyLastColumn) {
  CsvFile csv(path("a.csv"), {}, "1 length = 0.1 cm; 1 time = 0.004 s");
  csv.add(row(0, 1));
  csv.finish();
  EXPECT_EQ(read("a.csv"), "step,time,energy [J],ratio,1 length = 0.1 cm; 1 time = 0.004 s\n0,0,1,0.5,\n");
}

// A body that is placed later has columns from the first row on.
TEST_F(Csv, HasAColumnForWhatComesLater) {
  CsvFile csv(path("a.csv"), {{"energy", "J"}, {"drag", ""}, {"ratio", ""}});
  csv.add(row(0, 1));
  Diagnostics later = row(1, 2);
  later.scalars.push_back({"drag", "Drag", "", 0.25});
  csv.add(later);
  EXPECT_EQ(csv.finish(), path("a.csv"));
  EXPECT_EQ(read("a.csv"), "step,time,energy [J],drag,ratio\n0,0,1,,0.5\n1,0.1,2,0.25,0.5\n");
}

TEST_F(Csv, NamesColumnsWithUnitsAndWritesExactNumbers) {
  CsvFile csv(path("a.csv"));
  csv.add(row(0, 1.0 / 3));
  csv.add(row(10, 1e-300));
  EXPECT_FALSE(fs::exists(path("a.csv"))) << "the name is taken when all is there";
  csv.finish();
  EXPECT_EQ(read("a.csv"), "step,time,energy [J],ratio\n0,0,0.3333333333333333,0.5\n10,1,1e-300,0.5\n");
  EXPECT_EQ(files(), 1u);
}

// A spreadsheet reads a file without a byte order mark in the code page of its system.
TEST_F(Csv, WritesUnitsInAscii) {
  const auto is_ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  EXPECT_EQ(csv_unit("mass·length²/time²"), "mass*length^2/time^2");
  std::string scenes;
  for (const SimulationInfo* info : catalog()) {
    CpuBackend backend(1);
    Scene scene = load_scene(info->id);
    if (scene.setup.width > 64) scene.setup.width = scene.setup.height = 64;
    Experiment experiment(backend, scene);
    experiment.advance(4);
    const Diagnostics diagnostics = experiment.simulation().diagnostics(scene.view, true);
    CsvFile csv(path(info->id + ".csv"));
    csv.add(diagnostics);
    csv.finish();
    const std::string table = read(info->id + ".csv"), curves = curves_as_csv(diagnostics.curves);
    EXPECT_TRUE(is_ascii(table)) << table;
    EXPECT_TRUE(is_ascii(curves)) << info->id;
    for (const Scalar& scalar : diagnostics.scalars) scenes += scalar.unit;
  }
  EXPECT_FALSE(is_ascii(scenes)) << "no unit has a sign that this test is for";
}

TEST_F(Csv, AnUnfinishedOneLeavesTheOldFile) {
  write("a.csv", "old");
  {
    CsvFile csv(path("a.csv"));
    csv.add(row(0, 1));
  }
  EXPECT_EQ(read("a.csv"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Csv, ReportsFullDiskAndKeepsOldFile) {
  write("a.csv", "old");
  for (int operation = 0; operation < 4; ++operation) {
    fail_output_after(operation);
    EXPECT_THROW(
        {
          CsvFile csv(path("a.csv"));
          csv.add(row(0, 1));
          csv.finish();
        },
        Error)
        << operation;
    EXPECT_EQ(read("a.csv"), "old");
    EXPECT_EQ(files(), 1u);
  }
}

// ---- videos

class Recording : public ScratchFolder {
 protected:
  static Picture picture(int shade) {
    Picture p;
    // Odd sizes are a problem for videos with chroma subsampling.
    p.width = 33;
    p.height = 17;
    p.pixels.assign(static_cast<std::size_t>(p.width) * p.height, rgba(static_cast<std::uint32_t>(shade), 0, 0));
    return p;
  }
  void record(const std::string& name, int count) const {
    const auto recorder = Recorder::make(path(name), 33, 17, 60, nullptr);
    for (int n = 0; n < count; ++n) recorder->add(picture(20 * n));
    recorder->finish();
  }
};

TEST_F(Recording, AFolderGetsNumberedPictures) {
  record("frames/", 3);
  EXPECT_TRUE(fs::exists(path("frames/000000.png")));
  EXPECT_TRUE(fs::exists(path("frames/000002.png")));
  EXPECT_FALSE(fs::exists(path("frames/000003.png")));
  // A second recording would mix with the first.
  EXPECT_THROW(require_recordable(path("frames/")), InputError);
}

TEST_F(Recording, FilmsComeFromFfmpeg) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "no ffmpeg here";
  for (const char* name : {"a.mp4", "a.gif", "a.webm"}) {
    write(name, "old");
    record(name, 4);
    EXPECT_GT(read(name).size(), 100u) << name;
  }
  EXPECT_EQ(files(), 3u);
}

TEST_F(Recording, AnUnfinishedFilmLeavesTheOldOne) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "no ffmpeg here";
  write("a.mp4", "old");
  {
    const auto recorder = Recorder::make(path("a.mp4"), 33, 17, 60, nullptr);
    recorder->add(picture(1));
  }
  EXPECT_EQ(read("a.mp4"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Recording, WritesFramesToFolderWithoutFfmpeg) {
  const std::string paths = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", path("").c_str(), 1);
  Message note;
  {
    const auto recorder = Recorder::make(path("a.mp4"), 33, 17, 60, &note);
    recorder->add(picture(1));
    recorder->finish();
    EXPECT_EQ(recorder->destination(), path("a-frames/"));
  }
  setenv("PATH", paths.c_str(), 1);
  EXPECT_NE(note.english().find("ffmpeg"), std::string::npos);
  EXPECT_TRUE(fs::exists(path("a-frames/000000.png")));
}

TEST_F(Recording, QuotesErrorOfFfmpeg) {
  write("ffmpeg", "#!/bin/sh\necho 'no such encoder' >&2\nexit 1\n");
  fs::permissions(path("ffmpeg"), fs::perms::owner_all);
  const std::string paths = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (path("") + ":" + paths).c_str(), 1);
  const std::string sentence = error_thrown_by<Error>([&] { record("a.mp4", 3); });
  setenv("PATH", paths.c_str(), 1);
  EXPECT_NE(sentence.find("no such encoder"), std::string::npos) << sentence;
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

// ffmpeg exits with 0 and prints nothing when the disk is full.
TEST_F(Recording, DiscardsIncompleteFilm) {
  write("ffmpeg", "#!/bin/sh\ncat >/dev/null\nfor last; do :; done\nprintf '\\0\\0\\1\\0mdat' >\"${last#file:}\"\n");
  fs::permissions(path("ffmpeg"), fs::perms::owner_all);
  const std::string paths = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (path("") + ":" + paths).c_str(), 1);
  const std::string sentence = error_thrown_by<Error>([&] { record("a.mp4", 3); });
  setenv("PATH", paths.c_str(), 1);
  EXPECT_NE(sentence.find("Cannot finish the video"), std::string::npos) << sentence;
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

// A program of that name that does nothing, or exits successfully before it has written anything.
TEST_F(Recording, KeepsOldFilmIfFfmpegWritesNothing) {
  write("ffmpeg", "#!/bin/sh\ncat >/dev/null\n");
  fs::permissions(path("ffmpeg"), fs::perms::owner_all);
  const std::string paths = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", (path("") + ":" + paths).c_str(), 1);
  for (const std::string name : {"a.mp4", "a.gif", "a.mkv", "a.webm"}) {
    write(name, "old film");
    EXPECT_NE(error_thrown_by<Error>([&] { record(name, 3); }).find("Cannot finish the video"), std::string::npos)
        << name;
    EXPECT_EQ(read(name), "old film");
  }
  setenv("PATH", paths.c_str(), 1);
}

TEST_F(Recording, AFilmWithoutPicturesLeavesTheOldOne) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "no ffmpeg here";
  for (const std::string name : {"a.mp4", "a.gif"}) {
    write(name, "old film");
    EXPECT_NE(error_thrown_by<Error>([&] { record(name, 0); }).find("no frames"), std::string::npos) << name;
    EXPECT_EQ(read(name), "old film");
  }
}

TEST_F(Recording, EveryKindOfFilmIsWhole) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "no ffmpeg here";
  for (const char* name : {"a.gif", "a.mkv", "a.webm"}) {
    record(name, 2);
    EXPECT_TRUE(fs::file_size(path(name)) > 32) << name;
  }
}

// Players take the matrix from the tags; without any they decode large videos as BT.709.
TEST_F(Recording, FilmsKeepTheirColoursAndSayHowTheyAreCoded) {
  if (find_program("ffprobe").empty()) GTEST_SKIP() << "no ffmpeg here";
  constexpr int bar = 32, height = 32, count = 6;
  const std::uint32_t colors[count] = {rgba(255, 0, 0),    rgba(0, 255, 0),     rgba(0, 0, 255),
                                       rgba(40, 120, 200), rgba(255, 255, 255), rgba(250, 190, 20)};
  Picture bars;
  bars.width = bar * count;
  bars.height = height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < bars.width; ++x) bars.pixels.push_back(colors[x / bar]);
  for (const std::string name : {"a.mp4", "a.mkv", "a.webm"}) {
    const auto recorder = Recorder::make(path(name), bars.width, height, 30, nullptr);
    for (int frame = 0; frame < 3; ++frame) recorder->add(bars);
    recorder->finish();
    const Outcome tags = shell(
        "ffprobe -v error -show_entries stream=color_range,color_space,color_transfer,color_primaries -of csv=p=0 " +
        name);
    EXPECT_EQ(tags.out, "tv,bt709,bt709,bt709\n") << name << tags.err;
    // The decoder gets the matrix, so that the result does not depend on its guess.
    const Outcome decoded = shell("ffmpeg -v error -i " + name +
                                  " -frames:v 1 -vf scale=in_color_matrix=bt709 -pix_fmt rgb24 -f rawvideo - ");
    ASSERT_EQ(decoded.out.size(), 3u * static_cast<std::size_t>(bars.width) * height) << name << decoded.err;
    for (int k = 0; k < count; ++k)
      for (unsigned channel = 0; channel < 3; ++channel) {
        const std::size_t at = 3u * static_cast<std::size_t>(height / 2 * bars.width + k * bar + bar / 2) + channel;
        const int got = static_cast<unsigned char>(decoded.out[at]);
        const int expected = static_cast<int>(colors[k] >> (8 * channel) & 0xffu);
        EXPECT_NEAR(got, expected, 4) << name << ", colour " << k << ", channel " << channel;  // 8 bits and the encoder
      }
  }
}

// Fewer steps than a frame takes: the video shows the end.
TEST_F(Recording, AShortRunHasAFilmOfOnePicture) {
  if (find_program("ffmpeg").empty()) GTEST_SKIP() << "no ffmpeg here";
  write("o.mp4", "old film");
  const Outcome outcome =
      run("wave/rain --size 32 --headless --backend cpu --steps 5 --window-size 64x64 --record o.mp4");
  if (outcome.err.find("OpenGL") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(read("o.mp4").find("moov"), std::string::npos) << outcome.out << outcome.err;
}

TEST_F(Recording, AnUnknownKindIsRejected) {
  EXPECT_THROW(require_recordable(path("a.avi2")), InputError);
  EXPECT_THROW(require_recordable(path("a")), InputError);
  EXPECT_THROW(require_recordable(path("no/folder/a.mp4")), InputError);
}

}  // namespace
}  // namespace perturb
