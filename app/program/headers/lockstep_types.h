// Vector types, dim3 and the built-in variables. A vector of 2 or 4 is copied by one access of its whole width, as
// nvcc compiles it; its members are reached one by one.
#pragma once
#pragma clang system_header

#define LOCKSTEP_VECTOR1(T, name)                       \
  struct name##1 {                                      \
    T x;                                                \
  };                                                    \
  LOCKSTEP_INLINE constexpr name##1 make_##name##1(T x) { return {x}; }

#define LOCKSTEP_VECTOR_COPIES(name)                                                            \
  name() = default;                                                                             \
  LOCKSTEP_INLINE name(const name& other) : lockstep_all(other.lockstep_all) {}                 \
  LOCKSTEP_INLINE name& operator=(const name& other) {                                          \
    lockstep_all = other.lockstep_all;                                                          \
    return *this;                                                                               \
  }                                                                                             \
  LOCKSTEP_INLINE name(const volatile name& other)                                              \
      : lockstep_all(const_cast<const Lockstep_vector&>(other.lockstep_all)) {}

#define LOCKSTEP_VECTOR2(T, name)                                                                       \
  struct alignas(2 * sizeof(T)) name##2 {                                                               \
    typedef T Lockstep_vector __attribute__((ext_vector_type(2)));                                      \
    union {                                                                                             \
      struct {                                                                                          \
        T x, y;                                                                                         \
      };                                                                                                \
      Lockstep_vector lockstep_all;                                                                     \
    };                                                                                                  \
    LOCKSTEP_VECTOR_COPIES(name##2)                                                                     \
    LOCKSTEP_INLINE constexpr name##2(T x_, T y_ = 0) : x(x_), y(y_) {}                               \
  };                                                                                                    \
  LOCKSTEP_INLINE constexpr name##2 make_##name##2(T x, T y) { return name##2(x, y); }

#define LOCKSTEP_VECTOR3(T, name)                                                                       \
  struct name##3 {                                                                                      \
    T x, y, z;                                                                                          \
  };                                                                                                    \
  LOCKSTEP_INLINE constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }

#define LOCKSTEP_VECTOR4(T, name)                                                                       \
  struct alignas(4 * sizeof(T)) name##4 {                                                               \
    typedef T Lockstep_vector __attribute__((ext_vector_type(4)));                                      \
    union {                                                                                             \
      struct {                                                                                          \
        T x, y, z, w;                                                                                   \
      };                                                                                                \
      Lockstep_vector lockstep_all;                                                                     \
    };                                                                                                  \
    LOCKSTEP_VECTOR_COPIES(name##4)                                                                     \
    LOCKSTEP_INLINE constexpr name##4(T x_, T y_ = 0, T z_ = 0, T w_ = 0) : x(x_), y(y_), z(z_), w(w_) {} \
  };                                                                                                    \
  LOCKSTEP_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }

// 32 bytes: two accesses of 16.
#define LOCKSTEP_WIDE_VECTOR4(T, name)                                                                  \
  struct alignas(16) name##4 {                                                                          \
    T x, y, z, w;                                                                                       \
  };                                                                                                    \
  LOCKSTEP_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

#define LOCKSTEP_VECTORS(T, name) \
  LOCKSTEP_VECTOR1(T, name) LOCKSTEP_VECTOR2(T, name) LOCKSTEP_VECTOR3(T, name)

LOCKSTEP_VECTORS(signed char, char)
LOCKSTEP_VECTORS(unsigned char, uchar)
LOCKSTEP_VECTORS(short, short)
LOCKSTEP_VECTORS(unsigned short, ushort)
LOCKSTEP_VECTORS(int, int)
LOCKSTEP_VECTORS(unsigned int, uint)
LOCKSTEP_VECTORS(long, long)
LOCKSTEP_VECTORS(unsigned long, ulong)
LOCKSTEP_VECTORS(long long, longlong)
LOCKSTEP_VECTORS(unsigned long long, ulonglong)
LOCKSTEP_VECTORS(float, float)
LOCKSTEP_VECTORS(double, double)
LOCKSTEP_VECTOR4(signed char, char)
LOCKSTEP_VECTOR4(unsigned char, uchar)
LOCKSTEP_VECTOR4(short, short)
LOCKSTEP_VECTOR4(unsigned short, ushort)
LOCKSTEP_VECTOR4(int, int)
LOCKSTEP_VECTOR4(unsigned int, uint)
LOCKSTEP_VECTOR4(float, float)
LOCKSTEP_WIDE_VECTOR4(long, long)
LOCKSTEP_WIDE_VECTOR4(unsigned long, ulong)
LOCKSTEP_WIDE_VECTOR4(long long, longlong)
LOCKSTEP_WIDE_VECTOR4(unsigned long long, ulonglong)
LOCKSTEP_WIDE_VECTOR4(double, double)

struct dim3 {
  unsigned int x, y, z;
  LOCKSTEP_INLINE constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  LOCKSTEP_INLINE constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  LOCKSTEP_INLINE constexpr operator uint3() const { return {x, y, z}; }
};

// The built-in variables are objects whose members are asked for: a macro would break `dim3 blockDim(16, 16)`.
extern "C" {
LOCKSTEP_CONST unsigned lockstep_thread_x();
LOCKSTEP_CONST unsigned lockstep_thread_y();
LOCKSTEP_CONST unsigned lockstep_thread_z();
LOCKSTEP_CONST unsigned lockstep_block_x();
LOCKSTEP_CONST unsigned lockstep_block_y();
LOCKSTEP_CONST unsigned lockstep_block_z();
LOCKSTEP_CONST unsigned lockstep_block_dim_x();
LOCKSTEP_CONST unsigned lockstep_block_dim_y();
LOCKSTEP_CONST unsigned lockstep_block_dim_z();
LOCKSTEP_CONST unsigned lockstep_grid_dim_x();
LOCKSTEP_CONST unsigned lockstep_grid_dim_y();
LOCKSTEP_CONST unsigned lockstep_grid_dim_z();
}
#define LOCKSTEP_BUILTIN(type, name, getter, whole)                                                  \
  struct type {                                                                                      \
    __declspec(property(get = get_x)) unsigned int x;                                                \
    __declspec(property(get = get_y)) unsigned int y;                                                \
    __declspec(property(get = get_z)) unsigned int z;                                                \
    LOCKSTEP_INLINE unsigned get_x() const { return getter##_x(); }                                  \
    LOCKSTEP_INLINE unsigned get_y() const { return getter##_y(); }                                  \
    LOCKSTEP_INLINE unsigned get_z() const { return getter##_z(); }                                  \
    LOCKSTEP_INLINE operator whole() const { return whole{getter##_x(), getter##_y(), getter##_z()}; } \
  };                                                                                                 \
  __attribute__((unused)) static const type name{};
LOCKSTEP_BUILTIN(lockstep_thread_index, threadIdx, lockstep_thread, uint3)
LOCKSTEP_BUILTIN(lockstep_block_index, blockIdx, lockstep_block, uint3)
LOCKSTEP_BUILTIN(lockstep_block_extent, blockDim, lockstep_block_dim, dim3)
LOCKSTEP_BUILTIN(lockstep_grid_extent, gridDim, lockstep_grid_dim, dim3)
#undef LOCKSTEP_BUILTIN
__attribute__((unused)) static constexpr int warpSize = 32;
