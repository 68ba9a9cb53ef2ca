// Arguments as NVIDIA's samples read them: -name, --name, -name=value.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRNCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, size, from) strcpy(to, from)
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#define FOPEN_FAIL(result) (result == NULL)
#define SSCANF sscanf
#define SPRINTF sprintf
#define MAX_EPSILON 10
#endif

// What stands behind the name: "" for the bare flag, the text behind = else; null where it is not given.
inline const char* lockstep_flag(int argc, const char** argv, const char* name) {
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    if (*word != '-') continue;
    while (*word == '-') ++word;
    const std::size_t length = std::strlen(name);
    if (strncasecmp(word, name, length) != 0) continue;
    if (word[length] == 0) return "";
    if (word[length] == '=') return word + length + 1;
  }
  return nullptr;
}
inline int stringRemoveDelimiter(char delimiter, const char* text) {
  int start = 0;
  while (text[start] == delimiter) ++start;
  return text[start] == 0 ? 0 : start;
}
inline bool checkCmdLineFlag(const int argc, const char** argv, const char* name) {
  return lockstep_flag(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(const int argc, const char** argv, const char* name) {
  const char* value = lockstep_flag(argc, argv, name);
  return value ? std::atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(const int argc, const char** argv, const char* name) {
  const char* value = lockstep_flag(argc, argv, name);
  return value ? float(std::atof(value)) : 0.0f;
}
inline bool getCmdLineArgumentString(const int argc, const char** argv, const char* name, char** value) {
  const char* given = lockstep_flag(argc, argv, name);
  *value = const_cast<char*>(given);
  return given != nullptr;
}
template <class T>
inline bool getCmdLineArgumentValue(const int argc, const char** argv, const char* name, T* value) {
  const char* given = lockstep_flag(argc, argv, name);
  if (given) *value = T(std::atof(given));
  return given != nullptr;
}
// A file of this name here, or in the folders that samples keep their data in; a copy of its path, or null.
inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"./", "./data/", "../data/", "../../data/", "./common/data/", "../common/data/"}) {
    const std::string path = std::string(folder) + name;
    if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
      std::fclose(file);
      return strdup(path.c_str());
    }
  }
  return nullptr;
}
