import { appendFileSync, existsSync, readFileSync } from "node:fs";

const LEDGER = "bank.jsonl";

interface Payment {
  readonly key: string;
  readonly orderId: string;
  readonly cents: number;
}

const payments = (): Payment[] =>
  existsSync(LEDGER)
    ? readFileSync(LEDGER, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Payment)
    : [];

/** Like real banks: a repeated key is the same payment. */
export const bank = {
  refund(
    orderId: string,
    cents: number,
    { idempotencyKey: key }: { readonly idempotencyKey: string; readonly signal: AbortSignal },
  ): string {
    if (!payments().some((payment) => payment.key === key)) appendFileSync(LEDGER, `${JSON.stringify({ key, orderId, cents })}\n`);
    return `Paid back ${(cents / 100).toFixed(2)} for order ${orderId}.`;
  },
};
