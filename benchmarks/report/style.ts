/** The page's look; colours by role, in light and dark. */
export const style = `
:root { color-scheme: light dark; --fused: #1f6feb; --eager: #d1762a; --hand: #2e9e6b; --other: #8b949e; --peer: #8957e5; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h3 { margin: 2rem 0 0; font-size: 1rem; }
p { margin: .2rem 0 .6rem; }
small, p { color: color-mix(in srgb, currentColor 70%, transparent); }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .15rem .8rem .15rem 0; font-weight: normal; }
td:first-child { width: 16rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: 6rem; }
.bars { width: 50%; }
.bar { height: .9rem; min-width: 2px; border-radius: 2px; background: var(--other); }
.bar.fused { background: var(--fused); } .bar.eager { background: var(--eager); } .bar.hand { background: var(--hand); }
.bar.peer { background: var(--peer); }
.bar.cut { mask-image: linear-gradient(to right, black 80%, transparent); }
.missed { color: #d1242f; font-weight: bold; }
pre { white-space: pre-wrap; }
`;
