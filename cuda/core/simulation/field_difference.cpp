#include "cuda/core/simulation/field_difference.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace perturb {

namespace {

// A value as the saved state has it.
struct SavedForm {
  bool has_sign;
  float unit;
  PERTURB_HD double operator()(double value) const { return has_sign ? value : fabs(value); }
  PERTURB_HD double operator()(float value) const { return (*this)(static_cast<double>(value)); }
  PERTURB_HD double operator()(std::int16_t value) const {
    return static_cast<double>(static_cast<float>(value) * unit);
  }
};

template <class A, class B>
struct CompareFields {
  View2D<const A> first;
  View2D<const B> second;
  SavedForm form;
  PERTURB_HD void operator()(int i, int j, LargestDifference& into) const {
    into.add(form(first(i, j)), form(second(i, j)));
  }
  void row(int begin, int end, int j, LargestDifference& into) const {
    const A* const a = first.row(j);
    const B* const b = second.row(j);
    LargestDifference largest = into;
    for (int i = begin; i < end; ++i) largest.add(form(a[i]), form(b[i]));
    into = largest;
  }
};

}  // namespace

double LargestDifference::value() const {
  double difference;
  std::memcpy(&difference, &bits, sizeof difference);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

double FieldDifference::between(const ComparedField& a, const ComparedField& b) {
  return std::visit(
      [&]<class A, class B>(const View2D<const A>& first, const View2D<const B>& second) {
        if constexpr (std::is_floating_point_v<A> != std::is_floating_point_v<B>) {
          return std::numeric_limits<double>::infinity();
        } else {
          if (first.width != second.width || first.height != second.height)
            return std::numeric_limits<double>::infinity();
          if (!largest_) largest_.emplace(backend_);
          largest_->start("race.difference", Range2D{first.width, first.height},
                          CompareFields<A, B>{first, second, {a.has_sign, a.unit}});
          largest_->wait();
          return largest_->result().value();
        }
      },
      a.values, b.values);
}

double FieldDifference::between(const ComparedState& a, const ComparedState& b) {
  double largest = largest_difference(a.others, b.others);
  for (const ComparedField& first : a.fields) {
    const auto second = std::find_if(b.fields.begin(), b.fields.end(),
                                     [&](const ComparedField& field) { return field.name == first.name; });
    if (second != b.fields.end()) largest = std::max(largest, between(first, *second));
  }
  return largest;
}

}  // namespace perturb
