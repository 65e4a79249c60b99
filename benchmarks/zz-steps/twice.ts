import * as f from "fuseau"; const A: any = f;
const second: any = ({ slice: (p: any) => p.slice([0, 32]).toArray(), all: (p: any) => p.toArray(), max: (p: any) => p.amax().item(), half: (p:any)=>p.slice([0,700]).sum().item() } as any)[process.argv[2]!];
function run(name: string, mk: (k: number) => any, rounds = 6) {
  let line = name.padEnd(14);
  for (let k = 0; k < rounds; k++) {
    const before = A.stats().work ?? 0;
    const p = mk(k);
    const e0 = A.stats(); const s = p.sum().item();
    const e1 = A.stats(); second(p); const e2 = A.stats();
    line += ` ${(globalThis as any).__ex?.splice(0).join("+") ?? ""}`;
  }
  console.log(line);
}
run("plain", (k) => { let x = A.arange(1024).div(1000); for (let i = 0; i < 10; i++) x = x.sin().mul(1.1 + k * .01).add(x); return x.square(); });
run("write", (k) => { let x = A.zeros([1024]); x.select(0, 0).fill_(1); for (let i = 0; i < 10; i++) x = x.sin().mul(1.1 + k * .01).add(x); return x.square(); });
run("stack", (k) => { let x = A.arange(1024).div(1000); for (let i = 0; i < 10; i++) { const r = x.reshape([1 << i, 2, 1 << (9 - i)]); const a = r.select(1, 0), b = r.select(1, 1); const c = Math.cos(.3 * i + .1 * k); x = A.stack([a.mul(c).add(b), a.sub(b.mul(c))], 1).reshape([1024]); } return x.square(); });
run("two", (k) => { let x = A.arange(1024).div(1000), y = A.zeros([1024]); for (let i = 0; i < 10; i++) { const r = x.reshape([1 << i, 2, 1 << (9 - i)]), q = y.reshape([1 << i, 2, 1 << (9 - i)]); const a = r.select(1, 0), b = q.select(1, 1); const c = Math.cos(.3 * i + .1 * k); x = A.stack([a.mul(c).add(b), a.sub(b.mul(c))], 1).reshape([1024]); y = A.stack([b.mul(c).add(a), b.sub(a.mul(c))], 1).reshape([1024]); } return x.square().add(y.square()); });
