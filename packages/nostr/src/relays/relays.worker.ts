// Reads and writes relays, and verifies signatures, beside the thread that commits.
import { parentPort, workerData } from "node:worker_threads";
import { RelayPool } from "./relay-pool.ts";
import { Signer } from "../signer.ts";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.ts";

const pool = new RelayPool(workerData as ThreadData, await Signer.load(), (message: FromThread) => parentPort?.postMessage(message));
parentPort?.on("message", (message: ToThread) => {
  pool.hear(message);
  // Its own thread: nothing else runs here.
  if (message.type === "close") parentPort?.close();
});
pool.start();
