/** Every peer, or why it is missing. */
import { installPeers } from "./install.ts";
import { loadJax } from "./jax.ts";
import type { MissingPeer, PeerLibrary } from "./library.ts";
import { loadNumpy } from "./numpy.ts";
import { loadTensorflow } from "./tensorflow.ts";

const loaders: readonly { readonly name: string; readonly load: () => Promise<PeerLibrary> }[] = [
  { name: "jax-js jit, wasm", load: loadJax },
  { name: "tfjs wasm", load: () => loadTensorflow("wasm") },
  { name: "tfjs cpu", load: () => loadTensorflow("cpu") },
  { name: "numpy-ts", load: loadNumpy },
];

export async function loadPeers(): Promise<readonly (PeerLibrary | MissingPeer)[]> {
  const failure = await installPeers();
  const peers: (PeerLibrary | MissingPeer)[] = [];
  for (const { name, load } of loaders) {
    try {
      peers.push(await load());
    } catch (error) {
      const message = error instanceof Error ? error.message.split("\n")[0] : String(error);
      peers.push({
        name,
        reason: failure === null ? `does not load: ${message}` : `not installed: ${failure}`,
      });
    }
  }
  return peers;
}

export const withoutPeers = (): readonly MissingPeer[] =>
  loaders.map(({ name }) => ({ name, reason: "left out by --no-peers" }));
