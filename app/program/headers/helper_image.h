// Comparisons of NVIDIA's samples, and their PGM and PPM pictures.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned int count, const S epsilon,
                        const float threshold) {
  unsigned wrong = 0;
  for (unsigned i = 0; i < count; ++i)
    if (!(std::fabs(double(reference[i]) - double(data[i])) <= double(epsilon))) ++wrong;
  return threshold == 0.0f ? wrong == 0 : wrong <= threshold * count;
}
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned int count, const float epsilon) {
  double error = 0, scale = 0;
  for (unsigned i = 0; i < count; ++i) {
    const double difference = double(reference[i]) - double(data[i]);
    error += difference * difference, scale += double(reference[i]) * double(reference[i]);
  }
  return scale >= 1e-7 && std::sqrt(error / scale) < epsilon;
}

// P5 (channels 1) or P6 (3): width, height and bytes as floats or bytes.
inline bool lockstep_load_picture(const char* name, std::vector<unsigned char>& bytes, unsigned* width,
                                  unsigned* height, unsigned* channels) {
  std::FILE* file = std::fopen(name, "rb");
  if (!file) return false;
  char kind[3] = "";
  unsigned most = 0;
  const auto number = [&](unsigned* value) {
    int c = std::fgetc(file);
    while (c == '#' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      while (c == '#' && (c = std::fgetc(file)) != '\n' && c != EOF) c = '#';
      c = std::fgetc(file);
    }
    std::ungetc(c, file);
    return std::fscanf(file, "%u", value) == 1;
  };
  bool ok = std::fscanf(file, "%2s", kind) == 1 && kind[0] == 'P' && (kind[1] == '5' || kind[1] == '6');
  ok = ok && number(width) && number(height) && number(&most);
  if (ok) {
    std::fgetc(file);
    *channels = kind[1] == '5' ? 1 : 3;
    bytes.resize(std::size_t(*width) * *height * *channels);
    ok = std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size();
  }
  std::fclose(file);
  return ok;
}
template <class T>
inline bool sdkLoadPGM(const char* name, T** data, unsigned int* width, unsigned int* height) {
  std::vector<unsigned char> bytes;
  unsigned channels = 0;
  if (!lockstep_load_picture(name, bytes, width, height, &channels) || channels != 1) return false;
  if (!*data) *data = static_cast<T*>(std::malloc(bytes.size() * sizeof(T)));
  for (std::size_t i = 0; i < bytes.size(); ++i) (*data)[i] = sizeof(T) == 1 ? T(bytes[i]) : T(bytes[i] / T(255));
  return true;
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned int* width, unsigned int* height) {
  std::vector<unsigned char> bytes;
  unsigned channels = 0;
  if (!lockstep_load_picture(name, bytes, width, height, &channels) || channels != 3) return false;
  const std::size_t pixels = std::size_t(*width) * *height;
  *data = static_cast<unsigned char*>(std::malloc(4 * pixels));
  for (std::size_t i = 0; i < pixels; ++i) {
    for (int c = 0; c < 3; ++c) (*data)[4 * i + c] = bytes[3 * i + c];
    (*data)[4 * i + 3] = 0;
  }
  return true;
}
template <class T>
inline bool sdkSavePGM(const char* name, T* data, unsigned int width, unsigned int height) {
  std::FILE* file = std::fopen(name, "wb");
  if (!file) return false;
  std::fprintf(file, "P5\n%u %u\n255\n", width, height);
  for (std::size_t i = 0; i < std::size_t(width) * height; ++i)
    std::fputc(sizeof(T) == 1 ? int(data[i]) : int(data[i] * 255), file);
  return std::fclose(file) == 0;
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned int width, unsigned int height) {
  std::FILE* file = std::fopen(name, "wb");
  if (!file) return false;
  std::fprintf(file, "P6\n%u %u\n255\n", width, height);
  for (std::size_t i = 0; i < std::size_t(width) * height; ++i) std::fwrite(data + 4 * i, 1, 3, file);
  return std::fclose(file) == 0;
}
template <class T, class S>
inline bool sdkWriteFile(const char* name, const T* data, unsigned int count, const S, bool, bool append = false) {
  std::FILE* file = std::fopen(name, append ? "a" : "w");
  if (!file) return false;
  for (unsigned i = 0; i < count; ++i) std::fprintf(file, "%g ", double(data[i]));
  return std::fclose(file) == 0;
}
