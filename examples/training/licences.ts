/** The text of licences, character by character, by a small transformer. The text is Rollup's LICENSE.md, which has those of what it bundles. */
import { readFileSync } from "node:fs";
import {
  type AnyTensor,
  crossEntropy,
  fromTypedArray,
  Generator,
  multinomial,
  noGrad,
  randn,
  scaledDotProductAttention,
  type Tensor,
} from "fuseau";
import { type BatchedDataset, DataLoader, RandomSampler } from "fuseau/data";
import {
  Embedding,
  type FloatDType,
  LayerNorm,
  Linear,
  Module,
  ModuleList,
  type Parameter,
  parameter,
} from "fuseau/nn";
import { AdamW } from "fuseau/optim";
import { type Outcome, train } from "../shared/train.ts";

/** Characters that are seen at once. */
const CONTEXT = 64;
const WIDTH = 64;
const HEADS = 4;
const BLOCKS = 2;

type Codes = Tensor<[number, typeof CONTEXT], "int64">;

/** What is known of each place. */
type Hidden = Tensor<[number, typeof CONTEXT, typeof WIDTH], FloatDType>;

/** Attention to what came before, and a perceptron for each place; both add to what they read. */
class Block extends Module {
  readonly first = new LayerNorm(WIDTH);
  readonly asked: Linear<64, 192>;
  readonly answered: Linear<64, 64>;
  readonly second = new LayerNorm(WIDTH);
  readonly wider: Linear<64, 256>;
  readonly narrower: Linear<256, 64>;

  constructor(generator: Generator) {
    super();
    this.asked = new Linear(64, 192, { generator });
    this.answered = new Linear(64, 64, { generator });
    this.wider = new Linear(64, 256, { generator });
    this.narrower = new Linear(256, 64, { generator });
  }

  forward(x: Hidden): Hidden {
    const attended = x.add(this.attention(this.first.forward(x)));
    const wide = this.wider.forward(this.second.forward(attended)).gelu();
    return attended.add(this.narrower.forward(wide));
  }

  private attention(x: Hidden): Hidden {
    const parts = this.asked.forward(x).reshape([-1, CONTEXT, 3, HEADS, 16]);
    const [query, key, value] = parts.permute([2, 0, 3, 1, 4]).unbind(0);
    const mixed = scaledDotProductAttention(query, key, value, { isCausal: true });
    return this.answered.forward(mixed.transpose(1, 2).reshape([-1, CONTEXT, WIDTH]));
  }
}

class CharacterModel extends Module {
  readonly codes: Embedding<64>;
  readonly places: Parameter<[64, 64]>;
  readonly blocks: ModuleList<Block>;
  readonly last = new LayerNorm(WIDTH);
  readonly scores: Linear<64, number>;

  constructor(characters: number, generator: Generator) {
    super();
    this.codes = new Embedding(characters, WIDTH, { generator });
    this.places = parameter(randn([CONTEXT, WIDTH], { generator }).mul(0.3).compute());
    this.blocks = new ModuleList(Array.from({ length: BLOCKS }, () => new Block(generator)));
    this.scores = new Linear(WIDTH, characters, { generator });
  }

  /** Scores of the next character at each place: [batch, CONTEXT, characters]. */
  forward(codes: Codes): Tensor<[number, typeof CONTEXT, number], FloatDType> {
    let x: Hidden = this.codes.forward(codes).add(this.places);
    for (const block of this.blocks) x = block.forward(x);
    return this.scores.forward(this.last.forward(x));
  }
}

/** The characters that there are, and the text as their numbers. */
function loadText(): { readonly alphabet: readonly string[]; readonly codes: BigInt64Array } {
  const text = readFileSync(new URL("LICENSE.md", import.meta.resolve("rollup/package.json")), "utf8");
  const alphabet = [...new Set(text)].sort();
  const numbers = new Map(alphabet.map((character, k) => [character, BigInt(k)]));
  return { alphabet, codes: BigInt64Array.from([...text], (character) => numbers.get(character)!) };
}

/** Every stretch of CONTEXT characters, and the same one character later; cut out when it is asked for. */
class Stretches implements BatchedDataset<[Codes, Codes], [Codes, Codes]> {
  readonly #codes: BigInt64Array;
  readonly length: number;

  constructor(codes: BigInt64Array) {
    this.#codes = codes;
    this.length = codes.length - CONTEXT;
  }

  at(index: number): [Codes, Codes] {
    return this.batchAt([index]);
  }

  batchAt(indexes: readonly number[]): [Codes, Codes] {
    const cut = (shift: number): Codes => {
      const rows = new BigInt64Array(indexes.length * CONTEXT);
      for (const [k, index] of indexes.entries())
        rows.set(this.#codes.subarray(index + shift, index + shift + CONTEXT), k * CONTEXT);
      return fromTypedArray(rows, { shape: [indexes.length, CONTEXT] });
    };
    return [cut(0), cut(1)];
  }
}

/** What the model writes after the text begins so; the last CONTEXT characters are what it sees. */
function written(model: CharacterModel, start: BigInt64Array, count: number, generator: Generator): bigint[] {
  const codes = [...start];
  for (let k = 0; k < count; k++) {
    const seen: Codes = fromTypedArray(BigInt64Array.from(codes.slice(-CONTEXT)), { shape: [1, CONTEXT] });
    const scores = model.forward(seen).select(1, CONTEXT - 1);
    const [next] = multinomial(scores.div(0.7).softmax(1), 1, { generator }).flatten().toTypedArray();
    codes.push(BigInt(next!));
  }
  return codes.slice(start.length);
}

export function licences(quick: boolean, folder: string): Promise<Outcome> {
  const { alphabet, codes } = loadText();
  // The last tenth is not learned.
  const end = Math.floor(codes.length * 0.9);
  const training = new Stretches(codes.subarray(0, end));
  const testing = new Stretches(codes.subarray(end));
  const generator = new Generator(5);
  const lossOf = (model: CharacterModel, x: Codes, y: Codes): AnyTensor =>
    crossEntropy(model.forward(x).flatten(0, 1), y.flatten());
  const [seen, next] = testing.batchAt(Array.from({ length: quick ? 20 : 50 }, (_, k) => k * CONTEXT));
  return train(
    {
      name: "licences",
      make: () => new CharacterModel(alphabet.length, generator),
      optimizer: (model) => new AdamW(model.parameters()),
      // Rises for a twentieth of the steps, and falls along half a cosine.
      rate: (done) => 3e-3 * Math.min(1, 20 * done + 0.01) * ((1 + Math.cos(Math.PI * done)) / 2),
      epochs: 1,
      batches: new DataLoader(training, {
        batchSize: 16,
        sampler: new RandomSampler(training, { numSamples: 16 * (quick ? 10 : 800), generator }),
      }),
      loss: (model, [x, y]) => lossOf(model, x, y),
      predict: (model) => model.forward(seen),
      judge: (model) => {
        const bits = Number(lossOf(model, seen, next).item()) / Math.LN2;
        const start = codes.subarray(0, CONTEXT);
        const text = noGrad(() => written(model, start, quick ? 20 : 300, new Generator(6)));
        return [
          `${bits.toFixed(2)} bits for each character of text that it has not seen (${Math.log2(alphabet.length).toFixed(2)} for one of ${alphabet.length} at random; much of it is the MIT licence again)`,
          `it writes: ${JSON.stringify(text.map((code) => alphabet[Number(code)]).join(""))}`,
        ];
      },
    },
    folder,
  );
}
