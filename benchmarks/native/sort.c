/* A sort by radix: a byte at a time, the lowest first. Two threads sort a half each, and merge from both ends. */
#include "native.h"

#include <string.h>

enum { COUNT = 1000000, BUCKETS = 256 };

static float *x, *out;
static uint32_t *keys, *spare;

/* Keys are in the order of the numbers: negative ones have all their bits turned, others the first. */
static uint32_t key_of(uint32_t bits) { return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u); }
static uint32_t bits_of(uint32_t key) { return key ^ (key >> 31 ? 0x80000000u : 0xffffffffu); }

static void sort_keys(uint32_t *restrict keys, uint32_t *restrict spare, size_t count) {
  for (int shift = 0; shift < 32; shift += 8) {
    size_t places[BUCKETS] = {0};
    for (size_t k = 0; k < count; k++) places[(keys[k] >> shift) % BUCKETS]++;
    size_t place = 0;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
      const size_t size = places[bucket];
      places[bucket] = place;
      place += size;
    }
    for (size_t k = 0; k < count; k++) spare[places[(keys[k] >> shift) % BUCKETS]++] = keys[k];
    uint32_t *filled = spare;
    spare = keys;
    keys = filled;
  }
}

static void merge_up(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict out, size_t count) {
  for (size_t k = 0; k < count; k++) out[k] = *a <= *b ? *a++ : *b++;
}

/* From the last elements down. */
static void merge_down(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t *restrict last,
                       size_t count) {
  for (size_t k = 0; k < count; k++) *last-- = *b >= *a ? *b-- : *a--;
}

/* Neither end of the merge runs out of a half, which has as many elements as it writes. */
static void sort_halves(void) {
  const size_t half = COUNT / 2;
#pragma omp parallel for num_threads(2)
  for (int part = 0; part < 2; part++) sort_keys(keys + part * half, spare + part * half, half);
#pragma omp parallel for num_threads(2)
  for (int part = 0; part < 2; part++)
    if (part == 0) merge_up(keys, keys + half, spare, half);
    else merge_down(keys + half - 1, keys + COUNT - 1, spare + COUNT - 1, half);
  memcpy(keys, spare, COUNT * sizeof *keys);
}

static struct output prepare(void) {
  x = random_floats(COUNT, 1, -1, 1);
  out = array_of(COUNT, sizeof *out);
  keys = array_of(COUNT, sizeof *keys);
  spare = array_of(COUNT, sizeof *spare);
  return (struct output){out, COUNT, FLOAT32};
}

static void run(int threads) {
  memcpy(keys, x, COUNT * sizeof *keys);
  for (size_t k = 0; k < COUNT; k++) keys[k] = key_of(keys[k]);
  if (threads == 1) sort_keys(keys, spare, COUNT);
  else sort_halves();
  for (size_t k = 0; k < COUNT; k++) keys[k] = bits_of(keys[k]);
  memcpy(out, keys, COUNT * sizeof *out);
}

const struct kernel sort = {"sort", prepare, run};
