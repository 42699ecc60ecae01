// Every mutation still matches the code (`npm run mutate` says whether the tests notice it).
import { astray, mutations } from "../mutations.mjs";
import { report } from "./report.mjs";

report(astray(), `${mutations.length} mutations, all of lines that are there`);
