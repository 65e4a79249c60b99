/** `runningMean` as `running_mean`: names in state dicts are PyTorch's, so that weights can be exchanged both ways. */
export const stateName = (name: string): string =>
  name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
