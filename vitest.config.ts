import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    reporters: ["./scripts/summary-reporter.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    // Processes rather than threads: tests kill, change folder and sync files. Two of them fill the smallest machine.
    pool: "forks",
    maxWorkers: 2,
  },
});
