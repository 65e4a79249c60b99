import { fromTypedArray } from "fuseau";
import { randomBytes } from "../measure/inputs.ts";
import { loopVariant, loopVariants } from "../measure/variants.ts";
import { imageLoops, lookedUp } from "./loops/image.ts";
import { type ExpressionCase, prepared } from "./prepared.ts";

const HEIGHT = 1_080;
const WIDTH = 1_920;
const CHANNELS = 3;
/** What ImageNet's models are fed with. */
const MEAN = Float32Array.of(0.485, 0.456, 0.406);
const DEVIATION = Float32Array.of(0.229, 0.224, 0.225);

export const image: ExpressionCase = {
  name: "image",
  title: "(x/255 - mean)/std of a 1080p image, uint8 height×width×3 to float32 3×height×width",
  about:
    "The table of 256 results per channel does other arithmetic, so it is shown but not counted as the best loop.",
  agreement: "bits",
  prepare() {
    const bytes = randomBytes(HEIGHT * WIDTH * CHANNELS, 1);
    const x = fromTypedArray(bytes, { shape: [HEIGHT, WIDTH, CHANNELS] });
    const mean = fromTypedArray(MEAN, { shape: [CHANNELS, 1, 1] });
    const deviation = fromTypedArray(DEVIATION, { shape: [CHANNELS, 1, 1] });
    const out = new Float32Array(bytes.length);
    const args = [bytes, MEAN, DEVIATION, out] as const;
    return prepared(
      () => x.permute([2, 0, 1]).div(255).sub(mean).div(deviation),
      [...loopVariants(imageLoops, args), loopVariant("table of 256 results", lookedUp, args, "other")],
    );
  },
};
