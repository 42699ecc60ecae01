import { defineAgent, defineTool } from "colloquy";
import { z } from "zod";

/** Your team. The bank it uses is passed in: a real one in your program, a list in a test. */
export function supportTeam(pay: (payment: { orderId: string; cents: number; key: string }) => void) {
  const refund = defineTool({
    name: "refund",
    description: "Pays money back to a customer.",
    input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
    approval: ({ cents }) => cents > 5_000,
    repeatable: true,
    run: ({ orderId, cents }, { callId: key }) => {
      pay({ orderId, cents, key });
      return `refunded ${orderId}`;
    },
  });
  const lead = defineAgent({ id: "lead", role: "You lead support. Let clerk check orders.", default: true });
  const clerk = defineAgent({ id: "clerk", role: "You check orders and pay refunds.", tools: [refund] });
  return [lead, clerk];
}
