/* Rows that are walked several times while they are in the cache. `omp simd reduction` lets gcc add in lanes. */
#include "native.h"

#include <math.h>

enum { HEIGHT = 1000, WIDTH = 1000 };

static float *x, *weight, *bias, *out;

static float largest(const float *restrict row) {
  float found = row[0];
#pragma omp simd reduction(max : found)
  for (size_t j = 0; j < WIDTH; j++) found = row[j] > found ? row[j] : found;
  return found;
}

static float mean_of(const float *restrict row) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < WIDTH; j++) sum += row[j];
  return sum / WIDTH;
}

static float variance_about(float mean, const float *restrict row) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < WIDTH; j++) sum += (row[j] - mean) * (row[j] - mean);
  return sum / WIDTH;
}

static void compute_softmax(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) {
    const float *restrict row = x + i * WIDTH;
    float *restrict exponentials = out + i * WIDTH;
    const float shift = largest(row);
    for (size_t j = 0; j < WIDTH; j++) exponentials[j] = expf(row[j] - shift);
    const float scale = 1 / (WIDTH * mean_of(exponentials));
    for (size_t j = 0; j < WIDTH; j++) exponentials[j] *= scale;
  }
}

static void compute_logsumexp(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) {
    const float *restrict row = x + i * WIDTH;
    const float shift = largest(row);
    float exponentials[WIDTH];
    for (size_t j = 0; j < WIDTH; j++) exponentials[j] = expf(row[j] - shift);
    out[i] = shift + logf(WIDTH * mean_of(exponentials));
  }
}

static void compute_layer_norm(const float *restrict x, const float *restrict weight, const float *restrict bias,
                               float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) {
    const float *restrict row = x + i * WIDTH;
    const float mean = mean_of(row);
    const float scale = 1 / sqrtf(variance_about(mean, row) + 1e-5f);
    for (size_t j = 0; j < WIDTH; j++) out[i * WIDTH + j] = (row[j] - mean) * scale * weight[j] + bias[j];
  }
}

/* All variances, then all means. */
static void compute_mean_variance(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < HEIGHT; i++) {
    const float mean = mean_of(x + i * WIDTH);
    out[i] = variance_about(mean, x + i * WIDTH);
    out[HEIGHT + i] = mean;
  }
}

static struct output prepare(double low, double high, size_t results) {
  x = random_floats(HEIGHT * WIDTH, 1, low, high);
  weight = random_floats(WIDTH, 2, 0, 1);
  bias = random_floats(WIDTH, 3, 0, 1);
  out = array_of(results, sizeof *out);
  return (struct output){out, results, FLOAT32};
}

static struct output prepare_softmax(void) { return prepare(-4, 4, HEIGHT * WIDTH); }
static void run_softmax(int threads) { compute_softmax(x, out, threads); }
const struct kernel softmax = {"softmax", prepare_softmax, run_softmax};

static struct output prepare_logsumexp(void) { return prepare(-4, 4, HEIGHT); }
static void run_logsumexp(int threads) { compute_logsumexp(x, out, threads); }
const struct kernel logsumexp = {"logsumexp", prepare_logsumexp, run_logsumexp};

static struct output prepare_layer_norm(void) { return prepare(-1, 1, HEIGHT * WIDTH); }
static void run_layer_norm(int threads) { compute_layer_norm(x, weight, bias, out, threads); }
const struct kernel layer_norm = {"layer-norm", prepare_layer_norm, run_layer_norm};

static struct output prepare_mean_variance(void) { return prepare(0, 1, 2 * HEIGHT); }
static void run_mean_variance(int threads) { compute_mean_variance(x, out, threads); }
const struct kernel mean_variance = {"mean-variance", prepare_mean_variance, run_mean_variance};
