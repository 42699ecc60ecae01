import { defineConfig } from "vitest/config";

/** The command line with a server in between: those of its tests that work with a project. */
const overServer = "packages/cli/test/{chat,conversations,costs,dialogs,driving,messages,questions,served,trees,watch,copies/*}.test.ts";

/** Tests that need a PostgreSQL server; one is started for them. */
const onPostgres = ["packages/store-postgres/test/**/*.test.ts", "packages/*/test/postgres/**/*.test.ts"];

export default defineConfig({
  test: {
    exclude: ["**/node_modules/**", "**/fixtures/**"],
    // Tests make their folders themselves; those of trust take this back.
    env: { COLLOQUY_TRUST: "1" },
    globalSetup: ["./scripts/test-folder.ts"],
    setupFiles: ["./scripts/fixed-seed.ts"],
    reporters: ["./scripts/summary-reporter.ts"],
    // The only ceilings. What is waited for comes at once; on a machine with other work, after a while.
    testTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 5_000,
    // Processes rather than threads: tests kill, change folder and sync files. Two of them fill the smallest machine.
    pool: "forks",
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: onPostgres,
        },
      },
      { extends: true, test: { name: "PostgreSQL", include: onPostgres, globalSetup: ["./scripts/test-postgres.ts"] } },
      { extends: true, test: { name: "over a server", include: [overServer], env: { COLLOQUY_TEST_OVER: "server" } } },
    ],
  },
});
