// A server as a process of its own, to be killed. Its arguments: the folder, and the port.
import { serve } from "../src/serve.ts";

const [dir = "", port = "0"] = process.argv.slice(2);
try {
  const serving = await serve({
    dirs: [dir],
    port: Number(port),
    version: "test",
    report: (message) => process.stderr.write(`${message}\n`),
  });
  process.stdout.write(`${JSON.stringify({ url: serving.url })}\n`);
  process.on("SIGTERM", () => void serving.close().then(() => process.exit(0)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
