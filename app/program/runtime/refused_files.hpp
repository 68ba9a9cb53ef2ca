// What the linker puts in the place of fopen() and its like in a reader's program.
#pragma once

extern "C" int __wrap_system(const char* command);
