/* Where data say what is read or written next. */
#include "native.h"

#include <string.h>

enum { TABLE = 20000, PICKED = 100000, FEATURES = 64, HEIGHT = 1000, WIDTH = 1000, COUNT = 1000000, BINS = 256 };

static float *x, *out;
static int32_t *places, *counts;

static void compute_gather(const float *restrict table, const int32_t *restrict places, float *restrict out,
                           int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < PICKED; i++)
    memcpy(out + i * FEATURES, table + (size_t)places[i] * FEATURES, FEATURES * sizeof *out);
}

static struct output prepare_gather(void) {
  x = random_floats(TABLE * FEATURES, 1, 0, 1);
  places = random_places(PICKED, 2, TABLE);
  out = array_of(PICKED * FEATURES, sizeof *out);
  return (struct output){out, PICKED * FEATURES, FLOAT32};
}

static void run_gather(int threads) { compute_gather(x, places, out, threads); }
const struct kernel gather = {"gather", prepare_gather, run_gather};

static void compute_cumsum(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) {
    float sum = 0;
    for (size_t j = 0; j < WIDTH; j++) out[i * WIDTH + j] = sum += x[i * WIDTH + j];
  }
}

static struct output prepare_cumsum(void) {
  x = random_floats(HEIGHT * WIDTH, 1, 0, 1);
  out = array_of(HEIGHT * WIDTH, sizeof *out);
  return (struct output){out, HEIGHT * WIDTH, FLOAT32};
}

static void run_cumsum(int threads) { compute_cumsum(x, out, threads); }
const struct kernel cumsum = {"cumsum", prepare_cumsum, run_cumsum};

/* Of numbers in [0, 1). Each thread counts for itself. */
static void compute_histogram(const float *restrict x, int32_t *restrict counts, int threads) {
  memset(counts, 0, BINS * sizeof *counts);
#pragma omp parallel num_threads(threads)
  {
    int32_t own[BINS] = {0};
#pragma omp for
    for (size_t k = 0; k < COUNT; k++) own[(int32_t)(x[k] * BINS)]++;
#pragma omp critical
    for (size_t bin = 0; bin < BINS; bin++) counts[bin] += own[bin];
  }
}

static struct output prepare_histogram(void) {
  x = random_floats(COUNT, 1, 0, 0.99);
  counts = array_of(BINS, sizeof *counts);
  return (struct output){counts, BINS, INT32};
}

static void run_histogram(int threads) { compute_histogram(x, counts, threads); }
const struct kernel histogram = {"histogram", prepare_histogram, run_histogram};
