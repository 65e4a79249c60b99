#include "native.h"

#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

void *array_of(size_t count, size_t size) {
  const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *array = aligned_alloc(ALIGNMENT, bytes);
  if (array == NULL) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return array;
}

/* A number in [0, 1). Source of the constants: Numerical Recipes. */
static double next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state / 4294967296.0;
}

float *random_floats(size_t count, uint32_t seed, double low, double high) {
  float *floats = array_of(count, sizeof *floats);
  for (size_t k = 0; k < count; k++) floats[k] = (float)(low + (high - low) * next(&seed));
  return floats;
}

uint8_t *random_bytes(size_t count, uint32_t seed) {
  uint8_t *bytes = array_of(count, sizeof *bytes);
  for (size_t k = 0; k < count; k++) bytes[k] = (uint8_t)(256 * next(&seed));
  return bytes;
}

int32_t *random_places(size_t count, uint32_t seed, double bound) {
  int32_t *places = array_of(count, sizeof *places);
  for (size_t k = 0; k < count; k++) places[k] = (int32_t)(bound * next(&seed));
  return places;
}
