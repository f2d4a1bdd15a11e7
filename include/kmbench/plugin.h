/* C ABI of a k-means in a shared library, for kmbench --plugin libmine.so. Example: docs/adding.md. The library exports kmbench_plugin. All that it
   points to must stay valid and constant. */
#ifndef KMBENCH_PLUGIN_H
#define KMBENCH_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KMBENCH_PLUGIN_ABI 1

/* The task (docs/method.md): assign every point to its nearest centroid (the lowest index wins a tie), then move each centroid to the mean of its
   points. An empty cluster keeps its centroid. Values are float or double, arrays row-major. */
typedef struct kmbench_problem {
  int64_t n;
  int32_t d, k;
  int32_t max_iters;
  int32_t value_bytes;           /* 4: float, 8: double */
  double tolerance;              /* stop if at most this share of points changed label; below 0: make exactly max_iters iterations */
  const void* points;            /* n x d, read-only, from prepare to forget */
  const void* initial_centroids; /* k x d, read-only; the values change between runs: read them in every iterate */
} kmbench_problem;

/* What download fills. */
typedef struct kmbench_solution {
  int32_t* labels;          /* n */
  void* assigned_centroids; /* k x d: used by the last assign */
  void* centroids;          /* k x d: after the last update */
} kmbench_solution;

typedef struct kmbench_implementation {
  int32_t abi;         /* KMBENCH_PLUGIN_ABI */
  int32_t value_bytes; /* 4, 8, or 12 for both */
  int32_t expansion;   /* 1 if distances are |x|^2 - 2 x c + |c|^2, which round more; else 0 */
  const char* name;    /* letters, digits, '_', '-' and '/'; registered as plugin/NAME */
  const char* summary;
  const char* (*unsupported)(const kmbench_problem*);        /* why this cannot run, or NULL; both arrays are NULL. Optional. */
  void* (*prepare)(const kmbench_problem*);                  /* untimed; a state, or NULL on failure. Copy the problem if needed later. */
  int32_t (*iterate)(void* state);                           /* timed: a run; returns iterations made, or -1 on failure */
  int32_t (*download)(void* state, const kmbench_solution*); /* untimed; 0, or -1 on failure */
  void (*forget)(void* state);
  const char* (*error)(void); /* the last failure in words. Optional. */
} kmbench_implementation;

/* Implementation 0, 1, ... of this library, NULL after the last. */
const kmbench_implementation* kmbench_plugin(int32_t index);

#ifdef __cplusplus
}
#endif

#endif
