/** One of Node's built-in modules, without an import that bundlers for pages would fail at. Node has this from 20.16 on. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name);
}
