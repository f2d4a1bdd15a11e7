// What the readers need of OpenMP where the compiler that fuzzes them has none.
#pragma once

inline int omp_get_num_procs() { return 1; }
