// Every way to break Colloquy on purpose still fits the code (`npm run mutate` says whether the tests notice).
import { astray, mutations } from "../mutations.mjs";
import { report } from "./report.mjs";

report(astray(), `${mutations.length} mutations, all of lines that are there`);
