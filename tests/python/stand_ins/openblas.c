/* A stand-in for OpenBLAS with threads of its own, as far as kmbench uses it (test_libraries.py). It chooses its kernels when it is loaded: those
   that STAND_IN_CORE or OPENBLAS_CORETYPE names, else a Prescott's. With more than one thread, its products are NaN. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* core = "Prescott";
static int threads = 16;

__attribute__((constructor)) static void choose(void) {
  if (getenv("OPENBLAS_CORETYPE")) core = strdup(getenv("OPENBLAS_CORETYPE"));
  if (getenv("STAND_IN_CORE")) core = strdup(getenv("STAND_IN_CORE"));
  if (getenv("OPENBLAS_NUM_THREADS")) threads = atoi(getenv("OPENBLAS_NUM_THREADS"));
}

const char* openblas_get_config(void) { return "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64"; }
const char* openblas_get_corename(void) { return core; }
int openblas_get_parallel(void) { return 1; }
int openblas_get_num_threads(void) { return threads; }
void openblas_set_num_threads(int count) { threads = count; }

/* c (m x n) = alpha a (m x k) b' (n x k) + beta c, row by row. */
#define GEMM(name, T)                                                                                                                          \
  void name(int layout, int ta, int tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {       \
    if (layout != 101 || ta != 111 || tb != 112) abort();                                                                                      \
    for (int i = 0; i < m; ++i)                                                                                                                \
      for (int j = 0; j < n; ++j) {                                                                                                            \
        T sum = threads > 1 ? (T)NAN : 0;                                                                                                      \
        for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[j * ldb + l];                                                                    \
        c[i * ldc + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * ldc + j]);                                                                \
      }                                                                                                                                        \
  }
GEMM(cblas_sgemm, float)
GEMM(cblas_dgemm, double)
