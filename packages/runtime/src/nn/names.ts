/** `runningMean` becomes `running_mean`: names in state dicts are PyTorch's, so that weights can be exchanged in both directions. */
export const stateName = (name: string): string =>
  name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
