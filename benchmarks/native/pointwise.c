/* One pass over arrays. The functions are libm's. */
#include "native.h"

#include <math.h>

enum { WIDTH = 1000, COUNT = 1000000 };

static float *a, *b, *c, *d, *out;
static size_t height;

/* c and d are one row each. */
static void compute_chain(const float *restrict a, const float *restrict b, const float *restrict c,
                          const float *restrict d, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < height; i++)
    for (size_t j = 0; j < WIDTH; j++) {
      const size_t k = i * WIDTH + j;
      out[k] = (a[k] * b[k] + c[j]) * d[j] - a[k];
    }
}

static struct output prepare_chain(size_t rows) {
  height = rows;
  a = random_floats(height * WIDTH, 1, 0, 1);
  b = random_floats(height * WIDTH, 2, 0, 1);
  c = random_floats(WIDTH, 3, 0, 1);
  d = random_floats(WIDTH, 4, 0, 1);
  out = array_of(height * WIDTH, sizeof *out);
  return (struct output){out, height * WIDTH, FLOAT32};
}

static struct output prepare_chain_1000(void) { return prepare_chain(1000); }
static struct output prepare_chain_4000(void) { return prepare_chain(4000); }
static void run_chain(int threads) { compute_chain(a, b, c, d, out, threads); }
const struct kernel chain_1000 = {"chain-1000", prepare_chain_1000, run_chain};
const struct kernel chain_4000 = {"chain-4000", prepare_chain_4000, run_chain};

static void compute_tanh_exp(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t k = 0; k < COUNT; k++) out[k] = tanhf(expf(x[k]));
}

static struct output prepare_unary(void) {
  a = random_floats(COUNT, 1, -3, 3);
  out = array_of(COUNT, sizeof *out);
  return (struct output){out, COUNT, FLOAT32};
}

static void run_tanh_exp(int threads) { compute_tanh_exp(a, out, threads); }
const struct kernel tanh_exp = {"tanh-exp", prepare_unary, run_tanh_exp};

static float normal_cdf(float x) { return 0.5f * (1 + erff(x * (float)M_SQRT1_2)); }

static void compute_gelu(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t k = 0; k < COUNT; k++) out[k] = x[k] * normal_cdf(x[k]);
}

static void run_gelu(int threads) { compute_gelu(a, out, threads); }
const struct kernel gelu = {"gelu", prepare_unary, run_gelu};

static void compute_black_scholes(const float *restrict spot, const float *restrict strike,
                                  const float *restrict years, float *restrict call, int threads) {
  const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for num_threads(threads)
  for (size_t k = 0; k < COUNT; k++) {
    const float deviation = volatility * sqrtf(years[k]);
    const float drift = (rate + 0.5f * volatility * volatility) * years[k];
    const float d1 = (logf(spot[k] / strike[k]) + drift) / deviation;
    const float discounted = strike[k] * expf(-rate * years[k]);
    call[k] = spot[k] * normal_cdf(d1) - discounted * normal_cdf(d1 - deviation);
  }
}

static struct output prepare_black_scholes(void) {
  a = random_floats(COUNT, 1, 10, 50);
  b = random_floats(COUNT, 2, 10, 50);
  c = random_floats(COUNT, 3, 0.25, 2);
  out = array_of(COUNT, sizeof *out);
  return (struct output){out, COUNT, FLOAT32};
}

static void run_black_scholes(int threads) { compute_black_scholes(a, b, c, out, threads); }
const struct kernel black_scholes = {"black-scholes", prepare_black_scholes, run_black_scholes};
