/* Elements that are read from elsewhere than where they are written. */
#include "native.h"

enum { SIZE = 1000, TILE = 40, INSIDE = SIZE - 2, PIXELS = 1080 * 1920, CHANNELS = 3 };
_Static_assert(SIZE % TILE == 0, "tiles cover the matrix");

static float *a, *b, *out;
static uint8_t *pixels;

static void compute_transposed(const float *restrict a, const float *restrict b, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i0 = 0; i0 < SIZE; i0 += TILE)
    for (size_t j0 = 0; j0 < SIZE; j0 += TILE)
      for (size_t i = i0; i < i0 + TILE; i++)
        for (size_t j = j0; j < j0 + TILE; j++) out[i * SIZE + j] = a[i * SIZE + j] + b[j * SIZE + i];
}

static struct output prepare_transposed(void) {
  a = random_floats(SIZE * SIZE, 1, 0, 1);
  b = random_floats(SIZE * SIZE, 2, 0, 1);
  out = array_of(SIZE * SIZE, sizeof *out);
  return (struct output){out, SIZE * SIZE, FLOAT32};
}

static void run_transposed(int threads) { compute_transposed(a, b, out, threads); }
const struct kernel transposed = {"transposed", prepare_transposed, run_transposed};

static void compute_stencil(const float *restrict x, float *restrict out, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < INSIDE; i++) {
    const float *restrict above = x + i * SIZE, *restrict row = above + SIZE, *restrict below = row + SIZE;
    for (size_t j = 0; j < INSIDE; j++)
      out[i * INSIDE + j] = 0.2f * (row[j + 1] + above[j + 1] + below[j + 1] + row[j] + row[j + 2]);
  }
}

static struct output prepare_stencil(void) {
  a = random_floats(SIZE * SIZE, 1, 0, 1);
  out = array_of(INSIDE * INSIDE, sizeof *out);
  return (struct output){out, INSIDE * INSIDE, FLOAT32};
}

static void run_stencil(int threads) { compute_stencil(a, out, threads); }
const struct kernel stencil = {"stencil", prepare_stencil, run_stencil};

static void compute_image(const uint8_t *restrict pixels, float *restrict red, float *restrict green,
                          float *restrict blue, int threads) {
#pragma omp parallel for num_threads(threads)
  for (size_t k = 0; k < PIXELS; k++) {
    red[k] = pixels[CHANNELS * k] / 255.0f;
    green[k] = pixels[CHANNELS * k + 1] / 255.0f;
    blue[k] = pixels[CHANNELS * k + 2] / 255.0f;
  }
}

static struct output prepare_image(void) {
  pixels = random_bytes(CHANNELS * PIXELS, 1);
  out = array_of(CHANNELS * PIXELS, sizeof *out);
  return (struct output){out, CHANNELS * PIXELS, FLOAT32};
}

static void run_image(int threads) { compute_image(pixels, out, out + PIXELS, out + 2 * PIXELS, threads); }
const struct kernel image = {"image", prepare_image, run_image};
