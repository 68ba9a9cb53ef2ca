// The stopwatch of NVIDIA's samples. What it measures is this machine's time, not a GPU's.
#pragma once
#include <chrono>

class StopWatchInterface {
 public:
  virtual ~StopWatchInterface() {}
  void start() { begin_ = Clock::now(), running_ = true; }
  void stop() {
    total_ += since(), running_ = false, ++sessions_;
  }
  void reset() {
    total_ = 0, sessions_ = 0;
    if (running_) begin_ = Clock::now();
  }
  float getTime() { return float(total_ + (running_ ? since() : 0)); }
  float getAverageTime() { return sessions_ > 0 ? float(total_ / sessions_) : 0.0f; }

 private:
  using Clock = std::chrono::steady_clock;
  double since() const { return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }
  Clock::time_point begin_;
  double total_ = 0;
  int sessions_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  if (*timer) (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
