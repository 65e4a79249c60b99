let times = 0;

/** Loads a module another time, for what it decides when it is loaded; what it imports is loaded once, as ever. */
export const loadAgain = (file: string, from: string) =>
  import(`${new URL(file, from).href}?again=${times++}`);
