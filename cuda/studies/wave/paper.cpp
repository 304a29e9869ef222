#include "cuda/studies/wave/paper.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/studies/paper.h"

namespace perturb::wave {

namespace {

// Memory of matrices that no longer exist, for the next ones. Without it the C library returns the memory of a large
// matrix to the system, or keeps it, depending on the state of the heap, and the time of a step with it.
class SpareMemory {
 public:
  // Zeros if the memory is new; otherwise the numbers of an earlier matrix.
  std::vector<float> take(std::size_t size) {
    for (std::vector<float>& values : spare_)
      if (values.size() == size) {
        std::swap(values, spare_.back());
        std::vector<float> taken = std::move(spare_.back());
        spare_.pop_back();
        return taken;
      }
    return std::vector<float>(size);
  }
  void keep(std::vector<float> values) { spare_.push_back(std::move(values)); }

 private:
  std::vector<std::vector<float>> spare_;
};

// A matrix as an object: every product and sum creates a new one.
class PaperMatrix {
 public:
  // `memory` must outlive the matrix and those computed from it.
  PaperMatrix(int rows, int columns, SpareMemory& memory)
      : rows_(rows),
        columns_(columns),
        memory_(&memory),
        values_(memory.take(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))) {}
  ~PaperMatrix() {
    if (!values_.empty()) memory_->keep(std::move(values_));
  }
  PaperMatrix(PaperMatrix&& other) noexcept = default;
  PaperMatrix(const PaperMatrix&) = delete;
  PaperMatrix& operator=(PaperMatrix&&) = delete;
  PaperMatrix& operator=(const PaperMatrix& other) = default;
  SpareMemory& memory() const { return *memory_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  float* data() { return values_.data(); }
  const std::vector<float>& values() const { return values_; }
  float& operator()(int row, int column) { return values_[at(row, column)]; }
  float operator()(int row, int column) const { return values_[at(row, column)]; }

  PaperMatrix operator*(float factor) const {
    PaperMatrix product(rows_, columns_, *memory_);
    for (std::size_t k = 0; k < values_.size(); ++k) product.values_[k] = values_[k] * factor;
    return product;
  }
  PaperMatrix operator+(const PaperMatrix& other) const {
    PaperMatrix sum(rows_, columns_, *memory_);
    for (std::size_t k = 0; k < values_.size(); ++k) sum.values_[k] = values_[k] + other.values_[k];
    return sum;
  }

 private:
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  int rows_, columns_;
  SpareMemory* memory_;
  std::vector<float> values_;
};

// Convolution with all taps of `kernel`; zero outside the edge.
PaperMatrix convolved(const PaperMatrix& field, const PaperMatrix& kernel) {
  PaperMatrix result(field.rows(), field.columns(), field.memory());
  const int up = kernel.rows() / 2, left = kernel.columns() / 2;
  for (int row = 0; row < field.rows(); ++row)
    for (int column = 0; column < field.columns(); ++column) {
      float sum = 0;
      for (int a = 0; a < kernel.rows(); ++a)
        for (int b = 0; b < kernel.columns(); ++b) {
          const int r = row - up + a, c = column - left + b;
          const bool inside = r >= 0 && c >= 0 && r < field.rows() && c < field.columns();
          sum += (inside ? field(r, c) : 0.f) * kernel(a, b);
        }
      result(row, column) = sum;
    }
  return result;
}

class PaperOnMatrices : public PaperProgram {
 public:
  PaperOnMatrices(int side, PaperColours colours)
      : now_(side, side, memory_),
        before_(side, side, memory_),
        laplacian_(3, 3, memory_),
        colours_(colours),
        table_(find_colormap("ripple").colors),
        picture_(now_.values().size()) {
    laplacian_(0, 1) = laplacian_(1, 0) = laplacian_(1, 2) = laplacian_(2, 1) = 1;
    laplacian_(1, 1) = -4;
  }
  void drop(int i, int j) override {
    for (int b = 0; b < n_.droplet_side; ++b)
      for (int a = 0; a < n_.droplet_side; ++a) {
        const int column = i - n_.droplet_side / 2 + a, row = j - n_.droplet_side / 2 + b;
        if (row < 0 || column < 0 || row >= now_.rows() || column >= now_.columns()) continue;
        now_(row, column) += n_.droplet[static_cast<std::size_t>(b * n_.droplet_side + a)];
      }
  }
  void step() override {
    const PaperMatrix laplacian = laplacian_of(now_);
    part(PaperPart::matrices, nullptr, [&] {
      PaperMatrix next = now_ * n_.current_weight + before_ * n_.previous_weight + laplacian * n_.laplacian_weight;
      before_ = now_;
      now_ = next;
    });
    part(PaperPart::colours, nullptr, [&] {
      const View1D<const std::uint32_t> table{table_.data(), table_.size()};
      for (std::size_t k = 0; k < picture_.size(); ++k)
        picture_[k] = paper_colour_of(now_.values()[k], colours_, table);
    });
  }
  std::vector<float> heights() const override { return now_.values(); }
  const std::uint32_t* picture() const override { return picture_.data(); }

 protected:
  virtual PaperMatrix laplacian_of(const PaperMatrix& field) {
    std::optional<PaperMatrix> result;
    part(PaperPart::convolution, nullptr, [&] { result.emplace(convolved(field, laplacian_)); });
    return std::move(*result);
  }

 private:
  const PaperNumbers n_ = paper_numbers();
  SpareMemory memory_;
  PaperMatrix now_, before_, laplacian_;
  PaperColours colours_;
  std::vector<std::uint32_t> table_, picture_;
};

// Computes only the Laplacian on the device.
class PaperWithCopies final : public PaperOnMatrices {
 public:
  PaperWithCopies(Backend& backend, int side, PaperColours colours)
      : PaperOnMatrices(side, colours),
        backend_(backend),
        field_(backend, cells_of(side), "field"),
        result_(backend, cells_of(side), "Laplacian") {}

 private:
  static std::size_t cells_of(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
  PaperMatrix laplacian_of(const PaperMatrix& field) override {
    PaperMatrix result(field.rows(), field.columns(), field.memory());
    const std::size_t bytes = field.values().size() * sizeof(float);
    part(PaperPart::copies, &backend_, [&] { backend_.copy_from_host(field_.data(), field.values().data(), bytes); });
    part(PaperPart::convolution, &backend_,
         [&] { wave_paper_convolve(backend_, field.rows(), field_.data(), result_.data()); });
    part(PaperPart::copies, &backend_, [&] { backend_.copy_to_host(result.data(), result_.data(), bytes); });
    return result;
  }
  Backend& backend_;
  Array<float> field_, result_;
};

class PaperOnDevice final : public PaperProgram {
 public:
  PaperOnDevice(Backend& backend, int side, PaperColours colours)
      : backend_(backend),
        side_(side),
        cells_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)),
        colours_(colours),
        now_(backend, cells_, "u(t)"),
        before_(backend, cells_, "u(t-1)"),
        first_(backend, cells_, "first term"),
        second_(backend, cells_, "second term"),
        third_(backend, cells_, "third term"),
        droplet_(backend, n_.droplet.size(), "droplet"),
        table_(backend, find_colormap("ripple").colors.size(), "colour table"),
        picture_(backend, cells_, "image"),
        readback_(backend, cells_ * sizeof(std::uint32_t)) {
    droplet_.upload(std::span<const float>(n_.droplet));
    table_.upload(std::span<const std::uint32_t>(find_colormap("ripple").colors));
    now_.fill_zero();
    before_.fill_zero();
  }
  void drop(int i, int j) override {
    backend_.copy_within(first_.data(), now_.data(), bytes());
    wave_paper_drop(backend_, side_, first_.data(), droplet_.data(), n_.droplet_side, i, j, now_.data());
  }
  void step() override {
    part(PaperPart::convolution, &backend_, [&] { wave_paper_convolve(backend_, side_, now_.data(), first_.data()); });
    part(PaperPart::matrices, &backend_, [&] {
      wave_paper_multiply(backend_, side_, first_.data(), n_.laplacian_weight, second_.data());
      wave_paper_multiply(backend_, side_, now_.data(), n_.current_weight, first_.data());
      wave_paper_multiply(backend_, side_, before_.data(), n_.previous_weight, third_.data());
      wave_paper_add(backend_, side_, first_.data(), third_.data());
      wave_paper_add(backend_, side_, third_.data(), second_.data());
      backend_.copy_within(before_.data(), now_.data(), bytes());
      backend_.copy_within(now_.data(), second_.data(), bytes());
    });
    part(PaperPart::colours, &backend_,
         [&] { wave_paper_paint(backend_, side_, now_.data(), colours_, table_.view(), picture_.data()); });
    part(PaperPart::copies, &backend_, [&] {
      readback_.start(picture_.data());
      readback_.wait();
    });
  }
  std::vector<float> heights() const override { return now_.download(); }
  const std::uint32_t* picture() const override { return static_cast<const std::uint32_t*>(readback_.data()); }

 private:
  std::size_t bytes() const { return cells_ * sizeof(float); }
  Backend& backend_;
  const PaperNumbers n_ = paper_numbers();
  int side_;
  std::size_t cells_;
  PaperColours colours_;
  Array<float> now_, before_, first_, second_, third_, droplet_;
  Array<std::uint32_t> table_, picture_;
  AsyncReadback readback_;
};

}  // namespace

PaperNumbers paper_numbers() {
  const PaperTable& paper = paper_table("wave");
  const auto number = [&](const char* column) {
    return paper.at("section Creating the algorithm", "pseudo-code", column);
  };
  const double decay = number("decay factor") * number("time step");
  const double courant = number("wave speed") * number("time step") / number("space step");
  PaperNumbers n;
  n.current_weight = static_cast<float>(2 - decay);
  n.previous_weight = static_cast<float>(decay - 1);
  n.laplacian_weight = static_cast<float>(courant * courant);
  const int reach = 2 * static_cast<int>(number("droplet size"));
  n.droplet_side = 2 * reach + 1;
  for (int y = -reach; y <= reach; ++y)
    for (int x = -reach; x <= reach; ++x) {
      const double size = number("droplet size");
      const double height = -number("droplet amplitude") * std::exp(-(x * x + y * y) / (size * size));
      n.droplet.push_back(static_cast<float>(height));
    }
  return n;
}

std::uint32_t wave_paper_colour24(float height) { return paper_colour24(height); }

std::unique_ptr<PaperProgram> make_wave_paper(PaperMethod way, Backend& backend, int side, PaperColours colours) {
  if (way == PaperMethod::matrices) return std::make_unique<PaperOnMatrices>(side, colours);
  if (!backend.is_cuda()) throw Error("internal: this program of the paper needs a GPU");
  if (way == PaperMethod::copies) return std::make_unique<PaperWithCopies>(backend, side, colours);
  return std::make_unique<PaperOnDevice>(backend, side, colours);
}

}  // namespace perturb::wave
