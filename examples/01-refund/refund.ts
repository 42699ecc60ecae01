// node refund.ts            the clerk wants to pay back 90.00, a person must agree: it says so and waits
// node refund.ts approve    agree; start it as often as you like, it is paid once
import { defineAgent, defineTool, openProject } from "colloquy";
import { z } from "zod";
import { bank } from "./bank.ts";

const refund = defineTool({
  name: "refund",
  description: "Pays money back to a customer.",
  input: z.object({ orderId: z.string(), cents: z.number().int().positive() }),
  approval: ({ cents }) => cents > 5_000, // a person decides; the call waits, for weeks if it must
  repeatable: true, // the bank knows the call by its id, so after a crash it may be asked again
  run: ({ orderId, cents }, { callId, signal }) => bank.refund(orderId, cents, { idempotencyKey: callId, signal }),
});
const lead = defineAgent({ id: "lead", role: "You lead support. Let clerk check orders.", default: true });
const clerk = defineAgent({ id: "clerk", role: "You check orders and pay refunds.", tools: [refund] });

const project = await openProject({ dir: ".", model: process.env["MODEL"] ?? "scripted/refund", agents: [lead, clerk] });
project.questions.onAsked((question) => console.log(`${question.agentId} asks: ${question.headline}`));

const dialog = await project.dialogs.create({ content: "Order 1042 arrived broken.", msgId: "mail-88121" });
await project.dialogs.quiet(dialog.id); // everybody is done, or waits for a person
const questions = await project.questions.list();
if (process.argv[2] === "approve") for (const { id, shown } of questions) await project.questions.approve(id, { shown, by: "anna" });
if (questions.length > 0 && process.argv[2] !== "approve") console.log("It waits. Agree with: node refund.ts approve");
else console.log(await dialog.result());
await project.close();
