import { z } from "zod";
import { SettledAs } from "../effect.ts";
import { QuestionId, RootId } from "../ids.ts";
import { askingFields } from "../outside-question.ts";
import { Phase } from "../phase.ts";
import { NewTask, TaskChange } from "../task.ts";

/** The sender's id for a command. Sending it again with the same id takes effect once. */
export const MsgId = z.string().min(1).max(200);
const optionally = { msgId: MsgId.optional() };
const surely = { msgId: MsgId };

const content = z.string();
/** The version of the question, call or section that the person was shown. */
const shown = z.string();
/** By label, or by index from 0 in the order of the question; a list if several may be chosen. */
export const ChoiceRef = z.union([z.string(), z.number().int(), z.array(z.union([z.string(), z.number().int()]))]);
/** ISO, or milliseconds since 1970. */
const Moment = z.union([z.iso.datetime({ offset: true }), z.number().int()]);

const addressing = {
  /** The agents it addresses, in order. If absent, the dialog's own agent; if empty, it is added to the history only. */
  mentions: z.array(z.string()).optional(),
  /** The provider's session, which is returned to it. */
  sessionId: z.string().optional(),
};

/** Images in base64: PNG, JPEG, GIF or WebP. */
const images = z.array(z.base64()).max(20);

export const CreateDialog = z.strictObject({
  /** Its id, if the sender chooses it: 32 lower-case hex digits, as other ids ordered by time. */
  rootId: RootId.optional(),
  agentId: z.string().optional(),
  content,
  title: z.string().optional(),
  taskDocPath: z.string().optional(),
  images: images.optional(),
  ...addressing,
  ...surely,
});
export const SendMessage = z.strictObject({
  content,
  ...addressing,
  images: images.optional(),
  /** Wakes a waiting turn. */
  now: z.boolean().optional(),
  /** Aborts the current step first. */
  interrupt: z.boolean().optional(),
  ...surely,
});

export const AskPeople = z.strictObject({
  ...askingFields,
  /** Its name, for people. Default: the name of the credential. */
  program: z.string().optional(),
  ...optionally,
});

/** How a call with an unknown outcome ended. */
export const Settling = z.strictObject({ as: SettledAs, note: z.string().max(2_000).optional(), ...optionally });
/** The body of commands without parameters. */
export const Plain = z.strictObject(optionally);
/** The token from a link's fragment, or a user's own. */
export const SignIn = z.strictObject({ token: z.string().min(1).max(200) });
/** `tree`: also stops the dialogs that work for it, along the assignments. */
export const Stop = z.strictObject({ tree: z.boolean().optional(), ...optionally });
export const ClearMind = z.strictObject({ reminder: z.string().optional(), ...optionally });
export const ChangeMind = z.strictObject({
  selector: z.enum(["goals", "constraints", "progress"]),
  content,
  shown: shown.optional(),
  ...optionally,
});
export const SetPhase = z.strictObject({ phase: Phase, summary: z.string().optional(), why: z.string().optional(), ...optionally });
/** `answer`: what if this question had been answered like this? */
export const Fork = z.strictObject({
  at: z.number().int().positive().optional(),
  answer: z.strictObject({ question: QuestionId, content: content.optional(), choice: ChoiceRef.optional() }).optional(),
  ...surely,
});
export const Rename = z.strictObject({ title: z.string(), ...surely });

export const Answering = z.strictObject({
  content: content.optional(),
  choice: ChoiceRef.optional(),
  shown: shown.optional(),
  ...surely,
});
export const Dismissing = z.strictObject({ why: z.string().optional(), ...surely });
export const AskingBack = z.strictObject({ content, ...surely });
export const Approving = z.strictObject({
  scope: z.enum(["once", "dialog", "task", "project"]).optional(),
  /** Which calls need no approval from now on. */
  pattern: z.string().optional(),
  until: Moment.optional(),
  /** A changed input to run the call with. */
  arguments: z.unknown().optional(),
  shown,
  ...surely,
});
export const Denying = z.strictObject({ why: z.string().optional(), shown, ...surely });

export const CreateTask = z.strictObject({ ...NewTask.shape, ...surely });
export const ChangeTask = z.strictObject({ ...TaskChange.shape, ...optionally });

export const AddReminder = z.strictObject({ content, ...optionally });
export const UpdateReminder = z.strictObject({ content, ...optionally });

/** Exactly one of three: answers to some of its questions, a verdict on its approvals, or a dismissal. */
export const NotificationPatch = z.union([
  z.strictObject({
    responses: z
      .array(
        z.strictObject({
          questionId: z.string(),
          answer: z.union([z.string(), z.strictObject({ content: content.optional(), choice: ChoiceRef.optional() })]),
        }),
      )
      .min(1)
      .max(100),
    ...optionally,
  }),
  z.strictObject({ approved: z.boolean(), reason: z.string().optional(), ...optionally }),
  z.strictObject({ dismissed: z.literal(true), reason: z.string().optional(), ...optionally }),
]);
export type NotificationPatch = z.infer<typeof NotificationPatch>;
