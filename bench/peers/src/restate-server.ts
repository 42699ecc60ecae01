import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./postgres.ts";

export interface OwnRestate {
  readonly ingress: string;
  readonly admin: string;
  stop(): Promise<void>;
}

/** Restate's server from its npm package, on loopback, with the settings it comes with; more invocations may wait at once than the default thousand. */
export async function startRestate(dir: string): Promise<OwnRestate | string> {
  const name = `restate-server-${process.platform}-${process.arch}`;
  const program = fileURLToPath(new URL(`../node_modules/@restatedev/${name}/bin/restate-server`, import.meta.url));
  if (!existsSync(program)) return `Restate brings no server for ${process.platform}-${process.arch}`;
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const server = spawn(program, ["--base-dir", join(dir, "restate"), "--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1"], {
    env: {
      ...process.env,
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "warn",
      RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "10000",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const keep = (text: string) => (log = (log + text).slice(-4_000));
  server.stdout.setEncoding("utf8").on("data", keep);
  server.stderr.setEncoding("utf8").on("data", keep);
  let isOver = false;
  const exited = new Promise<void>((resolve) =>
    server.once("exit", () => {
      isOver = true;
      resolve();
    }),
  );
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const isReady = (address: string) =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false, // not listening yet
    );
  for (let tries = 0; !(await isReady(`${at(admin)}/health`)) || !(await isReady(`${at(ingress)}/restate/health`)); tries++) {
    if (isOver || tries > 300) return `Restate's server did not start:\n${log}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    ingress: at(ingress),
    admin: at(admin),
    async stop() {
      server.kill("SIGKILL"); // its data is discarded
      await exited;
    },
  };
}
