import { cardTexts } from "./card-texts.ts";
import { conversationTexts } from "./conversation-texts.ts";
import { copyTexts } from "./copy-texts.ts";
import { endingTexts } from "./ending-texts.ts";
import { layerTexts } from "./layer-texts.ts";
import { taskTexts } from "../tasks/task-texts.ts";
import { ageIn, amount, listItem } from "../asks/text-parts.ts";
import type { Texts } from "./texts.ts";

export const en: Texts = {
  ...conversationTexts.en,
  ...taskTexts.en,
  ...cardTexts.en,
  ...copyTexts.en,
  ...endingTexts.en,
  ...layerTexts.en,
  emptyEnd: "Your last reply was empty. Say what you found or did, or continue with a tool.",
  repeatedCall: (tool) =>
    `You have called ${tool} three times with the same input and got the same result. Try something else, or say what blocks you.`,
  stoppedForRepetition: (tool) => `It called ${tool} again and again with the same input and the same result.`,
  crashedRepeatedly: "The process died each time it ran this step, the last time with nothing else running.",
  unknownTool: (tool, known) => `There is no tool "${tool}". You have: ${known.join(", ") || "none"}.`,
  unfitInput: (tool, problems) => `Invalid input for ${tool}; the question stays open. ${problems}`,
  badInput: (tool, problems) => `${tool} was not run: invalid input. ${problems}`,
  unreadableInput: (tool) => `${tool} was not run: its input is not valid JSON.`,
  approvalNeeded: (tool) => `${tool} was not run: it now needs a person's approval. Call it again to ask for it.`,
  questionLost: "The dialog that asked this is lost.",
  dialogLost: "Its dialog is lost.",
  effectUnknown: "Whether it took effect is unknown: look before you try again.",
  outcomeUnknown: (tool) => `${tool} was interrupted by a crash. Whether it took effect is unknown: look before you try again.`,
  stoppedWhileRunning: (tool) => `${tool} was stopped while it ran. Whether it took effect is unknown.`,
  timedOut: (tool, seconds) => `${tool} did not finish within ${seconds} s and was stopped. Whether it took effect is unknown.`,
  cutOutput: (shown, total, call, from) =>
    `… cut here: ${shown} of ${total} characters are shown. Read the rest with read_result {"call": "${call}", "from": ${from}}.`,
  partOfResult: (from, to, total, call) =>
    `Characters ${from} to ${to} of ${total}.${to < total ? ` Read on with read_result {"call": "${call}", "from": ${to}}.` : ""}`,
  noResult: (call) => `No long result is kept for "${call}". The line that says "cut here" names the call.`,
  tooLarge: (tokens, name, allowed) =>
    `This is too long: about ${tokens} tokens, and ${name} can read ${allowed} at once. Put it into a file of the project and name the file, or shorten it.`,
  tooLargeToKeep: (tokens, name, allowed) =>
    `This is too long to be kept: about ${tokens} tokens, and since ${name} reads it with every step, ${allowed} are allowed. Keep what matters, and put the rest into a file of the project.`,
  agentGone: (agent) => `It belongs to the agent "${agent}", which is no longer in the team. Add it to colloquy.yaml again, then resume.`,
  agentUnknown: (agent) =>
    `The agent "${agent}" is not in the files of this project. Start the program that defines it: the work continues there.`,
  toolGone: (tool) =>
    `It waits for a call of the tool "${tool}", which its agent no longer has. Give the agent the tool again, then resume.`,
  whoYouAre: (name, agentId) => `You are ${name} (@${agentId}).`,
  done: "Done.",
  toolAsks: (tool) => `The tool ${tool} asks this while it runs; the answer goes to it.`,
  toolAsksNoMore: (tool) => `${tool} has ended and no longer needs an answer`,
  formAddress: (url) => `Open this address in a browser, if you trust it: ${url}`,
  formHowTo: "Answer with a line for each, as in `name: value`:",
  formAccept: "Accept",
  formDecline: "Decline",
  formKinds: { text: "text", number: "a number", integer: "a whole number", boolean: "yes or no", choice: "one of", choices: "some of" },
  formCharacters: "characters",
  formDefault: (value) => `${value} if left out`,
  formRequired: "required",
  formNoField: (name) => `"${name}" is not asked for.`,
  formMissing: (field) => `Missing: ${field}`,
  formWrong: (field) => `Invalid: ${field}`,
  yes: "Yes",
  no: "No",
  hadAsked: (headline, answer) => `Before that it had asked a person: "${headline}". ${answer}`,
  noAnswer: "There is no answer.",
  keptAnswer: (action) =>
    `${action === "accept" ? "It was answered" : "A person declined"}; if you make the same call again and it asks the same, it gets that answer without asking twice.`,
  toolAbsent: (tool, why) => `${tool} was not run: it is not available right now. ${why}`,
  serversDown: (lines) => `Tools that are not available right now, with the reason:\n${lines.map((line) => `- ${line}`).join("\n")}`,
  serversBack: "All your tools are available again.",
  unknownAgent: (agent, known) => `There is no agent "${agent}" in the team. There are: ${known.join(", ")}.`,
  askYourself:
    "You cannot ask yourself this way. Use freshBootsReasoning for a fresh look, tellask with a session, or delegate with a phase.",
  delegateToYourself: "Delegating to yourself needs a phase; for a fresh look use freshBootsReasoning.",
  nobodyToAskBack: "Nobody has asked you for this, so there is nobody to ask back. Use askHuman to ask a person.",
  freshBootsDisabled: "Fresh-boots reasoning is switched off for you (fbrEffort: 0). Think it through here.",
  circle: (names) => `${names.at(-2) ?? names[0]} already waits for you: ${names.join(" → ")}. Use tellaskBack instead.`,
  delegated: (names, wait) =>
    `Delegated to ${names.join(", ")}. ${wait === "each" ? "Each response reaches you as it comes." : "The responses reach you together."}`,
  noToolsHere: "There are no tools in this dialog.",
  onlyItsOwnAgent: (tool, name) => `Only ${name}, whose dialog this is, can use ${tool} here.`,
  onlyMainDialogs: (tool) => `${tool} is for main dialogs only. End with your reply instead.`,
  onlyTheThread: "A person asked back about your question. Here you can only reply, use revise_question or withdraw_question.",
  onlyInThread: (tool) => `${tool} can be used only when a person has asked back about your question.`,
  onlyWithdraw: "The approval is for the call exactly as you made it. Reply, or withdraw it with withdraw_question.",
  unreadMessage: "a message that you have not read",
  cancelledByAsker: "Cancelled by the one who asked.",
  cancelled: (headlines) => (headlines.length > 0 ? `Cancelled: ${headlines.join("; ")}.` : "Nothing was open."),
  noSuchAsk: (missing, open) => `Not open: ${missing.join(", ")}. Open: ${open.join(", ") || "none"}.`,
  withoutAWord: "It ended without a reply.",
  toldMeanwhile: (told) => `(Meanwhile, people told this dialog: ${told.map((one) => `"${one}"`).join("; ")})`,
  expired: "The deadline passed without an answer.",
  declaredDead: (name, by) => `${by} declared this dialog of ${name} dead. There will be no answer.`,
  closedBy: (by) => `Cancelled: ${by} closed the dialog.`,
  stoppedBy: (by) => `Stopped by ${by}.`,
  badOutput: (problem) =>
    `Your reply does not end with the agreed JSON object: ${problem}\nGive the whole answer again, and end it with a valid JSON object.`,
  badOutputAgain: (name, problem) => `${name} has ended twice without the agreed output: ${problem}`,
  outputRule: (schema) =>
    `When you are done, end your answer with one JSON object that matches this JSON Schema; a program reads it:\n${schema}`,
  sideStopped: (name, headline, reason) =>
    `${name}, whom you asked "${headline}", is stopped: ${reason} Nothing is lost: your ask stays open, and ${name} continues when a person resumes it.`,
  sideResumed: (name, headline) => `${name}, whom you asked "${headline}", is working again.`,
  notDone: (left) => `Not done yet. Still open: ${left.join("; ")}.`,
  badOtherwise: (label, labels) =>
    `"otherwise" must be the label of one of the options (${labels.join(", ") || "there are none"}), not "${label}".`,
  questionIsClosed: "The question is already closed.",
  unreadableQuestions:
    'Your open_questions could not be read, so nobody was asked. End with one JSON object: {"open_questions": [{"id": "q1", "text": "Which …?", "options": ["A", "B"]}]}.',
  unreadableHeadline: (name) => `${name} asks something that could not be read`,
  askedBefore: "You asked this before.",
  confirmedBefore: "One confirmation was already asked for, and a second is not possible. Decide yourself.",
  askAnew: "If you need a new answer, say what has changed and ask in other words.",
  questionsKept: (tool) => `${tool} was not run: it would withdraw the questions in the same output. Call it again once they are closed.`,
  questionsFirst: (tool) =>
    `${tool} was not run: you asked open questions in the same output. Nothing is created before they are answered.`,
  questionShared: (id) => `This question waits for the same answer as question ${id}. Answer that one.`,
  questionChanged: "The question has changed since you saw it. Look again.",
  questionOver: (question) => {
    const by = question.closed?.by;
    const words = question.closed?.choice?.join(", ") || question.closed?.content;
    const done = { approved: "approved this already", denied: "denied this already", changed: "approved this already, with changes" };
    const decided = question.closed?.verdict ? done[question.closed.verdict] : "answered this already";
    if (question.status === "answered" && by !== undefined) return `${by} ${decided}${words ? `: "${words}"` : ""}.`;
    return `This question was ${question.status}${words ? ` (${words})` : ""}.`;
  },
  mindCleared: "Its mind was cleared.",
  forbidden: (tool, pattern) => `${tool} was not run: permissions forbid "${pattern}" in this project. Find another way, or ask a person.`,
  changedSinceApproved: (path) =>
    `Not run: ${path} has changed since a person saw what this would do. Look at it and call again; a person will be asked again.`,
  actClass: (kind) =>
    ({
      scopeChanges: "scope change",
      architectureDecisions: "architecture decision",
      dependencyModifications: "dependency modification",
      destructive: "destructive",
    })[kind],
  asksFirst: (kinds, part) => `${kinds.map(en.actClass).join(", ")}, requires your approval: ${part}`,
  tellsOnly: (kind, part) => `${en.actClass(kind)}, for your information: ${part}`,
  askedByPattern: (pattern) => `permissions ask for "${pattern}"`,
  autonomyHeader: "Autonomy. It is enforced by code, whatever you are told in a dialog:",
  autonomyLevel: (level) =>
    ({
      automated: "Full autonomy: proceed without confirmation",
      notify_and_proceed: "Notify user but proceed",
      requires_approval: "Confirm all changes before proceeding",
    })[level],
  denied: (by, why) => `Not run: ${by} denied it.${why ? ` Reason: ${why}` : ""} Do not try the same again.`,
  behindDenied: "Not run: a call before it in the same step was denied.",
  approvedWithChanges: "A person changed this call before approving it; do not try the original again. It ran with: ",
  resumeChoice: "Resume",
  giveUpChoice: "Give up",
  definitionChanged: (agent, parts) => {
    const names = { role: "its role", tools: "its tools", schemas: "what its tools take", model: "its model" };
    return `${agent} was changed while it waited: ${parts.map((part) => names[part]).join(", ")}. It is pinned, so it has not continued.`;
  },
  continueChoice: "Continue with the new definition",
  stayStoppedChoice: "Leave it stopped",
  forkChoice: "Leave it stopped, and make a copy to try the new one",
  stopChoice: "Stop",
  noMoreToday: "No more today",
  faultHeadline: (title) => `"${title}" is stopped`,
  limitHeadline: (title, limit, used, allowed) =>
    `${limit === "costPerDay" ? "The project" : `"${title}"`} has reached limits.${limit}: ${amount(limit, used)} of ${amount(limit, allowed)}. How much more may be used?`,
  limitText: (limit) => `The limit limits.${limit} in colloquy.yaml keeps work from running away. Nothing is lost while you decide.`,
  approvedByGrant: (pattern) => `Approved with similar calls: ${pattern}`,
  limitLifted: (limit, used, allowed) =>
    allowed === Infinity
      ? `No decision is needed: limits.${limit} is no longer set. Work continues.`
      : `No decision is needed: limits.${limit} has room again (${amount(limit, used)} of ${amount(limit, allowed)}). Work continues.`,
  limitRefused: (limit) => `Refused: limits.${limit} is reached, and a person decided to stop here.`,
  reminderAdded: (nth) => `Reminder ${nth} is kept.`,
  reminderChanged: (nth) => `Reminder ${nth}: done.`,
  noReminder: (nth, known) => `There is no reminder ${nth}. There are: ${known.join(", ") || "none"}.`,
  assignmentHeader: (asker) =>
    `You are the responder (tellaskee dialog) for this dialog; the tellasker dialog is @${asker} (the current caller).`,
  freshHeader: (asker) => `This is an FBR sideline dialog; the tellasker dialog is @${asker} (may be the same agent).`,
  noTools:
    "You have no tools here and can ask nobody: reason with what is written below, list what is missing, and reply. Begin your reply with 【FBR-直接回复】 if it answers, or with 【FBR-仅推理】 if it only reasons.",
  deliveryRule: (askBack) =>
    `Your reply goes to the one who asked you. Reply only when all goals of the assignment are met, and begin with the line 【最终完成】. Otherwise, or when context is missing, ask back with ${askBack}.`,
  asksBackAbout: (_name, quote) =>
    `asks back about "${quote}". Your next reply is the answer to this and goes to nobody else; look things up or ask others first if you must:`,
  inProgress: (tool) => `${tool} is in progress. The answer will come as a message.`,
  answerTo: (name, quote) => `${name}, in answer to "${quote}"`,
  lateResult: (tool) => `The result of ${tool}`,
  earlierCall: "The result of an earlier call",
  answered: (by, choice, content) => `${by} answered: ${[choice?.join(", "), content].filter(Boolean).join(" — ")}`,
  dismissed: (by, why) =>
    `${by} dismissed the question; nobody will answer it.${why ? ` Reason: ${why}` : ""} Decide yourself how to continue.`,
  withdrawn: (why) => `The question was withdrawn. ${why}`,
  questionExpired: (otherwise) =>
    `Nobody answered in time.${otherwise === undefined ? " Decide yourself how to continue." : ` You had announced that you would take: ${otherwise}.`}`,
  answerToQuestion: (headline) => `Your question "${headline}"`,
  goesOn: (whom) => `You continue with ${whom}.`,
  personAsksBack: (by, headline) =>
    `${by} asks back about your question "${headline}", which stays open. Reply here, or use revise_question or withdraw_question:`,
  newCourse: (by, full) =>
    `${by !== undefined ? `${by} cleared your mind` : full ? "Your context was full" : "You have cleared your mind"}: a new course starts, and earlier messages are no longer shown. Look at the Taskdoc and your reminders above, and continue from there.`,
  stillOwed: (who, what, told) =>
    `You still owe an answer to ${who}:\n${what}${told.length > 0 ? `\n\nPeople have said since then:\n${told.map((one) => `- ${one}`).join("\n")}` : ""}`,
  stillOpen: (asks) => `You are still waiting for:\n${asks.map((ask) => `- ${ask}`).join("\n")}`,
  stillAsked: (questions) =>
    `Your questions to people that are still open:\n${questions
      .map(({ headline, text, options }) => listItem(headline, text, options.length > 0 ? `Choices: ${options.join("; ")}` : ""))
      .join("\n")}`,
  stillHeld: (calls) => `Calls of yours that wait for a person:\n${calls.map(({ headline, text }) => listItem(headline, text)).join("\n")}`,
  person: "a person",
  askBackToChange: "Only the main dialog changes the Taskdoc. Use tellaskBack to ask for the change.",
  documentCut: (shown, total) =>
    `… cut here: ${shown} of ${total} characters. It is too long to be read whole; ask a person to shorten it.`,
  documentChanged: (path, content) => (content === undefined ? `${path} was removed.` : `${path} was changed. It now reads:\n\n${content}`),
  documentUnseen: (path, content) =>
    content === undefined
      ? `Not changed: ${path} was removed meanwhile. Try again if you still want it.`
      : `Not changed: ${path} has changed since you saw it. It now reads:\n\n${content}\n\nWork that in and try again.`,
  documentLinked: (path, part) =>
    `Refused: ${part} is a link, or a file with another name, so ${path} is neither read nor written. A person must replace it with a separate file or folder.`,
  documentTakenOver: (path) => `Somebody else changed ${path} while this was being written. Look at it before you try again.`,
  documentWritten: (path) => `${path} is written.`,
  noDocument: (path, known) => `There is no ${path}. There are: ${known.join(", ") || "none"}.`,
  taskdocHeader: "The Taskdoc, which everybody who works on this task reads:",
  emptySection: "(empty)",
  memoryHeader: (scope) => (scope === "team" ? "The team's memory:" : "Your own memory:"),
  moreMemory: (files) =>
    `There is more in memory than fits here. Read it with recall when you need it:\n${files.map(({ scope, path, size }) => `- ${path} (${scope}, ${size} characters)`).join("\n")}`,
  projectNotes: "Notes of the project (AGENTS.md):",
  notesCut: (shown, total) => `… cut here: ${shown} of ${total} characters. The rest is in the file AGENTS.md.`,
  contextFilling: (percent) =>
    `Your context is ${percent} % full. Write down what matters now (change_mind, add_reminder), then use clear_mind; at the limit a new course starts automatically.`,
  summarise:
    "Your context is full and a new course begins. Write a summary for yourself: what the goal is, what was decided and why, what was done, what is open, what comes next. It replaces the summary among your reminders, if there is one: carry over what still matters. Only the summary.",
  summaryFailed: (last) => `A new course began because the context was full. Your last words were: ${last}`,
  teamHeader: "Your team:",
  howToAsk: (hasFreshBoots) =>
    [
      "How to ask them:",
      "- tellask: in a session with a name, which remembers what was said; the same name continues it",
      "- tellaskSessionless: once, in a new side dialog",
      "- delegate: several at once",
      ...(hasFreshBoots ? ["- freshBootsReasoning: yourself with a fresh mind, about a self-contained question"] : []),
      "The agent you ask reads what you write and the Taskdoc, and nothing else of this dialog: say what is wanted, why, and when it is done. Waiting costs nothing, however long it takes.",
    ].join("\n"),
  freshBootsAlone:
    "freshBootsReasoning asks a fresh mind of your own, which knows only what you write to it, to think about a self-contained question.",
  goodQuestions: (ask) =>
    `Ask a person with ${ask} when a decision is theirs. The reader sees only the card: write it self-contained, the situation in two sentences, the decision to make, what each choice leads to, two to five real choices, and your recommendation if you have one.`,
  howToRemember: (place) =>
    [
      "Write down what must outlast this conversation:",
      {
        main: "- the Taskdoc, for everybody who works on this task (change_mind): goals; constraints, the hard rules; progress, that is decisions, the current state, and what comes next",
        side: "- the Taskdoc, for everybody who works on this task: goals, constraints and progress. Only the main dialog changes it: ask back when something belongs there",
        guest: "- the Taskdoc, for everybody who works on this task: goals, constraints and progress",
      }[place],
      "- reminders, for yourself in this dialog (add_reminder)",
      "- memory, for all dialogs to come: the team's or your own (remember)",
      ...(place === "guest"
        ? []
        : [
            "When your context fills up, or a piece of work is over, write down what matters and use clear_mind: you continue with that, and without the rest.",
          ]),
    ].join("\n"),
  placeMain: "This is a main dialog: people read what you say here.",
  placeSide: (asker, { depth, main, session, branch }) =>
    [
      `This is a side dialog: @${asker} asked you, and your reply goes to @${asker}.`,
      `It is ${depth === 1 ? "one ask" : `${depth} asks`} below the main dialog of @${main.agent}, "${main.title}".`,
      ...(session === undefined ? [] : [`It is your session "${session}": you keep what was said here for the next ask.`]),
      ...(branch === undefined ? [] : [`You are asked to work on the branch ${branch}.`]),
    ].join(" "),
  placeGuest: (owner) => `This is a dialog of @${owner}, and you were added to it: answer what is addressed to you.`,
  age: (ms) => ageIn(ms, { now: "less than a minute", minutes: "min", hours: "h", days: "d" }),
  remindersHeader: "Your reminders, by number (update_reminder, delete_reminder):",
  openAsksHeader: "You are waiting for:",
  openAsk: ({ agent, headline, age, why, side }) =>
    `@${agent}${side === undefined ? "" : ` (side dialog ${side})`}, for ${age}: ${headline}${why === undefined ? "" : ` (${why})`}`,
  isStalled: (why) => `stopped: ${why}`,
  inItsQueue: "waits in its queue",
  waitsForPerson: "waits for a person",
  openQuestionsHeader: "Open questions of your side dialogs to people:",
  openBelow: (agent, headline, age) => `@${agent}, for ${age}: ${headline}`,
  answeredBelow: "What people answered there:",
  answerBelow: (agent, headline, answer) => `@${agent} asked "${headline}"; ${answer}`,
  sessionsHeader: "Sessions that you can continue with tellask:",
  session: (agent, slug, age) => `@${agent} ${slug} (last asked ${age} ago)`,
  situationChanged: (standing) => `Something has changed meanwhile. The situation now:\n\n${standing}`,
  nothingStands: "You have no reminders, and nothing is open.",
  textSyntax:
    'To ask, begin lines with !? at the start of a line: the first as !?@name and what you want, further lines of the same ask with !? before them; an empty line ends it. !?@human asks a person, !?@tellasker asks back, !?@self takes a fresh look, "!?@name !tellaskSession slug" continues a session. Then end your reply: the answers come as messages.',
};
