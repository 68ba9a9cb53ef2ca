// texture<> variables at namespace scope, as CUDA had them until its version 12: bound to memory by the host, fetched
// from by their name.
#pragma once
#pragma clang system_header

static constexpr int cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureType1DLayered = 0xF1,
                     cudaTextureType2DLayered = 0xF2;

struct textureReference {
  int normalized = 0;
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp};
  cudaChannelFormatDesc channelDesc{};
  int sRGB = 0;
  lockstep_texture lockstep_bound{};
  constexpr textureReference() {}
};
template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture : textureReference {
  constexpr texture() {}
  constexpr texture(int normalized_, cudaTextureFilterMode filter, cudaTextureAddressMode address) {
    normalized = normalized_, filterMode = filter;
    for (auto& mode : addressMode) mode = address;
  }
};

// How it was set up holds from the binding on.
inline cudaError_t lockstep_bind(textureReference& t, const cudaResourceDesc& resource, bool scaled, int bits) {
  t.lockstep_bound = lockstep_resource(resource);
  for (int d = 0; d < 3; ++d) t.lockstep_bound.modes[d] = t.addressMode[d];
  t.lockstep_bound.linear = t.filterMode == cudaFilterModeLinear, t.lockstep_bound.normalized = t.normalized != 0;
  if (scaled) t.lockstep_bound.scale = bits == 16 ? 1 / 65535.0f : 1 / 255.0f;
  return cudaSuccess;
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTexture(unsigned long* offset, texture<T, D, M>& t, const void* at,
                                   const cudaChannelFormatDesc& channels, unsigned long bytes = 0x7fffffff) {
  if (offset) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<void*>(at), channels, bytes};
  return lockstep_bind(t, resource, M == cudaReadModeNormalizedFloat, channels.x);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTexture(unsigned long* offset, texture<T, D, M>& t, const void* at, unsigned long bytes = 0x7fffffff) {
  return cudaBindTexture(offset, t, at, cudaCreateChannelDesc<T>(), bytes);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTexture(unsigned long* offset, texture<T, D, M>* t, const void* at,
                                   const cudaChannelFormatDesc* channels, unsigned long bytes = 0x7fffffff) {
  return cudaBindTexture(offset, *t, at, *channels, bytes);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTexture2D(unsigned long* offset, texture<T, D, M>& t, const void* at,
                                     const cudaChannelFormatDesc& channels, unsigned long width, unsigned long height,
                                     unsigned long pitch) {
  if (offset) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void*>(at), channels, width, height, pitch};
  return lockstep_bind(t, resource, M == cudaReadModeNormalizedFloat, channels.x);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTexture2D(unsigned long* offset, texture<T, D, M>& t, const void* at, unsigned long width,
                                     unsigned long height, unsigned long pitch) {
  return cudaBindTexture2D(offset, t, at, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTextureToArray(texture<T, D, M>& t, cudaArray_const_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return lockstep_bind(t, resource, M == cudaReadModeNormalizedFloat, array->channels.x);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTextureToArray(texture<T, D, M>& t, cudaArray_const_t array, const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(t, array);
}
template <class T, int D, cudaTextureReadMode M>
inline cudaError_t cudaBindTextureToArray(texture<T, D, M>* t, cudaArray_const_t array, const cudaChannelFormatDesc*) {
  return cudaBindTextureToArray(*t, array);
}
inline cudaError_t cudaUnbindTexture(textureReference& t) {
  t.lockstep_bound = {};
  return cudaSuccess;
}
inline cudaError_t cudaUnbindTexture(textureReference* t) { return cudaUnbindTexture(*t); }
inline cudaError_t cudaGetTextureAlignmentOffset(unsigned long* offset, const textureReference*) {
  *offset = 0;
  return cudaSuccess;
}

// What a fetch gives: the elements, or numbers from 0 to 1 made of them.
template <class T, cudaTextureReadMode Mode>
struct lockstep_fetched {
  typedef T type;
};
template <>
struct lockstep_fetched<unsigned char, cudaReadModeNormalizedFloat> {
  typedef float type;
};
template <>
struct lockstep_fetched<unsigned short, cudaReadModeNormalizedFloat> {
  typedef float type;
};
template <>
struct lockstep_fetched<uchar2, cudaReadModeNormalizedFloat> {
  typedef float2 type;
};
template <>
struct lockstep_fetched<uchar4, cudaReadModeNormalizedFloat> {
  typedef float4 type;
};
LOCKSTEP_INLINE cudaTextureObject_t lockstep_object(const textureReference& t) {
  return reinterpret_cast<cudaTextureObject_t>(&t.lockstep_bound);
}
#define LOCKSTEP_REFERENCE_FETCH(name, parameters, arguments)                                            \
  template <class T, int D, cudaTextureReadMode M>                                                       \
  LOCKSTEP_INLINE typename lockstep_fetched<T, M>::type name(const texture<T, D, M>& t, LOCKSTEP_EACH parameters) { \
    return name<typename lockstep_fetched<T, M>::type>(lockstep_object(t), LOCKSTEP_EACH arguments);     \
  }
#define LOCKSTEP_EACH(...) __VA_ARGS__
LOCKSTEP_REFERENCE_FETCH(tex1Dfetch, (int x), (x))
LOCKSTEP_REFERENCE_FETCH(tex1D, (float x), (x))
LOCKSTEP_REFERENCE_FETCH(tex2D, (float x, float y), (x, y))
LOCKSTEP_REFERENCE_FETCH(tex3D, (float x, float y, float z), (x, y, z))
LOCKSTEP_REFERENCE_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer))
#undef LOCKSTEP_REFERENCE_FETCH
#undef LOCKSTEP_EACH
