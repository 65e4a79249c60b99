import { Session } from "node:inspector/promises"; import { writeFileSync } from "node:fs";
import { progs } from "./ub.ts";
const [, , name, at] = process.argv;
async function prof(f: () => void) { const s = new Session(); s.connect(); await s.post("Profiler.enable"); await s.post("Profiler.setSamplingInterval", { interval: 200 }); await s.post("Profiler.start"); f(); const r: any = await s.post("Profiler.stop"); writeFileSync("/tmp/fc/p.cpuprofile", JSON.stringify(r.profile)); }
const t0 = performance.now(); const step = (progs as any)[name!](); const times: string[] = [];
console.log("setup", (performance.now() - t0).toFixed(0));
const many = +(process.argv[4] ?? 8);
for (let i = 0; i < many; i++) { (globalThis as any).__sw?.push("step " + i); const s = performance.now(); if (i === +(at ?? -1)) await prof(() => step(i)); else step(i); times.push((performance.now() - s).toFixed(0)); }
console.log(name, times.join(" "));
if ((globalThis as any).__sw) console.log((globalThis as any).__sw.join("\n"));
