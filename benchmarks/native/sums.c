/* Sums of (a - b)² over everything, over rows, over columns, and between all pairs of points. */
#include "native.h"

enum { HEIGHT = 1000, WIDTH = 1000, POINTS = 1000, FEATURES = 16 };

static float *a, *b, *out;

static float sum_of_row(const float *restrict a, const float *restrict b) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < WIDTH; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/* Rows in float32, their sum in float64. */
static void compute_all(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
  double sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (size_t i = 0; i < HEIGHT; i++) sum += sum_of_row(a + i * WIDTH, b + i * WIDTH);
  *out = (float)sum;
}

static void compute_rows(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) out[i] = sum_of_row(a + i * WIDTH, b + i * WIDTH);
}

/* Each thread has columns of its own, and walks them row by row. */
static void compute_columns(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (int part = 0; part < threads; part++) {
    const size_t begin = (size_t)part * WIDTH / (size_t)threads;
    const size_t end = (size_t)(part + 1) * WIDTH / (size_t)threads;
    for (size_t j = begin; j < end; j++) out[j] = 0;
    for (size_t i = 0; i < HEIGHT; i++)
      for (size_t j = begin; j < end; j++) {
        const float difference = a[i * WIDTH + j] - b[i * WIDTH + j];
        out[j] += difference * difference;
      }
  }
}

/* The points of b stand side by side, so that a row of distances grows in lanes, feature by feature. */
static void compute_pairs(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
  static float features[FEATURES][POINTS];
  for (size_t j = 0; j < POINTS; j++)
    for (size_t k = 0; k < FEATURES; k++) features[k][j] = b[j * FEATURES + k];
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < POINTS; i++) {
    const float *restrict point = a + i * FEATURES;
    for (size_t j = 0; j < POINTS; j++) {
      float sum = 0;
      for (size_t k = 0; k < FEATURES; k++) sum += (point[k] - features[k][j]) * (point[k] - features[k][j]);
      out[i * POINTS + j] = sum;
    }
  }
}

static struct output prepare(size_t count, size_t results) {
  a = random_floats(count, 1, 0, 1);
  b = random_floats(count, 2, 0, 1);
  out = array_of(results, sizeof *out);
  return (struct output){out, results, FLOAT32};
}

static struct output prepare_all(void) { return prepare(HEIGHT * WIDTH, 1); }
static void run_all(int threads) { compute_all(a, b, out, threads); }
const struct kernel squares_all = {"squares-all", prepare_all, run_all};

static struct output prepare_rows(void) { return prepare(HEIGHT * WIDTH, HEIGHT); }
static void run_rows(int threads) { compute_rows(a, b, out, threads); }
const struct kernel squares_rows = {"squares-rows", prepare_rows, run_rows};

static struct output prepare_columns(void) { return prepare(HEIGHT * WIDTH, WIDTH); }
static void run_columns(int threads) { compute_columns(a, b, out, threads); }
const struct kernel squares_columns = {"squares-columns", prepare_columns, run_columns};

static struct output prepare_pairs(void) { return prepare(POINTS * FEATURES, POINTS * POINTS); }
static void run_pairs(int threads) { compute_pairs(a, b, out, threads); }
const struct kernel pairwise = {"pairwise", prepare_pairs, run_pairs};
