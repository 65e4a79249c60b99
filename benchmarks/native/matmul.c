/* Matrix products: a tile of results grows in registers, over a panel of columns that was copied together. */
#include "native.h"

enum { ROWS = 4, COLUMNS = 32, DEEPEST = 1024 };

static float *a, *b, *bias, *out;
static size_t m, k, n;

/* out[ROWS][COLUMNS] of a wider matrix. */
static void compute_tile(const float *restrict a, const float *restrict panel, float *restrict out) {
  float sums[ROWS][COLUMNS] = {{0}};
  for (size_t p = 0; p < k; p++)
    for (size_t i = 0; i < ROWS; i++)
      for (size_t j = 0; j < COLUMNS; j++) sums[i][j] += a[i * k + p] * panel[p * COLUMNS + j];
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < COLUMNS; j++) out[i * n + j] = sums[i][j];
}

/* m × k by k × n; m is a multiple of ROWS, n of COLUMNS. */
static void compute_product(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t j = 0; j < n; j += COLUMNS) {
    float panel[DEEPEST * COLUMNS];
    for (size_t p = 0; p < k; p++)
      for (size_t c = 0; c < COLUMNS; c++) panel[p * COLUMNS + c] = b[p * n + j + c];
    for (size_t i = 0; i < m; i += ROWS) compute_tile(a + i * k, panel, out + i * n + j);
  }
}

static void add_bias_and_relu(const float *restrict bias, float *restrict out) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      const float sum = out[i * n + j] + bias[j];
      out[i * n + j] = sum > 0 ? sum : 0;
    }
}

static struct output prepare(size_t rows, size_t inner, size_t columns) {
  m = rows, k = inner, n = columns;
  a = random_floats(m * k, 1, -1, 1);
  b = random_floats(k * n, 2, -1, 1);
  bias = random_floats(n, 3, -1, 1);
  out = array_of(m * n, sizeof *out);
  return (struct output){out, m * n, FLOAT32};
}

static struct output prepare_512(void) { return prepare(512, 512, 512); }
static struct output prepare_1024(void) { return prepare(1024, 1024, 1024); }
static void run_product(int threads) { compute_product(a, b, out, threads); }
const struct kernel matmul_512 = {"matmul-512", prepare_512, run_product};
const struct kernel matmul_1024 = {"matmul-1024", prepare_1024, run_product};

static struct output prepare_linear(void) { return prepare(256, 784, 128); }
static void run_linear(int threads) {
  compute_product(a, b, out, threads);
  add_bias_and_relu(bias, out);
}
const struct kernel linear_relu = {"linear-relu", prepare_linear, run_linear};
