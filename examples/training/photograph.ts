/** A photograph as a function of place, by a perceptron over sines and cosines of the coordinates: the mandrill of `baboon-image`. */
import { readFileSync, writeFileSync } from "node:fs";
import {
  type AnyTensor,
  arange,
  concat,
  fromTypedArray,
  Generator,
  mseLoss,
  randn,
  stack,
  type Tensor,
} from "fuseau";
import { DataLoader, TensorDataset } from "fuseau/data";
import { buffer, Linear, Module } from "fuseau/nn";
import { Adam } from "fuseau/optim";
import { PNG } from "pngjs";
import { type Outcome, train } from "../shared/train.ts";

/** Waves whose directions and lengths are drawn once. */
const WAVES = 64;

type Coordinates = Tensor<[number, 2], "float32">;
type Colours = Tensor<[number, 3], "float32">;

class Field extends Module {
  readonly waves: Tensor<[2, typeof WAVES], "float32">;
  readonly first: Linear<128, 96>;
  readonly second: Linear<96, 96>;
  readonly third: Linear<96, 3>;

  constructor(generator: Generator) {
    super();
    // Of about six waves across the picture: fewer blur it, more make noise of it.
    this.waves = buffer(
      randn([2, WAVES], { generator })
        .mul(2 * Math.PI * 6)
        .compute(),
    );
    this.first = new Linear(128, 96, { generator });
    this.second = new Linear(96, 96, { generator });
    this.third = new Linear(96, 3, { generator });
  }

  /** Red, green and blue from 0 to 1, at places from 0 to 1. */
  forward(places: Coordinates): Colours {
    const phases = places.matmul(this.waves);
    const hidden = this.first.forward(concat([phases.sin(), phases.cos()], 1)).relu();
    return this.third.forward(this.second.forward(hidden).relu()).sigmoid();
  }
}

interface Photograph {
  /** Pixels on each side. */
  readonly size: number;
  readonly colours: Colours;
}

/** The photograph has 512 by 512 pixels; here one is the mean of 4 by 4, or with `quick` of 16 by 16. */
function loadPhotograph(quick: boolean): Photograph {
  const { width, height, data } = PNG.sync.read(
    readFileSync(new URL("baboon.png", import.meta.resolve("baboon-image"))),
  );
  const block = quick ? 16 : 4;
  const size = width / block;
  const pixels: AnyTensor = fromTypedArray(new Uint8Array(data), { shape: [height, width, 4] });
  const colours = pixels
    .slice(":", ":", [0, 3])
    .to("float32")
    .div(255)
    .reshape([size, block, size, block, 3])
    .mean([1, 3])
    .reshape([-1, 3])
    .compute();
  return { size, colours };
}

/** The middles of all pixels, row by row. */
function placesOf(size: number): Coordinates {
  const middles = arange(size).add(0.5).div(size);
  const rows = middles.unsqueeze(1).expand([size, size]).flatten();
  const columns = middles.expand([size, size]).flatten();
  return stack([rows, columns], 1).compute();
}

export function photograph(quick: boolean, folder: string): Promise<Outcome> {
  const { size, colours } = loadPhotograph(quick);
  const places = placesOf(size);
  const generator = new Generator(7);
  return train(
    {
      name: "photograph",
      make: () => new Field(generator),
      optimizer: (model) => new Adam(model.parameters(), { lr: 3e-3 }),
      epochs: quick ? 4 : 80,
      batches: new DataLoader(new TensorDataset(places, colours), {
        batchSize: quick ? 256 : 1024,
        shuffle: true,
        generator,
      }),
      loss: (model, [x, y]) => mseLoss(model.forward(x), y),
      predict: (model) => model.forward(places),
      judge: (model, folder) => {
        const learned = model.forward(places);
        const error = Number(mseLoss(learned, colours).item());
        const file = `${folder}photograph.png`;
        writeFileSync(file, sideBySide(size, colours, learned));
        return [
          `${size} by ${size} pixels, PSNR ${(-10 * Math.log10(error)).toFixed(2)} dB; photograph.png has it beside the original`,
        ];
      },
    },
    folder,
  );
}

function sideBySide(size: number, ...pictures: readonly Colours[]): Buffer {
  const opaque = pictures.map((picture) =>
    concat([picture, picture.select(1, 0).mul(0).add(1).unsqueeze(1)], 1),
  );
  const rows: AnyTensor = concat(
    opaque.map((picture): AnyTensor => picture.reshape([size, size, 4])),
    1,
  );
  const bytes = rows.mul(255).round().clamp(0, 255).to("uint8").toTypedArray();
  const png = new PNG({ width: size * pictures.length, height: size });
  png.data = Buffer.from(bytes.buffer);
  return PNG.sync.write(png);
}
