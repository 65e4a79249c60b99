/* The distance from each place to the nearest of others, by haversines. */
#include "native.h"

#include <math.h>

enum { PLACES = 3000 };

static float *latitude, *longitude, *other_latitude, *other_longitude, *out;

static float squared_half_sine(float angle) {
  const float sine = sinf(0.5f * angle);
  return sine * sine;
}

static void nearest(const float *restrict up, const float *restrict east, const float *restrict other_up,
                    const float *restrict other_east, float *restrict out, int threads) {
  const float diameter = 2 * 6371.0088f;
  static float other_cosine[PLACES];
  for (size_t j = 0; j < PLACES; j++) other_cosine[j] = cosf(other_up[j]);
#pragma omp parallel for num_threads(threads)
  for (size_t i = 0; i < PLACES; i++) {
    const float cosine = cosf(up[i]);
    float least = INFINITY;
    for (size_t j = 0; j < PLACES; j++) {
      const float haversine = squared_half_sine(up[i] - other_up[j]) +
                              cosine * other_cosine[j] * squared_half_sine(east[i] - other_east[j]);
      const float distance = diameter * asinf(sqrtf(haversine < 1 ? haversine : 1));
      least = distance < least ? distance : least;
    }
    out[i] = least;
  }
}

static struct output prepare(void) {
  latitude = random_floats(PLACES, 1, -1.5, 1.5);
  longitude = random_floats(PLACES, 2, -3.1, 3.1);
  other_latitude = random_floats(PLACES, 3, -1.5, 1.5);
  other_longitude = random_floats(PLACES, 4, -3.1, 3.1);
  out = array_of(PLACES, sizeof *out);
  return (struct output){out, PLACES, FLOAT32};
}

static void run(int threads) {
  nearest(latitude, longitude, other_latitude, other_longitude, out, threads);
}

const struct kernel great_circle = {"great-circle", prepare, run};
