// For kernels and host alike.
#pragma once

// The same kernel compiled so many times: each copy's first launch in a process finds its code not yet
// loaded.
constexpr int kCopies = 48;
