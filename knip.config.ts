import type { KnipConfig } from "knip";
import root from "./package.json" with { type: "json" };
import a2a from "./packages/a2a/package.json" with { type: "json" };
import acp from "./packages/acp/package.json" with { type: "json" };
import cli from "./packages/cli/package.json" with { type: "json" };
import mcpServer from "./packages/mcp-server/package.json" with { type: "json" };
import server from "./packages/server/package.json" with { type: "json" };

const ours = ["src/**/*.worker.ts", "{src,test}/**/*.test.ts"];

const config: KnipConfig = {
  workspaces: {
    ".": {
      entry: ["scripts/{,check/}*.{mjs,ts}"],
      project: ["scripts/**", "*.ts"],
      // The root publishes or bundles what its packages use (scripts/check/lock.mjs compares), and scripts/check.mjs starts the linter.
      ignoreDependencies: [
        ...Object.keys({
          ...root.dependencies,
          ...root.peerDependencies,
          ...cli.dependencies,
          ...server.dependencies,
          ...mcpServer.dependencies,
          ...a2a.dependencies,
          ...acp.dependencies,
        }),
        "oxlint",
        "oxlint-tsgolint",
      ],
    },
    "packages/mcp": { entry: [...ours, "test/fixtures/*.mjs"], project: ["{src,test,bin}/**"] },
    "packages/cli": { entry: [...ours, "test/faults/main.ts", "test/faults/clock-shift.mjs"], project: ["{src,test,bin}/**"] },
    "packages/colloquy": { entry: [...ours, "src/supported-node.ts"], project: ["{src,test,bin}/**"] },
    "packages/*": { entry: ours, project: ["{src,test,bin}/**"] },
    bench: { entry: ["src/*.ts"], project: ["src/**"] },
  },
  ignore: ["**/fixtures/**"],
  // Which of our packages may import which is for scripts/check/direction.mjs to say.
  ignoreDependencies: ["@colloquy/.*"],
  // Of the system, used by tests and set-up where they are there.
  ignoreBinaries: ["mkfifo", "flock", "apt-get", "mount", "umount", "perl", "script"],
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
