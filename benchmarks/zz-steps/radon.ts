// Radon transform (30 angles by affineGrid + gridSample) and back projection of a 48x48 image.
// First call 1.7-2 s (the first program of a process is compiled whole), the 5th or 6th stalls again for 0.9 s; PyTorch 25 ms / 5 ms
import { affineGrid, arange, gridSample, stack, tensor, zeros, setOptions, type Tensor } from "fuseau";
if (process.argv[2] === "none") setOptions({ fusion: "none" });
if (process.argv[2] === "tiny") for (let i = 1; i < 4; i++) tensor([i, 2]).add(1).sum().item();
const N = 48, A = 30;
const img = zeros([N, N]); img.slice([12, 30], [16, 36]).fill_(1);
const ts: number[] = [];
for (let k = 0; k < 12; k++) {
  const t0 = performance.now();
  const rows: Tensor[] = []; const im = img.mul(1.05 + k * 0.1).reshape([1, 1, N, N]);
  for (let a = 0; a < A; a++) {
    const c = Math.cos((a * Math.PI) / A), s = Math.sin((a * Math.PI) / A);
    const grid = affineGrid(tensor([[[c, -s, 0], [s, c, 0]]]), [1, 1, N, N], { alignCorners: false });
    rows.push(gridSample(im, grid, { alignCorners: false }).sum([0, 1, 2]));
  }
  const sino = stack(rows, 0);
  const xs = arange(N).float().sub((N - 1) / 2);
  let rec: Tensor = zeros([N, N]);
  for (let a = 0; a < A; a++) {
    const th = (a * Math.PI) / A;
    const t = xs.unsqueeze(0).mul(Math.cos(th)).add(xs.unsqueeze(1).mul(Math.sin(th))).add((N - 1) / 2).clamp(0, N - 1.001);
    const i = t.floor().long(), f = t.sub(t.floor()); const row = sino.select(0, a);
    rec = rec.add(row.index([i]).mul(f.neg().add(1)).add(row.index([i.add(1)]).mul(f)));
  }
  rec.mul(Math.PI / A).sum().item(); rec.select(0, 20).toArray();
  ts.push(Math.round(performance.now() - t0));
}
console.log(process.argv[2] ?? "on", ts.join(" "));
