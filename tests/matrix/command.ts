/** Programs of other hosts, run to their end or until their time is up. */
import { spawn } from "node:child_process";
import { createServer } from "node:net";

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is stopped, which is a failure: programs end by themselves. */
  readonly limit?: number;
}

/** What it printed. @throws Error with what it said, when it fails or does not end. */
export async function command(
  file: string,
  args: readonly string[],
  { cwd, env, limit = 120_000 }: CommandOptions,
): Promise<string> {
  const child = spawn(file, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  let printed = "";
  child.stdout.on("data", (data) => {
    printed += data;
    output += data;
  });
  child.stderr.on("data", (data) => {
    output += data;
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop(child.pid);
  }, limit);
  const code = await new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      output += String(error);
      resolve(null);
    });
    child.on("close", resolve);
  });
  clearTimeout(timer);
  if (late) throw new Error(`did not end within ${limit / 1000} s\n${tail(output)}`);
  if (code !== 0) throw new Error(`ended with ${code}\n${tail(output)}`);
  return printed;
}

/** A program that serves until `stop` is called. */
export function serve(file: string, args: readonly string[], { cwd, env }: CommandOptions) {
  const child = spawn(file, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      output += data;
    });
  return { stop: () => stop(child.pid), output: () => tail(output) };
}

/** Resolves when a server answers. @throws Error when it does not. */
export async function answer(url: string, output: () => string): Promise<Response> {
  for (let tries = 0; tries < 600; tries++) {
    try {
      return await fetch(url);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`${url} does not answer\n${output()}`);
}

/** A port that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** With its children: hosts start more processes than one. */
function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Ours, without what npm and tsx have put there. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|TSX|INIT_CWD)/i.test(name));
  return { ...Object.fromEntries(kept), NODE_ENV: undefined, CI: "1", NO_COLOR: "1" } as NodeJS.ProcessEnv;
}

const tail = (text: string): string => text.trim().split("\n").slice(-25).join("\n").slice(-3000);
