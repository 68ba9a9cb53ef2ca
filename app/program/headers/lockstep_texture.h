// Arrays, textures and surfaces. What a texture is made of lies in ordinary device memory, row by row; a fetch is a
// read of it. Hardware reads textures in another order of bytes: counts of fetches are those of plain loads.
#pragma once
#pragma clang system_header

// The type of a vector's members.
template <class T, class = void>
struct lockstep_member {
  typedef T type;
};
template <class T>
struct lockstep_member<T, decltype(void(std::declval<T&>().x))> {
  typedef typename std::remove_reference<decltype(std::declval<T&>().x)>::type type;
};

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  // bits
  cudaChannelFormatKind f;
};
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using One = typename lockstep_member<T>::type;
  const int bits = 8 * int(sizeof(One)), n = int(sizeof(T) / sizeof(One));
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
          std::is_floating_point<One>::value ? cudaChannelFormatKindFloat
          : std::is_signed<One>::value       ? cudaChannelFormatKindSigned
                                             : cudaChannelFormatKindUnsigned};
}

struct cudaArray {
  char* data;
  unsigned long width, height, depth;  // of elements; 0 where it has fewer dimensions
  unsigned element_bytes, flags;
  cudaChannelFormatDesc channels;
};
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
static constexpr unsigned cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4,
                          cudaArrayTextureGather = 8;

inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                                     unsigned flags = 0) {
  const unsigned bytes = unsigned(channels->x + channels->y + channels->z + channels->w) / 8;
  const unsigned long rows = extent.height ? extent.height : 1, planes = extent.depth ? extent.depth : 1;
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, extent.width * rows * planes * bytes);
  if (error != cudaSuccess) return error;
  *array = new cudaArray{static_cast<char*>(data), extent.width, extent.height, extent.depth, bytes, flags, *channels};
  return cudaSuccess;
}
inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, unsigned long width,
                                   unsigned long height = 0, unsigned flags = 0) {
  return cudaMalloc3DArray(array, channels, cudaExtent{width, height, 0}, flags);
}
inline cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return cudaSuccess;
  const cudaError_t error = cudaFree(array->data);
  delete array;
  return error;
}
inline char* lockstep_at(cudaArray_const_t array, unsigned long x_bytes, unsigned long y) {
  return array->data + y * array->width * array->element_bytes + x_bytes;
}
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, unsigned long x, unsigned long y, const void* from, unsigned long pitch,
                                       unsigned long width, unsigned long height, cudaMemcpyKind kind) {
  return cudaMemcpy2D(lockstep_at(to, x, y), to->width * to->element_bytes, from, pitch, width, height, kind);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, unsigned long pitch, cudaArray_const_t from, unsigned long x,
                                         unsigned long y, unsigned long width, unsigned long height, cudaMemcpyKind kind) {
  return cudaMemcpy2D(to, pitch, lockstep_at(from, x, y), from->width * from->element_bytes, width, height, kind);
}
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, unsigned long x, unsigned long y, const void* from, unsigned long bytes,
                                     cudaMemcpyKind kind) {
  return cudaMemcpy(lockstep_at(to, x, y), from, bytes, kind);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, unsigned long x, unsigned long y, unsigned long bytes,
                                       cudaMemcpyKind kind) {
  return cudaMemcpy(to, lockstep_at(from, x, y), bytes, kind);
}
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  struct Side {
    char* at;
    unsigned long pitch, plane;
  };
  const auto side = [](cudaArray_t array, cudaPos pos, const cudaPitchedPtr& pointer) {
    Side s;
    if (array) {
      s.pitch = array->width * array->element_bytes, s.plane = s.pitch * (array->height ? array->height : 1);
      s.at = array->data + pos.x * array->element_bytes;
    } else {
      s.pitch = pointer.pitch, s.plane = pointer.pitch * pointer.ysize;
      s.at = static_cast<char*>(pointer.ptr) + pos.x;
    }
    s.at += pos.y * s.pitch + pos.z * s.plane;
    return s;
  };
  const Side from = side(p->srcArray, p->srcPos, p->srcPtr), to = side(p->dstArray, p->dstPos, p->dstPtr);
  const cudaArray_t array = p->dstArray ? p->dstArray : p->srcArray;
  const unsigned long width = p->extent.width * (array ? array->element_bytes : 1);
  for (unsigned long z = 0; z < p->extent.depth; ++z) {
    const cudaError_t error =
        cudaMemcpy2D(to.at + z * to.plane, to.pitch, from.at + z * from.plane, from.pitch, width, p->extent.height, p->kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      unsigned long sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      unsigned long width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;

struct lockstep_texture {
  char* data;
  long width, height, depth, pitch, plane;
  unsigned element_bytes;
  cudaTextureAddressMode modes[3];
  bool linear, normalized;
  float scale;  // 1/255 where bytes are read as numbers from 0 to 1; 0 = as they are
};
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

inline lockstep_texture lockstep_resource(const cudaResourceDesc& r) {
  lockstep_texture t{};
  const auto bytes = [](const cudaChannelFormatDesc& d) { return unsigned(d.x + d.y + d.z + d.w) / 8; };
  if (r.resType == cudaResourceTypeArray) {
    const cudaArray& a = *r.res.array.array;
    t.data = a.data, t.width = a.width, t.height = a.height, t.depth = a.depth, t.element_bytes = a.element_bytes;
    t.pitch = t.width * t.element_bytes;
  } else if (r.resType == cudaResourceTypeLinear) {
    t.data = static_cast<char*>(r.res.linear.devPtr), t.element_bytes = bytes(r.res.linear.desc);
    t.width = long(r.res.linear.sizeInBytes / t.element_bytes), t.pitch = long(r.res.linear.sizeInBytes);
  } else {
    t.data = static_cast<char*>(r.res.pitch2D.devPtr), t.element_bytes = bytes(r.res.pitch2D.desc);
    t.width = long(r.res.pitch2D.width), t.height = long(r.res.pitch2D.height), t.pitch = long(r.res.pitch2D.pitchInBytes);
  }
  t.plane = t.pitch * (t.height ? t.height : 1);
  return t;
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                           const cudaTextureDesc* how, const cudaResourceViewDesc*) {
  lockstep_texture t = lockstep_resource(*resource);
  for (int d = 0; d < 3; ++d) t.modes[d] = how->addressMode[d];
  t.linear = how->filterMode == cudaFilterModeLinear, t.normalized = how->normalizedCoords != 0;
  if (how->readMode == cudaReadModeNormalizedFloat && resource->resType == cudaResourceTypeArray)
    t.scale = resource->res.array.array->channels.x == 16 ? 1 / 65535.0f : 1 / 255.0f;
  *object = reinterpret_cast<cudaTextureObject_t>(new lockstep_texture(t));
  return cudaSuccess;
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  delete reinterpret_cast<lockstep_texture*>(object);
  return cudaSuccess;
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  *object = reinterpret_cast<cudaSurfaceObject_t>(new lockstep_texture(lockstep_resource(*resource)));
  return cudaSuccess;
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaDestroyTextureObject(object); }

// Where an element lies; null outside of a texture with a border. The texture itself is no memory of the program's.
LOCKSTEP_UNTRACED __attribute__((noinline)) inline const char* lockstep_texel(const lockstep_texture* t, long x, long y, long z) {
  const long sizes[3] = {t->width, t->height ? t->height : 1, t->depth ? t->depth : 1};
  long at[3] = {x, y, z};
  for (int d = 0; d < 3; ++d) {
    const long size = sizes[d];
    if (at[d] >= 0 && at[d] < size) continue;
    if (t->modes[d] == cudaAddressModeBorder) return nullptr;
    if (t->modes[d] == cudaAddressModeWrap && t->normalized)
      at[d] = ((at[d] % size) + size) % size;
    else if (t->modes[d] == cudaAddressModeMirror && t->normalized) {
      const long twice = ((at[d] % (2 * size)) + 2 * size) % (2 * size);
      at[d] = twice < size ? twice : 2 * size - 1 - twice;
    } else {
      at[d] = at[d] < 0 ? 0 : size - 1;
    }
  }
  return t->data + at[2] * t->plane + at[1] * t->pitch + at[0] * long(t->element_bytes);
}
struct lockstep_fetch {
  float x, y, z, scale;
  bool linear;
};
LOCKSTEP_UNTRACED __attribute__((noinline)) inline lockstep_fetch lockstep_place(const lockstep_texture* t, float x, float y,
                                                                                 float z) {
  if (t->normalized) x *= float(t->width), y *= float(t->height ? t->height : 1), z *= float(t->depth ? t->depth : 1);
  return {x, y, z, t->scale, t->linear};
}
// T is what the program asks for: the elements, or floats made of bytes.
template <class T, class E>
LOCKSTEP_INLINE T lockstep_scaled(const char* at, float scale) {
  using One = typename lockstep_member<T>::type;
  constexpr int n = int(sizeof(T) / sizeof(One));
  One parts[4] = {};
  for (int i = 0; i < n && at; ++i) parts[i] = One(reinterpret_cast<const E*>(at)[i] * scale);
  T value;
  __builtin_memcpy(&value, parts, sizeof value);
  return value;
}
template <class T>
LOCKSTEP_INLINE T lockstep_element(const char* at, float scale) {
  if (scale > 0.001f) return lockstep_scaled<T, unsigned char>(at, scale);
  if (scale > 0) return lockstep_scaled<T, unsigned short>(at, scale);
  return at ? *reinterpret_cast<const T*>(at) : T();
}
template <class T>
LOCKSTEP_INLINE T lockstep_mixed_texels(T a, T b, float part) {
  using One = typename lockstep_member<T>::type;
  constexpr int n = int(sizeof(T) / sizeof(One));
  One left[4], right[4];
  __builtin_memcpy(left, &a, sizeof a);
  __builtin_memcpy(right, &b, sizeof b);
  for (int i = 0; i < n; ++i) left[i] = One(float(left[i]) + part * (float(right[i]) - float(left[i])));
  __builtin_memcpy(&a, left, sizeof a);
  return a;
}
template <class T>
LOCKSTEP_INLINE T lockstep_tex(cudaTextureObject_t object, float x, float y, float z, int dimensions) {
  const auto* t = reinterpret_cast<const lockstep_texture*>(object);
  const lockstep_fetch f = lockstep_place(t, x, y, z);
  const auto element = [&](long i, long j, long k) { return lockstep_element<T>(lockstep_texel(t, i, j, k), f.scale); };
  if (!f.linear) return element(long(floorf(f.x)), long(floorf(f.y)), long(floorf(f.z)));
  // Weights have 8 bits behind the point (CUDA C++ Programming Guide, Linear Filtering).
  const auto weight = [](float v) { return floorf((v - floorf(v)) * 256 + 0.5f) / 256; };
  const float xb = f.x - 0.5f, yb = f.y - 0.5f, zb = f.z - 0.5f;
  const long i = long(floorf(xb)), j = dimensions > 1 ? long(floorf(yb)) : 0, k = dimensions > 2 ? long(floorf(zb)) : long(f.z);
  const auto row = [&](long jj, long kk) {
    return lockstep_mixed_texels(element(i, jj, kk), element(i + 1, jj, kk), weight(xb));
  };
  if (dimensions == 1) return row(0, 0);
  const auto plane = [&](long kk) { return lockstep_mixed_texels(row(j, kk), row(j + 1, kk), weight(yb)); };
  return dimensions == 2 ? plane(k) : lockstep_mixed_texels(plane(k), plane(k + 1), weight(zb));
}

template <class T>
LOCKSTEP_INLINE T tex1Dfetch(cudaTextureObject_t t, int x) {
  const auto* texture = reinterpret_cast<const lockstep_texture*>(t);
  return lockstep_element<T>(lockstep_texel(texture, x, 0, 0), lockstep_place(texture, 0, 0, 0).scale);
}
template <class T>
LOCKSTEP_INLINE T tex1D(cudaTextureObject_t t, float x) { return lockstep_tex<T>(t, x, 0, 0, 1); }
template <class T>
LOCKSTEP_INLINE T tex2D(cudaTextureObject_t t, float x, float y) { return lockstep_tex<T>(t, x, y, 0, 2); }
template <class T>
LOCKSTEP_INLINE T tex3D(cudaTextureObject_t t, float x, float y, float z) { return lockstep_tex<T>(t, x, y, z, 3); }
template <class T>
LOCKSTEP_INLINE T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
  return lockstep_tex<T>(t, x, y, float(layer), 2);
}
template <class T>
LOCKSTEP_INLINE T tex2DLod(cudaTextureObject_t t, float x, float y, float) { return tex2D<T>(t, x, y); }
template <class T>
LOCKSTEP_INLINE void tex1Dfetch(T* to, cudaTextureObject_t t, int x) { *to = tex1Dfetch<T>(t, x); }
template <class T>
LOCKSTEP_INLINE void tex2D(T* to, cudaTextureObject_t t, float x, float y) { *to = tex2D<T>(t, x, y); }

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
LOCKSTEP_UNTRACED __attribute__((noinline)) inline char* lockstep_surface(cudaSurfaceObject_t object, long x_bytes, long y, long z) {
  const auto* t = reinterpret_cast<const lockstep_texture*>(object);
  if (x_bytes < 0 || x_bytes >= t->pitch || y < 0 || y >= (t->height ? t->height : 1) || z < 0 || z >= (t->depth ? t->depth : 1))
    return nullptr;
  return t->data + z * t->plane + y * t->pitch + x_bytes;
}
#define LOCKSTEP_SURFACE(suffix, parameters, y_, z_)                                                                    \
  template <class T>                                                                                                    \
  LOCKSTEP_INLINE T suffix##read(cudaSurfaceObject_t s, int x parameters, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) { \
    char* at = lockstep_surface(s, x, y_, z_);                                                                          \
    return at ? *reinterpret_cast<T*>(at) : T();                                                                        \
  }                                                                                                                     \
  template <class T>                                                                                                    \
  LOCKSTEP_INLINE void suffix##read(T* to, cudaSurfaceObject_t s, int x parameters,                                     \
                                    cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                                   \
    char* at = lockstep_surface(s, x, y_, z_);                                                                          \
    *to = at ? *reinterpret_cast<T*>(at) : T();                                                                         \
  }                                                                                                                     \
  template <class T>                                                                                                    \
  LOCKSTEP_INLINE void suffix##write(T value, cudaSurfaceObject_t s, int x parameters,                                  \
                                     cudaSurfaceBoundaryMode = cudaBoundaryModeTrap) {                                  \
    if (char* at = lockstep_surface(s, x, y_, z_)) *reinterpret_cast<T*>(at) = value;                                   \
  }
#define LOCKSTEP_Y , int y
#define LOCKSTEP_YZ , int y, int z
LOCKSTEP_SURFACE(surf1D, , 0, 0)
LOCKSTEP_SURFACE(surf2D, LOCKSTEP_Y, y, 0)
LOCKSTEP_SURFACE(surf3D, LOCKSTEP_YZ, y, z)
LOCKSTEP_SURFACE(surf2DLayered, LOCKSTEP_YZ, y, z)
#undef LOCKSTEP_SURFACE
#undef LOCKSTEP_Y
#undef LOCKSTEP_YZ
