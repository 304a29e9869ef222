// Under a sanitizer everything takes ten times as long, and the hundredth round of a loop touches no memory that the
// first ones did not. So a test that walks over all scenes or sizes takes a few of them there; the release build, where
// the same test runs, takes them all.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERTURB_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERTURB_SANITIZED
#endif
#endif

namespace perturb {

#if defined(PERTURB_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// AddressSanitizer alone: ThreadSanitizer needs loops that are long enough for several threads.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif

template <class T>
constexpr T unless_sanitized(T whole, T part) {
  return is_sanitized ? part : whole;
}

}  // namespace perturb
