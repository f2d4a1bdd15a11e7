// What the harness needs of OpenMP where the compiler that fuzzes it has none.
#pragma once

inline int omp_get_num_procs() { return 1; }
inline int omp_get_max_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline int omp_get_dynamic() { return 0; }
