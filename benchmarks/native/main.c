/*
 * native time KERNEL THREADS MILLISECONDS    runs it for so long, and prints a call's median time as JSON
 * native result KERNEL THREADS               runs it once, and writes its result as doubles
 */
#include "native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_CALLS = 100000 };

static const struct kernel *const kernels[] = {
    &chain_1000, &chain_4000, &tanh_exp, &gelu, &black_scholes, &great_circle,
    &softmax, &logsumexp, &layer_norm, &mean_variance,
    &squares_all, &squares_rows, &squares_columns, &pairwise,
    &transposed, &stencil, &image,
    &matmul_512, &matmul_1024, &linear_relu,
    &gather, &cumsum, &histogram, &sort,
};

static const struct kernel *kernel_named(const char *name) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    if (strcmp(kernels[k]->name, name) == 0) return kernels[k];
  fprintf(stderr, "no kernel is called %s\n", name);
  exit(1);
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_time(const struct kernel *kernel, int threads, double budget) {
  static double times[MOST_CALLS];
  size_t calls = 0;
  kernel->run(threads);
  const double end = milliseconds() + budget;
  for (double start = milliseconds(); calls == 0 || (start < end && calls < MOST_CALLS);) {
    kernel->run(threads);
    const double now = milliseconds();
    times[calls++] = now - start;
    start = now;
  }
  qsort(times, calls, sizeof *times, ascending);
  const double median = (times[(calls - 1) / 2] + times[calls / 2]) / 2;
  printf("{\"kernel\": \"%s\", \"threads\": %d, \"calls\": %zu, \"milliseconds\": %.6f}\n", kernel->name,
         threads, calls, median);
}

static void write_result(const struct kernel *kernel, int threads, struct output output) {
  kernel->run(threads);
  for (size_t k = 0; k < output.count; k++) {
    const double cell = output.dtype == FLOAT32 ? (double)((const float *)output.cells)[k]
                                                : (double)((const int32_t *)output.cells)[k];
    fwrite(&cell, sizeof cell, 1, stdout);
  }
}

int main(int count, char **arguments) {
  if (count < 4) return 1;
  const struct kernel *kernel = kernel_named(arguments[2]);
  const int threads = atoi(arguments[3]);
  const struct output output = kernel->prepare();
  if (strcmp(arguments[1], "time") == 0 && count == 5) print_time(kernel, threads, atof(arguments[4]));
  else if (strcmp(arguments[1], "result") == 0) write_result(kernel, threads, output);
  else return 1;
  return 0;
}
