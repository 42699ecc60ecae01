import { type NostrEvent, Refused } from "@colloquy/schema";
import type { Nostr } from "nostr-wasm/gzipped";

/** What is signed: an event without its id, author and signature. */
export type Unsigned = Pick<NostrEvent, "kind" | "created_at" | "tags" | "content">;

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));

/** Signs and verifies. Loading it takes a moment. */
export class Signer {
  readonly #nostr: Nostr;

  private constructor(nostr: Nostr) {
    this.#nostr = nostr;
  }

  /** Throws `Refused` if the package that signs is not installed. */
  static async load(): Promise<Signer> {
    const { initNostrWasm } = await import("nostr-wasm/gzipped").catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
      throw new Refused({ code: "bad_config", message: "Nostr needs the package nostr-wasm. Install it: npm install nostr-wasm" });
    });
    return new Signer(await initNostrWasm());
  }

  /** A new secret key, as 64 hex digits. */
  newKey(): string {
    return Buffer.from(this.#nostr.generateSecretKey()).toString("hex");
  }

  publicKey(secret: string): string {
    return Buffer.from(this.#nostr.getPublicKey(bytesOf(secret))).toString("hex");
  }

  sign({ kind, created_at, tags, content }: Unsigned, secret: string): NostrEvent {
    const event = { id: "", pubkey: "", sig: "", kind, created_at, tags: tags.map((tag) => [...tag]), content: content.toWellFormed() };
    this.#nostr.finalizeEvent(event, bytesOf(secret));
    return event;
  }

  /** Does the id fit the content, and the signature the id? */
  isGenuine(event: NostrEvent): boolean {
    try {
      this.#nostr.verifyEvent(event);
      return true;
    } catch {
      return false; // it says why, which nobody can act on
    }
  }
}
