const LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_WORDS = 6;
const KEY_BYTES = 32;

type Prefix = "npub" | "nsec";

/** A public key as Nostr shows it to people (NIP-19). `hex`: 64 digits. */
export const npubOf = (hex: string): string => encoded("npub", hex);
export const nsecOf = (hex: string): string => encoded("nsec", hex);

/** The 64 digits of a public key that a person wrote as `npub1…` or in hex. Undefined for everything else. */
export const publicKeyIn = (text: string): string | undefined => keyIn("npub", text);
/** The same for a secret key, `nsec1…` or hex. */
export const secretKeyIn = (text: string): string | undefined => keyIn("nsec", text);

const keyIn = (prefix: Prefix, text: string): string | undefined => (/^[0-9a-f]{64}$/.test(text) ? text : decoded(prefix, text));

function encoded(prefix: Prefix, hex: string): string {
  const bytes = (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const words = regrouped(bytes, 8, 5);
  const sum = checksum([...expanded(prefix), ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const tail = Array.from({ length: CHECKSUM_WORDS }, (_, nth) => (sum >> (5 * (5 - nth))) & 31);
  return `${prefix}1${[...words, ...tail].map((word) => LETTERS[word]).join("")}`;
}

function decoded(prefix: Prefix, text: string): string | undefined {
  if (!text.startsWith(`${prefix}1`)) return undefined;
  const words = Array.from(text.slice(prefix.length + 1), (letter) => LETTERS.indexOf(letter));
  if (words.includes(-1) || checksum([...expanded(prefix), ...words]) !== 1) return undefined;
  const bytes = regrouped(words.slice(0, -CHECKSUM_WORDS), 5, 8).slice(0, KEY_BYTES);
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  // Only one text stands for a key.
  return bytes.length === KEY_BYTES && encoded(prefix, hex) === text ? hex : undefined;
}

const expanded = (prefix: Prefix): readonly number[] => {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
};

/** Bech32's checksum (BIP-173). */
function checksum(words: readonly number[]): number {
  let sum = 1;
  for (const word of words) {
    const top = sum >> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ word;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum;
}

/** The same bits in words of another size; the last one is filled with zeros. */
function regrouped(words: readonly number[], from: number, to: number): number[] {
  const out: number[] = [];
  let [held, bits] = [0, 0];
  for (const word of words) {
    held = ((held << from) | word) & 0xfff;
    bits += from;
    for (; bits >= to; bits -= to) out.push((held >> (bits - to)) & ((1 << to) - 1));
  }
  if (bits > 0) out.push((held << (to - bits)) & ((1 << to) - 1));
  return out;
}
