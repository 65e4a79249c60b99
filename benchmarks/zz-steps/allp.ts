import { stats } from "fuseau";
import * as a from "./ua.ts"; import * as b from "./ub.ts"; import * as c from "./uc.ts"; import * as d from "./ud.ts"; import * as e from "./ue.ts"; import * as f from "./uf.ts"; import * as g from "./ug.ts";
const all: any = {}; for (const m of [a, b, c, d, e, f, g]) Object.assign(all, (m as any).progs);
const name = process.argv[2];
if (name === undefined) console.log(Object.keys(all).join(" "));
else {
  const step = all[name](); const t: number[] = []; let misses = 0; const n = 40; const t0 = performance.now();
  for (let i = 0; i < n && performance.now() - t0 < 20000; i++) { if (i === n - 10) misses = stats().programs.misses; const s = performance.now(); const r = step(i); if (r instanceof Promise) await r; t.push(performance.now() - s); }
  const late = t.slice(-12).sort((x, y) => x - y); const sum = (k: number) => t.slice(0, k).reduce((x, y) => x + y, 0);
  console.log(JSON.stringify({ name, first: t[0], second: t[1], ten: sum(10), all: sum(n), worst: Math.max(...t.slice(2)), steady: late[6], missing: stats().programs.misses - misses, programs: stats().programs.misses }));
}
