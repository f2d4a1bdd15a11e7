/* A k-means in a shared library, one thread, fp64. docs/adding.md says how to build and run it. */
#include <stdlib.h>
#include <string.h>

#include <kmbench/plugin.h>

typedef struct {
  kmbench_problem p;
  double *before, *after, *sums;
  int64_t* counts;
  int32_t* labels;
} state;

static void* prepare(const kmbench_problem* p) {
  state* s = calloc(1, sizeof *s);
  const size_t cells = (size_t)p->k * p->d;
  s->p = *p;
  s->before = malloc(cells * sizeof(double)), s->after = malloc(cells * sizeof(double)), s->sums = malloc(cells * sizeof(double));
  s->counts = malloc(p->k * sizeof(int64_t)), s->labels = malloc(p->n * sizeof(int32_t));
  return s;
}

static int32_t nearest(const state* s, const double* x) {
  int32_t best = 0;
  double best_dist = -1;
  for (int32_t c = 0; c < s->p.k; ++c) {
    const double* centroid = s->before + (size_t)c * s->p.d;
    double dist = 0;
    for (int32_t j = 0; j < s->p.d; ++j) dist += (x[j] - centroid[j]) * (x[j] - centroid[j]);
    if (best_dist < 0 || dist < best_dist) best = c, best_dist = dist; /* the first of equals */
  }
  return best;
}

static int32_t iterate(void* of) {
  state* s = of;
  const int32_t d = s->p.d, k = s->p.k;
  const size_t cells = (size_t)k * d;
  const double* points = s->p.points;
  memcpy(s->after, s->p.initial_centroids, cells * sizeof(double));
  for (int64_t i = 0; i < s->p.n; ++i) s->labels[i] = -1;
  for (int32_t made = 1;; ++made) {
    int64_t changed = 0;
    memcpy(s->before, s->after, cells * sizeof(double));
    memset(s->sums, 0, cells * sizeof(double)), memset(s->counts, 0, k * sizeof(int64_t));
    for (int64_t i = 0; i < s->p.n; ++i) {
      const int32_t c = nearest(s, points + i * d);
      changed += c != s->labels[i], s->labels[i] = c, ++s->counts[c];
      double* sum = s->sums + (size_t)c * d;
      for (int32_t j = 0; j < d; ++j) sum[j] += points[i * d + j];
    }
    for (size_t cell = 0; cell < cells; ++cell)
      if (s->counts[cell / d] > 0) s->after[cell] = s->sums[cell] / s->counts[cell / d]; /* else it stays */
    if (made == s->p.max_iters || (s->p.tolerance >= 0 && changed <= s->p.tolerance * s->p.n)) return made;
  }
}

static int32_t download(void* of, const kmbench_solution* to) {
  const state* s = of;
  const size_t bytes = (size_t)s->p.k * s->p.d * sizeof(double);
  memcpy(to->labels, s->labels, s->p.n * sizeof(int32_t));
  memcpy(to->assigned_centroids, s->before, bytes), memcpy(to->centroids, s->after, bytes);
  return 0;
}

static void forget(void* of) {
  state* s = of;
  free(s->before), free(s->after), free(s->sums), free(s->counts), free(s->labels), free(s);
}

const kmbench_implementation* kmbench_plugin(int32_t index) {
  static const kmbench_implementation mine = {.abi = KMBENCH_PLUGIN_ABI, .value_bytes = 8, .name = "mine", .summary = "one thread, in C",
                                              .prepare = prepare, .iterate = iterate, .download = download, .forget = forget};
  return index == 0 ? &mine : NULL;
}
