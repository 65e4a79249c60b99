import * as F from "fuseau";
import { Tensor, randn, arange, tensor, zeros, cat } from "fuseau";
const T:any=F;
function show(name:string, ...o:any[]){ const e:any = o.length===1? o[0].explain(): T.explain(...o); const k=e.kernels as any[]; console.log(name.padEnd(28), k.length, `(${k.map(x=>x.phases).join(",")})`, "interm", e.bytes.intermediate, "peak", e.bytes.peak, JSON.stringify(e.notFused?.slice(0,3)??"").slice(0,260)); }
const x:any=randn([1000,1000]); x.compute(); const X:any = randn([64,32,16,16]); X.compute();
const v:any=randn([1000]).compute();
show("softmax0", T.softmax(x,{dim:0}) ); show("softmax-1", T.softmax(x,{dim:1}));
const x3:any=randn([20,50,300]).compute(); show("softmax mid", T.softmax(x3,{dim:1}));
show("std cols", x.sub(x.mean({dim:0})).div(x.std({dim:0})));
{ const m=X.mean({dim:[0,2,3],keepdim:true}), s=X.var({dim:[0,2,3],keepdim:true,correction:0}); show("bn", X.sub(m).div(s.add(1e-5).sqrt()), m, s); }
show("colmeanvar", x.mean({dim:0}), x.var({dim:0}));
show("wide", (randn([100,20000]).compute() as any).sub(1).softmax?.({dim:1}) ?? x);
{ const q:any=randn([4,8,128,64]).compute(),k:any=randn([4,8,128,64]).compute(),w:any=randn([4,8,128,64]).compute(), mask:any=randn([128,128]).compute();
 show("attention", T.softmax(q.matmul(k.transpose(-1,-2)).mul(0.125).add(mask),{dim:-1}).matmul(w));
 const q2:any=randn([512,64]).compute(),k2:any=randn([512,64]).compute(),w2:any=randn([512,64]).compute();
 show("attention2", T.softmax(q2.matmul(k2.t()).mul(0.125),{dim:-1}).matmul(w2)); }
show("cumsum", x.mul(2).cumsum(1).exp()); show("cumsum0", x.mul(2).cumsum(0).exp());
show("concat out", T.cat([x,x.add(1),x.mul(2)],{dim:1})); show("concat red", T.cat([x,x.add(1),x.mul(2)],{dim:1}).sum({dim:1}));
show("pad", T.pad(x,[1,1,1,1]));
show("sum el", x.div(x.sum())); show("smax", x.sum({dim:1}), x.amax({dim:1}), x.argmax({dim:1}));
show("ln", T.layerNorm(x,[1000],{weight:v,bias:v}));
show("mse", T.mseLoss(x,x.add(1))); show("cos", T.cosineSimilarity(x, x.mul(2).add(1),{dim:1}));
{ const a:any=randn([500,16]).compute(), c:any=randn([10,16]).compute(); show("kmeans", a.unsqueeze(1).sub(c.unsqueeze(0)).square().sum({dim:-1}).argmin({dim:1})); show("mulsum", a.unsqueeze(1).mul(c.unsqueeze(0)).sum({dim:-1}));}
{ const w:any=randn([1000,1000]).compute(); show("mm", T.gelu(x.matmul(w).add(v)).add(x)); }
{ const idx:any=T.randint(0,100,[5000]).compute(); const src:any=randn([5000]).compute(); show("scatterAdd", T.zeros([100]).scatterAdd(0,idx,src.mul(2).exp()));}
{ const s:any=randn([100,100]).compute(); const y=s.clone(); const inner=(t:any)=>t.slice? t:t; 
  try { const n=T.narrow; const c=n(n(s,0,1,98),1,1,98); const r=n(n(s,0,0,98),1,1,98).add(n(n(s,0,2,98),1,1,98)).add(n(n(s,1,0,98),0,1,98)).add(n(n(s,1,2,98),0,1,98)).mul(0.25); const z=s; n(n(z,0,1,98),1,1,98).copy_(r); show("stencil", z);
   for(let i=0;i<9;i++){ const r=n(n(s,0,0,98),1,1,98).add(n(n(s,0,2,98),1,1,98)).add(n(n(s,1,0,98),0,1,98)).add(n(n(s,1,2,98),0,1,98)).mul(0.25); n(n(z,0,1,98),1,1,98).copy_(r);} show("stencil10", z);} catch(e){console.log(String(e).slice(0,200));}
}
