import { defineConfig } from "vitest/config";

/** The command line with a server in between: those of its tests that work with a project. */
const overServer = "packages/cli/test/{chat,conversations,costs,dialogs,driving,messages,questions,served,trees,watch}.test.ts";

export default defineConfig({
  test: {
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    // Tests make their folders themselves; those of trust take this back.
    env: { COLLOQUY_TRUST: "1" },
    globalSetup: ["./scripts/test-folder.ts"],
    setupFiles: ["./scripts/fixed-seed.ts"],
    reporters: ["./scripts/summary-reporter.ts"],
    // What is waited for comes at once; on a machine with other work, after a while.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    // Processes rather than threads: tests kill, change folder and sync files. Two of them fill the smallest machine.
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: "all", include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"] },
      },
      { extends: true, test: { name: "over a server", include: [overServer], env: { COLLOQUY_TEST_OVER: "server" } } },
    ],
  },
});
