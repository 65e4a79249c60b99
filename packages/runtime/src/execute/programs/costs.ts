/** Estimates by which it is decided what is compiled, and when. */

/** Nanoseconds to compile a node, most of it in functions that V8 runs for the first times. */
export const NODE_COMPILED = 600_000;

/** The most nodes of a short recording: it is compiled in a moment. */
export const SHORT = 50;
