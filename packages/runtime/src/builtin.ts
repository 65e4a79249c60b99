/** One of Node's own modules, without an import that a bundler for pages would stumble over. Node has this from 20.16 on. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name);
}
