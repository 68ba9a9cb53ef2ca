// Functions of the C library that mean something else inside a kernel go to the emulator, which passes them on where
// the host calls them. By the linker's name: to the compiler they keep their own.
#pragma once
#pragma clang system_header
extern "C" {
int printf(const char* __restrict, ...) __asm__("lockstep_printf");
int puts(const char*) __asm__("lockstep_puts");
void* malloc(unsigned long) noexcept __asm__("lockstep_malloc");
void free(void*) noexcept __asm__("lockstep_free");
void __assert_fail(const char*, const char*, unsigned, const char*) noexcept __attribute__((noreturn))
__asm__("lockstep_assert_fail");
long clock() noexcept __asm__("lockstep_clock_of_caller");  // the processor's time, or the multiprocessor's
// Both block every signal before they start a process, so that the sandbox could not say who asked.
int system(const char*) __asm__("lockstep_system");
struct _IO_FILE* popen(const char*, const char*) __asm__("lockstep_popen");
}
