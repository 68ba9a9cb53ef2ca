// For kernels and host alike.
#pragma once

constexpr int kThreads = 256;

// Where no length is asked for: the emulator, the traced kernels.
constexpr int kRounds = 16;

// A round: x = x * kKeep + kUp. What x was stays in it for thousands of them.
constexpr float kKeep = 1 - 0x1p-14f, kUp = 0x1p-14f;
