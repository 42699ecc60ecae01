/**
 * Property tests start at a fixed seed, so that `npm test` doesn't depend on chance. To search for new failures: COLLOQUY_SEED=random
 * COLLOQUY_RUNS=50000 vitest run property
 */
import fc from "fast-check";

const seed = process.env["COLLOQUY_SEED"] ?? "20261116";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });
