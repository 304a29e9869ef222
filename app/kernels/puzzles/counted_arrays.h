// Compiled together with the text of a puzzle: arrays and barriers as CUDA has them, of which every use is a call to
// the program. It counts and checks them (counting_machine.h). Includes nothing else of the program.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>

namespace perturb::puzzle {

struct Dim {
  unsigned x = 1, y = 1, z = 1;
};

// Where the text uses an array.
struct TextPosition {
  int line = 0, column = 0;
};

constexpr int max_dimensions = 3;
struct Indices {
  long long at[max_dimensions] = {0, 0, 0};
};

// Functions that the program provides.
class Machine {
 public:
  virtual ~Machine() = default;
  // A shared array, once for each that a block declares. Returns its number.
  virtual int declare_shared(const char* name, int dimensions, const Indices& sizes, std::size_t element_bytes) = 0;
  // The element of an array at these indices, which is read or written. Does not return if there is none.
  virtual void* access(int array, const Indices& indices, bool writes, TextPosition position) = 0;
  // Returns when all threads of the block have come here.
  virtual void wait_at_barrier(int line) = 0;

  Dim thread, block, block_size, grid_size;  // of the thread that is running
};
inline Machine* machine = nullptr;

inline void synchronize_threads(int line) { machine->wait_at_barrier(line); }
// Copies: a thread cannot change what the program counts with.
inline Dim thread_index() { return machine->thread; }
inline Dim block_index() { return machine->block; }
inline Dim block_dimensions() { return machine->block_size; }
inline Dim grid_dimensions() { return machine->grid_size; }

// An index, and where in the text it is.
struct Index {
  long long value;
  TextPosition position;
#if defined(__has_builtin) && __has_builtin(__builtin_COLUMN)
  template <std::integral I>
  Index(I given, int line = __builtin_LINE(), int column = __builtin_COLUMN())
      : value(static_cast<long long>(given)), position{line, column} {}
#else
  template <std::integral I>
  Index(I given, std::source_location here = std::source_location::current())
      : value(static_cast<long long>(given)),
        position{static_cast<int>(here.line()), static_cast<int>(here.column())} {}
#endif
};

// An element of an array that can be written.
template <class T>
class Element {
 public:
  Element(int array, const Indices& indices, TextPosition position)
      : array_(array), indices_(indices), position_(position) {}
  Element(const Element&) = default;

  // Implicit only to T itself: `condition ? element : 0` then has type T and is not rounded to an integer.
  template <class U>
  requires std::is_arithmetic_v<U>
  explicit(!std::same_as<U, T>) operator U() const {
    return static_cast<U>(*static_cast<const T*>(machine->access(array_, indices_, false, position_)));
  }
  T operator=(T value) const {
    *static_cast<T*>(machine->access(array_, indices_, true, position_)) = value;
    return value;
  }
  T operator=(const Element& other) const { return *this = static_cast<T>(other); }
  T operator+=(T value) const { return *this = static_cast<T>(*this) + value; }
  T operator-=(T value) const { return *this = static_cast<T>(*this) - value; }
  T operator*=(T value) const { return *this = static_cast<T>(*this) * value; }
  T operator/=(T value) const { return *this = static_cast<T>(*this) / value; }

 private:
  int array_;
  Indices indices_;
  TextPosition position_;
};

// With elements as with their values.
template <class A>
constexpr bool is_element = false;
template <class T>
constexpr bool is_element<Element<T>> = true;
template <class A>
requires std::is_arithmetic_v<A> A value_of(A number) { return number; }
template <class T>
T value_of(const Element<T>& element) {
  return element;
}
template <class A, class B>
concept WithElement = (is_element<A> && (is_element<B> || std::is_arithmetic_v<B>)) ||
                      (std::is_arithmetic_v<A> && is_element<B>);
template <class T>
T operator-(const Element<T>& element) {
  return -value_of(element);
}
#define PERTURB_PUZZLE_OPERATOR(op) \
  template <class A, class B>       \
  requires WithElement<A, B>        \
  auto operator op(const A& a, const B& b) { return value_of(a) op value_of(b); }
PERTURB_PUZZLE_OPERATOR(+)
PERTURB_PUZZLE_OPERATOR(-)
PERTURB_PUZZLE_OPERATOR(*)
PERTURB_PUZZLE_OPERATOR(/)
PERTURB_PUZZLE_OPERATOR(<)
PERTURB_PUZZLE_OPERATOR(>)
PERTURB_PUZZLE_OPERATOR(<=)
PERTURB_PUZZLE_OPERATOR(>=)
PERTURB_PUZZLE_OPERATOR(==)
PERTURB_PUZZLE_OPERATOR(!=)
#undef PERTURB_PUZZLE_OPERATOR
#define PERTURB_PUZZLE_ASSIGNMENT(op) \
  template <class A, class T>         \
  requires std::is_arithmetic_v<A> A& operator op(A& a, const Element<T>& element) { return a op value_of(element); }
PERTURB_PUZZLE_ASSIGNMENT(+=)
PERTURB_PUZZLE_ASSIGNMENT(-=)
PERTURB_PUZZLE_ASSIGNMENT(*=)
PERTURB_PUZZLE_ASSIGNMENT(/=)
#undef PERTURB_PUZZLE_ASSIGNMENT

// An array in global memory, an argument of the kernel: float* as Global<float>, const float* as Global<const float>.
template <class T>
class Global {
 public:
  explicit Global(int array, long long offset = 0) : array_(array), offset_(offset) {}
  auto operator[](Index i) const {
    const Indices indices{{offset_ + i.value, 0, 0}};
    if constexpr (std::is_const_v<T>)
      return *static_cast<T*>(machine->access(array_, indices, false, i.position));
    else
      return Element<T>(array_, indices, i.position);
  }
  template <std::integral I>
  Global operator+(I steps) const {
    return Global(array_, offset_ + static_cast<long long>(steps));
  }

 private:
  int array_;
  long long offset_;
};

// An array in shared memory: __shared__ float tile[8][32] as Shared<float[8][32]>.
template <class T>
class Shared;
template <class T, int N>
class Shared<T[N]> {
 public:
  explicit Shared(const char* name) : array_(machine->declare_shared(name, 1, {{N, 0, 0}}, sizeof(T))) {}
  Element<T> operator[](Index i) const { return {array_, {{i.value, 0, 0}}, i.position}; }

 private:
  int array_;
};
template <class T, int N, int M>
class Shared<T[N][M]> {
 public:
  explicit Shared(const char* name) : array_(machine->declare_shared(name, 2, {{N, M, 0}}, sizeof(T))) {}
  struct Row {
    int array;
    long long j;
    Element<T> operator[](Index i) const { return {array, {{j, i.value, 0}}, i.position}; }
  };
  Row operator[](Index j) const { return {array_, j.value}; }

 private:
  int array_;
};
template <class T, int L, int N, int M>
class Shared<T[L][N][M]> {
 public:
  explicit Shared(const char* name) : array_(machine->declare_shared(name, 3, {{L, N, M}}, sizeof(T))) {}
  struct Row {
    int array;
    long long k, j;
    Element<T> operator[](Index i) const { return {array, {{k, j, i.value}}, i.position}; }
  };
  struct Plane {
    int array;
    long long k;
    Row operator[](Index j) const { return {array, k, j.value}; }
  };
  Plane operator[](Index k) const { return {array_, k.value}; }

 private:
  int array_;
};

// As in CUDA, without a header. The last two also take elements.
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
inline auto min(A a, B b) { return a < b ? a : b; }
template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
inline auto max(A a, B b) { return a > b ? a : b; }
inline float min(float a, float b) { return a < b ? a : b; }
inline float max(float a, float b) { return a > b ? a : b; }

}  // namespace perturb::puzzle
