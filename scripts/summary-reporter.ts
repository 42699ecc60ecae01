import { writeFileSync } from "node:fs";
import { DefaultReporter } from "vitest/node";
import type { TestModule } from "vitest/node";

/** Vitest's own report, and a last line that people and machines can read. `npm test` prints it itself, when Vitest has nothing more to say. */
export default class SummaryReporter extends DefaultReporter {
  override onTestRunEnd(...args: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    super.onTestRunEnd(...args);
    const [modules, unhandledErrors] = args;
    const line = summary(modules, unhandledErrors.length);
    const file = process.env.COLLOQUY_TEST_SUMMARY;
    if (file === undefined) this.log(line);
    else writeFileSync(file, `${line}\n`);
  }
}

// A file that does not load, a failed hook and an error outside of any test count as failures too: the line must not look green.
function summary(modules: readonly TestModule[], unhandled: number): string {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const count = (state: "passed" | "failed" | "skipped") => tests.filter((test) => test.result().state === state).length;
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  const broken = suites.filter((suite) => suite.errors().length > 0).length;
  const skipped = count("skipped");
  return `${count("passed")} passed, ${count("failed") + broken + unhandled} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
