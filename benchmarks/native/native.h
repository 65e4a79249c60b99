/* What one would write in C for the computations of ../suites/native-*.ts. */
#ifndef NATIVE_H
#define NATIVE_H

#include <stddef.h>
#include <stdint.h>

enum dtype { FLOAT32, INT32 };

/* Where a kernel leaves its result. */
struct output {
  const void *cells;
  size_t count;
  enum dtype dtype;
};

struct kernel {
  /* The name of its row. */
  const char *name;
  /* Makes the arrays, of which the inputs are those of the row; called once, before anything else. */
  struct output (*prepare)(void);
  void (*run)(int threads);
};

/* Arrays that are never freed: a process runs one kernel. The numbers are those of ../measure/inputs.ts. */
float *random_floats(size_t count, uint32_t seed, double low, double high);
uint8_t *random_bytes(size_t count, uint32_t seed);
/* Whole numbers below `bound`. */
int32_t *random_places(size_t count, uint32_t seed, double bound);
void *array_of(size_t count, size_t size);

extern const struct kernel chain_1000, chain_4000, tanh_exp, gelu, black_scholes, great_circle;
extern const struct kernel softmax, logsumexp, layer_norm, mean_variance;
extern const struct kernel squares_all, squares_rows, squares_columns, pairwise;
extern const struct kernel transposed, stencil, image;
extern const struct kernel matmul_512, matmul_1024, linear_relu;
extern const struct kernel gather, cumsum, histogram, sort;

#endif
