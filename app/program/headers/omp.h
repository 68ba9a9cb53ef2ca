// OpenMP of a program that is compiled without it: one thread. In C as well as in C++.
#ifndef LOCKSTEP_OMP_H
#define LOCKSTEP_OMP_H
#include <time.h>

typedef int omp_lock_t;
static inline void omp_set_num_threads(int n) { (void)n; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
static inline void omp_set_dynamic(int n) { (void)n; }
static inline void omp_set_nested(int n) { (void)n; }
static inline void omp_init_lock(omp_lock_t* l) { (void)l; }
static inline void omp_destroy_lock(omp_lock_t* l) { (void)l; }
static inline void omp_set_lock(omp_lock_t* l) { (void)l; }
static inline void omp_unset_lock(omp_lock_t* l) { (void)l; }
static inline double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif
