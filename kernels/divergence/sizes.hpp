// For kernels and host alike.
#pragma once

constexpr int kFmas = 128;       // of one side of a branch
constexpr int kShortSides = 32;  // branches of a round whose sides are one FMA

// The two sides: x = x * kKeep + kUp, and x = kDown - x * kKeep. What x was
// stays in it for a thousand of them.
constexpr float kKeep = 1 - 0x1p-10f, kUp = 0x1p-9f, kDown = 0.5f;
