// What NVIDIA's samples throw.
#pragma once
#include <stdexcept>
