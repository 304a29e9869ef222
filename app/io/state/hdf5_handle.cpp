#include "app/io/state/hdf5_handle.h"

namespace perturb {

std::mutex& Hdf5Lock::mutex() {
  static std::mutex one;
  return one;
}

void quiet_hdf5() {
  static const bool first = [] { return H5dont_atexit() >= 0; }();
  (void)first;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::float32:
      return H5T_NATIVE_FLOAT;
    case ElementType::float64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::uint8:
      return H5T_NATIVE_UINT8;
    case ElementType::uint32:
      return H5T_NATIVE_UINT32;
    case ElementType::int64:
      return H5T_NATIVE_INT64;
  }
  return H5T_NATIVE_FLOAT;
}

}  // namespace perturb
