import type { ActClass, AutonomyLevel, FormField, LimitName } from "@colloquy/schema";
import { type TaskTexts, taskTexts } from "./task/task-texts.ts";
import { type ConversationTexts, conversationTexts } from "./conversation-texts.ts";
import type { Question } from "./tree.ts";

/** What the system says to agents and about dialogs, in the project's language. */
export interface Texts extends ConversationTexts, TaskTexts {
  readonly emptyEnd: string;
  readonly repeatedCall: (tool: string) => string;
  readonly stoppedForRepetition: (tool: string) => string;
  readonly crashedRepeatedly: string;
  readonly unknownTool: (tool: string, known: readonly string[]) => string;
  readonly badInput: (tool: string, problems: string) => string;
  readonly unreadableInput: (tool: string) => string;
  readonly approvalNeeded: (tool: string) => string;
  readonly outcomeUnknown: (tool: string) => string;
  readonly stoppedWhileRunning: (tool: string) => string;
  readonly timedOut: (tool: string, seconds: number) => string;
  readonly cutOutput: (shown: number, total: number, call: string, from: number) => string;
  readonly partOfResult: (from: number, to: number, total: number, call: string) => string;
  readonly noResult: (call: string) => string;
  readonly tooLarge: (tokens: number, name: string, allowed: number) => string;
  readonly tooLargeToKeep: (tokens: number, name: string, allowed: number) => string;
  readonly agentGone: (agent: string) => string;
  readonly agentUnknown: (agent: string) => string;
  readonly toolGone: (tool: string) => string;
  readonly whoYouAre: (name: string, agentId: string) => string;
  readonly done: string;
  // What a tool asks a person
  readonly toolAsks: (tool: string) => string;
  readonly toolAsksNoMore: (tool: string) => string;
  readonly formAddress: (url: string) => string;
  readonly formHowTo: string;
  readonly formAccept: string;
  readonly formDecline: string;
  readonly formKinds: Readonly<Record<FormField["kind"], string>>;
  readonly formCharacters: string;
  readonly formDefault: (value: string) => string;
  readonly formRequired: string;
  readonly formNoField: (name: string) => string;
  readonly formMissing: (field: string) => string;
  readonly formWrong: (field: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly hadAsked: (headline: string, answer: string) => string;
  readonly noAnswer: string;
  readonly keptAnswer: (action: "accept" | "decline") => string;
  readonly toolAbsent: (tool: string, why: string) => string;
  readonly serversDown: (lines: readonly string[]) => string;
  readonly serversBack: string;
  // Asks
  readonly unknownAgent: (agent: string, known: readonly string[]) => string;
  readonly askYourself: string;
  readonly delegateToYourself: string;
  readonly nobodyToAskBack: string;
  readonly freshBootsDisabled: string;
  readonly circle: (names: readonly string[]) => string;
  readonly delegated: (names: readonly string[], wait: "each" | "all") => string;
  readonly noToolsHere: string;
  readonly onlyItsOwnAgent: (tool: string, name: string) => string;
  readonly onlyMainDialogs: (tool: string) => string;
  readonly onlyTheThread: string;
  readonly onlyInThread: (tool: string) => string;
  readonly onlyWithdraw: string;
  readonly unreadMessage: string;
  readonly cancelledByAsker: string;
  readonly cancelled: (headlines: readonly string[]) => string;
  readonly noSuchAsk: (missing: readonly string[], open: readonly string[]) => string;
  readonly withoutAWord: string;
  readonly toldMeanwhile: (told: readonly string[]) => string;
  readonly expired: string;
  readonly declaredDead: (name: string, by: string) => string;
  readonly closedBy: (by: string) => string;
  readonly stoppedBy: (by: string) => string;
  readonly badOutput: (problem: string) => string;
  readonly badOutputAgain: (name: string, problem: string) => string;
  readonly outputRule: (schema: string) => string;
  readonly gaveUp: (why: string) => string;
  readonly sideStopped: (name: string, headline: string, reason: string) => string;
  readonly sideResumed: (name: string, headline: string) => string;
  readonly notDone: (left: readonly string[]) => string;
  // Questions
  readonly badOtherwise: (label: string, labels: readonly string[]) => string;
  readonly questionIsClosed: string;
  readonly unreadableQuestions: string;
  readonly unreadableHeadline: (name: string) => string;
  readonly askedBefore: string;
  readonly confirmedBefore: string;
  readonly questionsFirst: (tool: string) => string;
  readonly questionChanged: string;
  readonly questionOver: (question: Question) => string;
  readonly mindCleared: string;
  readonly forbidden: (tool: string, pattern: string) => string;
  readonly changedSinceApproved: (path: string) => string;
  readonly actClass: (kind: ActClass) => string;
  readonly asksFirst: (kinds: readonly ActClass[], part: string) => string;
  readonly tellsOnly: (kind: ActClass, part: string) => string;
  readonly askedByPattern: (pattern: string) => string;
  readonly autonomyHeader: string;
  readonly autonomyLevel: (level: AutonomyLevel) => string;
  readonly denied: (by: string, why: string | undefined) => string;
  readonly behindDenied: string;
  readonly approvedWithChanges: string;
  readonly resumeChoice: string;
  readonly giveUpChoice: string;
  readonly stopChoice: string;
  readonly noMoreToday: string;
  readonly faultHeadline: (title: string) => string;
  readonly limitHeadline: (title: string, limit: LimitName, used: number, allowed: number) => string;
  readonly limitText: (limit: LimitName) => string;
  readonly limitRefused: (limit: string) => string;
  // Reminders
  readonly reminderAdded: (nth: number) => string;
  readonly reminderChanged: (nth: number) => string;
  readonly noReminder: (nth: number, known: readonly number[]) => string;
  // What an agent is shown
  readonly assignmentHeader: (asker: string) => string;
  readonly freshHeader: (asker: string) => string;
  readonly noTools: string;
  readonly deliveryRule: (askBack: string) => string;
  readonly asksBackAbout: (name: string, quote: string) => string;
  readonly inProgress: (tool: string) => string;
  readonly answerTo: (name: string, quote: string) => string;
  readonly lateResult: (tool: string) => string;
  readonly earlierCall: string;
  readonly answered: (by: string, choice: readonly string[] | undefined, content: string) => string;
  readonly dismissed: (by: string, why: string) => string;
  readonly withdrawn: (why: string) => string;
  readonly questionExpired: (otherwise: string | undefined) => string;
  readonly answerToQuestion: (headline: string) => string;
  readonly goesOn: (whom: string) => string;
  readonly personAsksBack: (by: string, headline: string) => string;
  /** Who began it: absent for the agent itself, `full` for the runtime, which had no room left. */
  readonly newCourse: (by: string | undefined, full: boolean) => string;
  readonly stillOwed: (who: string, what: string, told: readonly string[]) => string;
  readonly stillOpen: (asks: readonly string[]) => string;
  readonly person: string;
  // Documents
  readonly askBackToChange: string;
  readonly documentCut: (shown: number, total: number) => string;
  readonly documentChanged: (path: string, content: string | undefined) => string;
  readonly documentUnseen: (path: string, content: string | undefined) => string;
  readonly documentTakenOver: (path: string) => string;
  readonly documentWritten: (path: string) => string;
  readonly noDocument: (path: string, known: readonly string[]) => string;
  readonly taskdocHeader: string;
  readonly emptySection: string;
  readonly memoryHeader: (scope: "team" | "own") => string;
  readonly moreMemory: (files: readonly { readonly scope: "team" | "own"; readonly path: string; readonly size: number }[]) => string;
  readonly projectNotes: string;
  readonly notesCut: (shown: number, total: number) => string;
  readonly contextFilling: (percent: number) => string;
  readonly summarise: string;
  readonly summaryFailed: (last: string) => string;
  // The head
  readonly teamHeader: string;
  readonly howToAsk: (hasFreshBoots: boolean) => string;
  readonly freshBootsAlone: string;
  readonly goodQuestions: (ask: string) => string;
  readonly howToRemember: (place: "main" | "side" | "guest") => string;
  // Where the agent stands
  readonly placeMain: string;
  readonly placeSide: (asker: string) => string;
  readonly placeGuest: (owner: string) => string;
  readonly age: (ms: number) => string;
  readonly remindersHeader: string;
  readonly openAsksHeader: string;
  readonly openAsk: (agent: string, headline: string, age: string, why: string | undefined) => string;
  readonly standsStill: (why: string) => string;
  readonly inItsQueue: string;
  readonly waitsForPerson: string;
  readonly openQuestionsHeader: string;
  readonly openBelow: (agent: string, headline: string, age: string) => string;
  readonly answeredBelow: string;
  readonly answerBelow: (agent: string, headline: string, answer: string) => string;
  readonly sessionsHeader: string;
  readonly session: (agent: string, slug: string, age: string) => string;
  readonly situationChanged: (standing: string) => string;
  readonly nothingStands: string;
  readonly textSyntax: string;
}

const en: Texts = {
  ...conversationTexts.en,
  ...taskTexts.en,
  emptyEnd: "Your last reply was empty. Say what you found or did, or go on with a tool.",
  repeatedCall: (tool) =>
    `You have called ${tool} three times with the same input and got the same result. Try something else, or say what is in the way.`,
  stoppedForRepetition: (tool) => `It called ${tool} again and again with the same input and the same result.`,
  crashedRepeatedly: "The process died each time this step was driven, the last time with nothing else at work.",
  unknownTool: (tool, known) => `There is no tool "${tool}". You have: ${known.join(", ") || "none"}.`,
  badInput: (tool, problems) => `${tool} was not run: its input does not fit. ${problems}`,
  unreadableInput: (tool) => `${tool} was not run: its input is not valid JSON.`,
  approvalNeeded: (tool) => `${tool} was not run: by now a person has to approve it first. Call it again, and one will be asked.`,
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
  agentGone: (agent) => `It belongs to "${agent}", who is not in the team any more. Put it back into colloquy.yaml, then resume.`,
  agentUnknown: (agent) => `"${agent}" is not in the team as this process knows it, so it does not drive it.`,
  toolGone: (tool) => `It waits for a call of "${tool}", which its agent does not have any more. Put it back, then resume.`,
  whoYouAre: (name, agentId) => `You are ${name} (@${agentId}).`,
  done: "Done.",
  toolAsks: (tool) => `The tool ${tool} asks this while it runs; the answer goes to it.`,
  toolAsksNoMore: (tool) => `${tool} ended and waits for no answer any more`,
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
  formWrong: (field) => `Does not fit: ${field}`,
  yes: "Yes",
  no: "No",
  hadAsked: (headline, answer) => `Before that it had asked a person: "${headline}". ${answer}`,
  noAnswer: "There is no answer.",
  keptAnswer: (action) =>
    `${action === "accept" ? "It was answered" : "A person declined"}; if you make the same call again and it asks the same, it is told so without asking twice.`,
  toolAbsent: (tool, why) => `${tool} was not run: it is not there at present. ${why}`,
  serversDown: (lines) => `Tools that are not there at present, with the reason:\n${lines.map((line) => `- ${line}`).join("\n")}`,
  serversBack: "All your tools are there again.",
  unknownAgent: (agent, known) => `There is no agent "${agent}" in the team. There are: ${known.join(", ")}.`,
  askYourself:
    "You cannot ask yourself this way. Use freshBootsReasoning for a fresh look, tellask with a session, or delegate with a phase.",
  delegateToYourself: "Delegating to yourself needs a phase; for a fresh look use freshBootsReasoning.",
  nobodyToAskBack: "Nobody has asked you for this, so there is nobody to ask back. Use askHuman to ask a person.",
  freshBootsDisabled: "Fresh-boots reasoning is switched off for you (fbrEffort: 0). Think it through here.",
  circle: (names) => `${names.at(-2) ?? names[0]} already waits for you: ${names.join(" → ")}. Use tellaskBack instead.`,
  delegated: (names, wait) =>
    `Delegated to ${names.join(", ")}. ${wait === "each" ? "You are told of each response as it comes." : "You are told when all have responded."}`,
  noToolsHere: "There are no tools in this dialog.",
  onlyItsOwnAgent: (tool, name) => `Only ${name}, whose dialog this is, can use ${tool} here.`,
  onlyMainDialogs: (tool) => `${tool} is for main dialogs only. End with your reply instead.`,
  onlyTheThread: "A person asked back about your question. Here you can only reply, use revise_question or withdraw_question.",
  onlyInThread: (tool) => `${tool} can be used only when a person has asked back about your question.`,
  onlyWithdraw: "What is to be approved is the call as it was made. Reply, or withdraw it with withdraw_question.",
  unreadMessage: "a message that you have not read",
  cancelledByAsker: "Cancelled by the one who asked.",
  cancelled: (headlines) => (headlines.length > 0 ? `Cancelled: ${headlines.join("; ")}.` : "Nothing was open."),
  noSuchAsk: (missing, open) => `Not open: ${missing.join(", ")}. Open: ${open.join(", ") || "none"}.`,
  withoutAWord: "It ended without a word.",
  toldMeanwhile: (told) => `(People told this dialog meanwhile: ${told.map((one) => `"${one}"`).join("; ")})`,
  expired: "The time for this is over; there was no answer.",
  declaredDead: (name, by) => `${by} declared this dialog of ${name} dead. There will be no answer.`,
  closedBy: (by) => `Not done: ${by} closed the dialog.`,
  stoppedBy: (by) => `Stopped by ${by}.`,
  badOutput: (problem) =>
    `What you ended with holds no JSON object as agreed: ${problem}\nGive the whole answer again, and end it with a JSON object that fits.`,
  badOutputAgain: (name, problem) => `${name} has ended twice with something else than agreed: ${problem}`,
  outputRule: (schema) =>
    `When you are done, end your answer with one JSON object that fits this JSON Schema; a program reads it:\n${schema}`,
  gaveUp: (why) => `Given up: ${why}`,
  sideStopped: (name, headline, reason) =>
    `${name}, whom you asked "${headline}", is stopped: ${reason} Nothing is lost: your ask stays open, and ${name} goes on when a person resumes it.`,
  sideResumed: (name, headline) => `${name}, whom you asked "${headline}", is at work again.`,
  notDone: (left) => `Not done yet. Still open: ${left.join("; ")}.`,
  badOtherwise: (label, labels) =>
    `"otherwise" must be the label of one of the options (${labels.join(", ") || "there are none"}), not "${label}".`,
  questionIsClosed: "The question is closed already.",
  unreadableQuestions:
    'Your open_questions could not be read, so nobody was asked. End with one JSON object: {"open_questions": [{"id": "q1", "text": "Which …?", "options": ["A", "B"]}]}.',
  unreadableHeadline: (name) => `${name} asks something that could not be read`,
  askedBefore: "You asked this before.",
  confirmedBefore: "One confirmation was asked for already, and there is not a second one. Decide yourself.",
  questionsFirst: (tool) =>
    `${tool} was not done: you asked open questions in the same output. Nothing is created before they are answered.`,
  questionChanged: "The question has changed since you saw it. Look again.",
  questionOver: (question) => {
    const by = question.closed?.by;
    const words = question.closed?.choice?.join(", ") || question.closed?.content;
    if (question.status === "answered" && by !== undefined) return `${by} answered this already${words ? `: "${words}"` : ""}.`;
    return `This question was ${question.status}${words ? ` (${words})` : ""}.`;
  },
  mindCleared: "Its mind was cleared.",
  forbidden: (tool, pattern) => `${tool} was not run: permissions forbid "${pattern}" in this project. Find another way, or ask a person.`,
  changedSinceApproved: (path) =>
    `Not run: ${path} has changed since a person saw what this would do. Look at it and call again; one will be asked anew.`,
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
  stopChoice: "Stop",
  noMoreToday: "No more today",
  faultHeadline: (title) => `"${title}" is stopped`,
  limitHeadline: (title, limit, used, allowed) =>
    `${limit === "costPerDay" ? "The project" : `"${title}"`} has reached limits.${limit}: ${amount(limit, used)} of ${amount(limit, allowed)}. Go on with how much more?`,
  limitText: (limit) => `The limit limits.${limit} in colloquy.yaml keeps work from running away. Nothing is lost while you decide.`,
  limitRefused: (limit) => `Not done: limits.${limit} is reached, and a person decided to stop here.`,
  reminderAdded: (nth) => `Reminder ${nth} is kept.`,
  reminderChanged: (nth) => `Reminder ${nth}: done.`,
  noReminder: (nth, known) => `There is no reminder ${nth}. There are: ${known.join(", ") || "none"}.`,
  assignmentHeader: (asker) =>
    `You are the responder (tellaskee dialog) for this dialog; the tellasker dialog is @${asker} (the current caller).`,
  freshHeader: (asker) => `This is an FBR sideline dialog; the tellasker dialog is @${asker} (may be the same agent).`,
  noTools: "You have no tools here and can ask nobody: reason with what is written below, list what is missing, and reply.",
  deliveryRule: (askBack) =>
    `Your reply goes to the one who asked you. Reply only when all goals of the assignment are met, and begin with the line 【最终完成】. Otherwise, or when context is missing, ask back with ${askBack}.`,
  asksBackAbout: (_name, quote) =>
    `asks back about "${quote}". Your next reply is the answer to this and goes to nobody else; look things up or ask others first if you must:`,
  inProgress: (tool) => `${tool} is in progress. The answer will come as a message.`,
  answerTo: (name, quote) => `${name}, in answer to "${quote}"`,
  lateResult: (tool) => `The result of ${tool}`,
  earlierCall: "The result of a call from before",
  answered: (by, choice, content) => `${by} answered: ${[choice?.join(", "), content].filter(Boolean).join(" — ")}`,
  dismissed: (by, why) =>
    `${by} dismissed the question; nobody will answer it.${why ? ` Reason: ${why}` : ""} Decide yourself how to go on.`,
  withdrawn: (why) => `The question was withdrawn. ${why}`,
  questionExpired: (otherwise) =>
    `Nobody answered in time.${otherwise === undefined ? " Decide yourself how to go on." : ` You had announced to take: ${otherwise}.`}`,
  answerToQuestion: (headline) => `Your question "${headline}"`,
  goesOn: (whom) => `You go on with ${whom}.`,
  personAsksBack: (by, headline) =>
    `${by} asks back about your question "${headline}", which stays open. Reply here, or use revise_question or withdraw_question:`,
  newCourse: (by, full) =>
    `${by !== undefined ? `${by} cleared your mind` : full ? "Your context was full" : "You have cleared your mind"}: a new course begins, and what was said before is not shown any more. Look at the Taskdoc and your reminders above, and go on from there.`,
  stillOwed: (who, what, told) =>
    `You still owe an answer to ${who}:\n${what}${told.length > 0 ? `\n\nPeople have said since then:\n${told.map((one) => `- ${one}`).join("\n")}` : ""}`,
  stillOpen: (asks) => `You are still waiting for:\n${asks.map((ask) => `- ${ask}`).join("\n")}`,
  person: "a person",
  askBackToChange: "Only the main dialog changes the Taskdoc. Use tellaskBack to ask for the change.",
  documentCut: (shown, total) =>
    `… cut here: ${shown} of ${total} characters. It is too long to be read whole; ask a person to shorten it.`,
  documentChanged: (path, content) => (content === undefined ? `${path} was removed.` : `${path} was changed. It now reads:\n\n${content}`),
  documentUnseen: (path, content) =>
    content === undefined
      ? `Not changed: ${path} was removed meanwhile. Try again if you still want it.`
      : `Not changed: ${path} is not as you saw it. It now reads:\n\n${content}\n\nWork that in and try again.`,
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
    `Your context is ${percent} % full. Write down what matters now (change_mind, add_reminder), then use clear_mind; at the limit a new course begins by itself.`,
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
      ...(hasFreshBoots ? ["- freshBootsReasoning: yourself with a fresh mind, about something that stands on its own"] : []),
      "Whoever you ask reads what you write and the Taskdoc, and nothing else of this dialog: say what is wanted, why, and when it is done. Waiting costs nothing, however long it takes.",
    ].join("\n"),
  freshBootsAlone:
    "With freshBootsReasoning a fresh mind of your own, which knows only what you write to it, thinks about something that stands on its own.",
  goodQuestions: (ask) =>
    `Ask a person with ${ask} when a decision is theirs. The reader sees only the card: write it self-contained, the situation in two sentences, the decision to make, what each choice leads to, two to five real choices, and your recommendation if you have one.`,
  howToRemember: (place) =>
    [
      "What must outlast this conversation is written down:",
      {
        main: "- the Taskdoc, for everybody who works on this task (change_mind): goals; constraints, the hard rules; progress, that is decisions, how it stands, and what comes next",
        side: "- the Taskdoc, for everybody who works on this task: goals, constraints and progress. Only the main dialog changes it: ask back when something belongs there",
        guest: "- the Taskdoc, for everybody who works on this task: goals, constraints and progress",
      }[place],
      "- reminders, for yourself in this dialog (add_reminder)",
      "- memory, for all dialogs to come: the team's or your own (remember)",
      ...(place === "guest"
        ? []
        : [
            "When your context fills up, or a piece of work is over, write down what matters and use clear_mind: you go on with this, and without the rest.",
          ]),
    ].join("\n"),
  placeMain: "This is a main dialog: people read what you say here.",
  placeSide: (asker) => `This is a side dialog: @${asker} asked you, and your reply goes to @${asker}.`,
  placeGuest: (owner) => `This is a dialog of @${owner}, into which you were brought: answer what is addressed to you.`,
  age: (ms) => ageIn(ms, { now: "less than a minute", minutes: "min", hours: "h", days: "d" }),
  remindersHeader: "Your reminders, by number (update_reminder, delete_reminder):",
  openAsksHeader: "You are waiting for:",
  openAsk: (agent, headline, age, why) => `@${agent}, for ${age}: ${headline}${why === undefined ? "" : ` (${why})`}`,
  standsStill: (why) => `stopped: ${why}`,
  inItsQueue: "waits in its queue",
  waitsForPerson: "waits for a person",
  openQuestionsHeader: "Open questions of your side dialogs to people:",
  openBelow: (agent, headline, age) => `@${agent}, for ${age}: ${headline}`,
  answeredBelow: "What people answered there:",
  answerBelow: (agent, headline, answer) => `@${agent} asked "${headline}"; ${answer}`,
  sessionsHeader: "Sessions that you can continue with tellask:",
  session: (agent, slug, age) => `@${agent} ${slug} (last asked ${age} ago)`,
  situationChanged: (standing) => `Something has changed meanwhile. This is how it stands now:\n\n${standing}`,
  nothingStands: "You have no reminders, and nothing is open.",
  textSyntax:
    'To ask, begin lines with !? at the start of a line: the first as !?@name and what you want, further lines of the same ask with !? before them; an empty line ends it. !?@human asks a person, !?@tellasker asks back, !?@self takes a fresh look, "!?@name !tellaskSession slug" continues a session. Then end your reply: the answers come as messages.',
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the largest unit of which there are at least two, so that days and hours are told apart where it matters. */
function ageIn(ms: number, words: Readonly<Record<"now" | "minutes" | "hours" | "days", string>>, before = ""): string {
  if (ms < MINUTE) return words.now;
  if (ms < 2 * HOUR) return `${before}${Math.floor(ms / MINUTE)} ${words.minutes}`;
  return before + (ms < 2 * DAY ? `${Math.floor(ms / HOUR)} ${words.hours}` : `${Math.floor(ms / DAY)} ${words.days}`);
}

const amount = (limit: LimitName, value: number): string =>
  limit === "costPerTree" || limit === "costPerDay"
    ? value.toFixed(2)
    : limit === "wallTimePerTree"
      ? `${Math.round(value / 60_000)} min`
      : String(value);

const zh: Texts = {
  ...conversationTexts.zh,
  ...taskTexts.zh,
  emptyEnd: "你上一次的回复是空的。请说明你的发现或所做的事，或者继续使用工具。",
  repeatedCall: (tool) => `你已三次以相同的输入调用 ${tool}，结果都相同。请换一种办法，或说明受阻之处。`,
  stoppedForRepetition: (tool) => `它反复以相同的输入调用 ${tool}，结果始终相同。`,
  crashedRepeatedly: "每次执行这一步时进程都崩溃了，最后一次没有其他工作在进行。",
  unknownTool: (tool, known) => `没有名为“${tool}”的工具。可用的有：${known.join("、") || "无"}。`,
  badInput: (tool, problems) => `${tool} 未执行：输入不符合要求。${problems}`,
  unreadableInput: (tool) => `${tool} 未执行：输入不是有效的 JSON。`,
  approvalNeeded: (tool) => `${tool} 未执行：现在须先由人批准。请再次调用，届时会请人批准。`,
  outcomeUnknown: (tool) => `${tool} 因崩溃中断，是否已生效未知：重试之前请先查看。`,
  stoppedWhileRunning: (tool) => `${tool} 在运行中被停止，是否已生效未知。`,
  timedOut: (tool, seconds) => `${tool} 未能在 ${seconds} 秒内完成，已被停止，是否已生效未知。`,
  cutOutput: (shown, total, call, from) =>
    `…… 在此截断：共 ${total} 个字符，显示 ${shown} 个。其余请用 read_result {"call": "${call}", "from": ${from}} 阅读。`,
  partOfResult: (from, to, total, call) =>
    `第 ${from} 至 ${to} 个字符，共 ${total} 个。${to < total ? `请用 read_result {"call": "${call}", "from": ${to}} 继续阅读。` : ""}`,
  noResult: (call) => `没有为“${call}”保存的长结果。截断处的那一行写有调用的名字。`,
  tooLarge: (tokens, name, allowed) =>
    `内容过长：约 ${tokens} 个词元，而 ${name} 一次只能读 ${allowed} 个。请将其放入项目文件并写明文件名，或加以缩短。`,
  tooLargeToKeep: (tokens, name, allowed) =>
    `内容过长，无法保存：约 ${tokens} 个词元，而 ${name} 每一步都要读它，只允许 ${allowed} 个。请保留要点，其余放入项目文件。`,
  agentGone: (agent) => `它属于“${agent}”，而该智能体已不在团队中。请将其放回 colloquy.yaml，然后恢复。`,
  agentUnknown: (agent) => `此进程所知的团队中没有“${agent}”，因此不驱动它。`,
  toolGone: (tool) => `它在等待“${tool}”的调用，而其智能体已没有该工具。请将其放回，然后恢复。`,
  whoYouAre: (name, agentId) => `你是 ${name}（@${agentId}）。`,
  done: "完成。",
  toolAsks: (tool) => `工具 ${tool} 在运行中提出此问题；回答将交给该工具。`,
  toolAsksNoMore: (tool) => `${tool} 已结束，不再等待回答`,
  formAddress: (url) => `如果您信任该地址，请在浏览器中打开：${url}`,
  formHowTo: "请逐行回答，格式为“名称: 值”：",
  formAccept: "接受",
  formDecline: "拒绝",
  formKinds: { text: "文本", number: "数字", integer: "整数", boolean: "是或否", choice: "其中之一：", choices: "其中若干：" },
  formCharacters: "个字符",
  formDefault: (value) => `省略时为 ${value}`,
  formRequired: "必填",
  formNoField: (name) => `没有要求填写“${name}”。`,
  formMissing: (field) => `缺少：${field}`,
  formWrong: (field) => `不符合要求：${field}`,
  yes: "是",
  no: "否",
  hadAsked: (headline, answer) => `在此之前它曾问人：“${headline}”。${answer}`,
  noAnswer: "没有回答。",
  keptAnswer: (action) =>
    `${action === "accept" ? "已有人回答" : "已有人拒绝"}；若再次作相同的调用而它提出同样的问题，将直接告知，不再重复询问。`,
  toolAbsent: (tool, why) => `${tool} 未执行：目前不可用。${why}`,
  serversDown: (lines) => `目前不可用的工具及原因：\n${lines.map((line) => `- ${line}`).join("\n")}`,
  serversBack: "你的工具已全部恢复可用。",
  unknownAgent: (agent, known) => `团队中没有“${agent}”。现有：${known.join("、")}。`,
  askYourself: "不能这样请托自己。可用 freshBootsReasoning 重新思考，或用 tellask 带会话名，或用 delegate 带 phase。",
  delegateToYourself: "委派给自己需要 phase；若要重新思考，请用 freshBootsReasoning。",
  nobodyToAskBack: "这不是别人请托的事，没有可回问的对象。请用 askHuman 向人提问。",
  freshBootsDisabled: "你的扪心自问已关闭（fbrEffort: 0）。请在此处自行思考。",
  circle: (names) => `${names.at(-2) ?? names[0]} 已在等你：${names.join(" → ")}。请改用 tellaskBack。`,
  delegated: (names, wait) => `已委派给 ${names.join("、")}。${wait === "each" ? "每收到一个回复都会告知你。" : "全部回复后会告知你。"}`,
  noToolsHere: "此对话中没有工具。",
  onlyItsOwnAgent: (tool, name) => `${tool} 只能由本对话的主理人 ${name} 使用。`,
  onlyMainDialogs: (tool) => `${tool} 只用于主对话。请直接以回复结束。`,
  onlyTheThread: "有人就你的提问回问。此处只能回复，或使用 revise_question、withdraw_question。",
  onlyInThread: (tool) => `只有当有人就你的提问回问时才能使用 ${tool}。`,
  onlyWithdraw: "待审批的是原样的调用。请回复，或用 withdraw_question 撤回。",
  unreadMessage: "一条未读的消息",
  cancelledByAsker: "已由请托者取消。",
  cancelled: (headlines) => (headlines.length > 0 ? `已取消：${headlines.join("；")}。` : "没有未结的事项。"),
  noSuchAsk: (missing, open) => `未结事项中没有：${missing.join("、")}。现有：${open.join("、") || "无"}。`,
  withoutAWord: "它没有说一句话就结束了。",
  toldMeanwhile: (told) => `（其间有人对本对话说：${told.map((one) => `“${one}”`).join("；")}）`,
  expired: "时限已过，没有回答。",
  declaredDead: (name, by) => `${by} 已宣布 ${name} 的这个对话作废，不会有回答。`,
  closedBy: (by) => `未完成：${by} 关闭了对话。`,
  stoppedBy: (by) => `已由 ${by} 停止。`,
  badOutput: (problem) => `你的结束语中没有符合约定的 JSON：${problem}\n请重新给出完整的答复，以符合约定的 JSON 对象结尾。`,
  badOutputAgain: (name, problem) => `${name} 两次给出的结果都不符合约定：${problem}`,
  outputRule: (schema) => `完成后，以一个符合以下 JSON Schema 的 JSON 对象结束你的答复；它会被程序读取：\n${schema}`,
  gaveUp: (why) => `已放弃：${why}`,
  sideStopped: (name, headline, reason) =>
    `你向 ${name} 的诉请“${headline}”已被停住：${reason} 没有丢失任何内容：诉请仍然有效，有人恢复后 ${name} 会继续。`,
  sideResumed: (name, headline) => `你向 ${name} 的诉请“${headline}”已恢复进行。`,
  notDone: (left) => `尚未完成。仍未结：${left.join("；")}。`,
  badOtherwise: (label, labels) => `“otherwise”必须是某个选项的标签（${labels.join("、") || "没有选项"}），而不是“${label}”。`,
  questionIsClosed: "该提问已结束。",
  unreadableQuestions:
    '你的 open_questions 无法读取，因此没有向任何人提问。请以一个 JSON 对象结束：{"open_questions": [{"id": "q1", "text": "……？", "options": ["甲", "乙"]}]}。',
  unreadableHeadline: (name) => `${name} 的提问无法读取`,
  askedBefore: "你之前问过这个问题。",
  confirmedBefore: "已请求过一次确认，不会再有第二次。请自行决定。",
  questionsFirst: (tool) => `${tool} 未执行：你在同一输出中提出了未结提问，回答之前不会创建任何内容。`,
  questionChanged: "该提问在你看过之后有改动，请再看一次。",
  questionOver: (question) => {
    const by = question.closed?.by;
    const words = question.closed?.choice?.join("、") || question.closed?.content;
    if (question.status === "answered" && by !== undefined) return `${by} 已经回答${words ? `：“${words}”` : ""}。`;
    const states = { answered: "回答", dismissed: "不作答", withdrawn: "撤回", expired: "过期", open: "提出" } as const;
    return `该提问已${states[question.status]}${words ? `（${words}）` : ""}。`;
  },
  mindCleared: "思路已清空。",
  forbidden: (tool, pattern) => `${tool} 未执行：本项目的 permissions 禁止“${pattern}”。请另想办法，或询问人。`,
  changedSinceApproved: (path) => `未执行：人看过之后 ${path} 有改动。请查看后再次调用，届时会重新请人审批。`,
  actClass: (kind) =>
    ({
      scopeChanges: "范围变更",
      architectureDecisions: "架构决策",
      dependencyModifications: "依赖变更",
      destructive: "破坏性操作",
    })[kind],
  asksFirst: (kinds, part) => `${kinds.map(zh.actClass).join("、")}，需要你审批：${part}`,
  tellsOnly: (kind, part) => `${zh.actClass(kind)}，特此知会：${part}`,
  askedByPattern: (pattern) => `permissions 要求对“${pattern}”审批`,
  autonomyHeader: "自主程度，由代码强制执行，与对话中的任何说法无关：",
  autonomyLevel: (level) =>
    ({
      automated: "完全自主：无需确认即可进行",
      notify_and_proceed: "知会用户并继续",
      requires_approval: "所有变更须先经确认",
    })[level],
  denied: (by, why) => `未执行：${by} 拒绝了。${why ? `理由：${why}。` : ""}请勿再试同样的操作。`,
  behindDenied: "未执行：同一步中在它之前的调用被拒绝。",
  approvedWithChanges: "有人修改后才批准了此调用，请勿再试原来的调用。实际执行的输入：",
  resumeChoice: "恢复",
  giveUpChoice: "放弃",
  stopChoice: "停止",
  noMoreToday: "今天到此为止",
  faultHeadline: (title) => `“${title}”已停`,
  limitHeadline: (title, limit, used, allowed) =>
    `${limit === "costPerDay" ? "本项目" : `“${title}”`}已达 limits.${limit}：${amount(limit, used)} / ${amount(limit, allowed)}。再给多少继续？`,
  limitText: (limit) => `colloquy.yaml 中的 limits.${limit} 用来防止工作失控。你决定期间不会丢失任何内容。`,
  limitRefused: (limit) => `未执行：已达 limits.${limit}，有人决定到此为止。`,
  reminderAdded: (nth) => `提醒项 ${nth} 已保存。`,
  reminderChanged: (nth) => `提醒项 ${nth}：完成。`,
  noReminder: (nth, known) => `没有提醒项 ${nth}。现有：${known.join("、") || "无"}。`,
  assignmentHeader: (asker) =>
    `你是当前被诉请者对话（tellaskee dialog）的主理人；诉请者对话（tellasker dialog）为 @${asker}（当前发起本次诉请）。`,
  freshHeader: (asker) => `这是一次 FBR 支线对话；诉请者对话为 @${asker}（可能与当前对话同一 agent）。`,
  noTools: "此处没有工具，也不能请托任何人：请就下文推理，列出缺少的内容，然后回复。",
  deliveryRule: (askBack) =>
    `你的回复会交给请托者。只有当请托的目标全部达成时才回复，首行写【最终完成】。否则，或缺少背景时，请用 ${askBack} 回问。`,
  asksBackAbout: (_name, quote) => `就“${quote}”回问。你的下一个回复只回答这一问，不会交给别人；必要时可先查阅资料或请托他人：`,
  inProgress: (tool) => `${tool} 正在进行，回答会以消息送达。`,
  answerTo: (name, quote) => `${name} 就“${quote}”的回答`,
  lateResult: (tool) => `${tool} 的结果`,
  earlierCall: "先前一次调用的结果",
  answered: (by, choice, content) => `${by} 回答：${[choice?.join("、"), content].filter(Boolean).join(" — ")}`,
  dismissed: (by, why) => `${by} 对此不作答，不会有人回答。${why ? `理由：${why}。` : ""}请自行决定如何继续。`,
  withdrawn: (why) => `该提问已撤回。${why}`,
  questionExpired: (otherwise) =>
    `没有人按时回答。${otherwise === undefined ? "请自行决定如何继续。" : `你曾宣布届时选择：${otherwise}。`}`,
  answerToQuestion: (headline) => `你的提问“${headline}”`,
  goesOn: (whom) => `你继续处理：${whom}。`,
  personAsksBack: (by, headline) =>
    `${by} 就你的提问“${headline}”回问，该提问仍未结。请在此回复，或使用 revise_question、withdraw_question：`,
  newCourse: (by, full) =>
    `${by !== undefined ? `${by} 清空了你的思路` : full ? "你的上下文已满" : "你清空了思路"}：新的一程开始了，之前的话不再显示。请查看上面的任务文档和提醒项，从那里继续。`,
  stillOwed: (who, what, told) =>
    `你仍欠 ${who} 一个回答：\n${what}${told.length > 0 ? `\n\n其后人们又说：\n${told.map((one) => `- ${one}`).join("\n")}` : ""}`,
  stillOpen: (asks) => `你仍在等待：\n${asks.map((ask) => `- ${ask}`).join("\n")}`,
  person: "某人",
  askBackToChange: "只有主对话可以修改任务文档。请用 tellaskBack 请求修改。",
  documentCut: (shown, total) => `…… 在此截断：共 ${total} 个字符，显示 ${shown} 个。内容过长，无法全部阅读；请人加以缩短。`,
  documentChanged: (path, content) => (content === undefined ? `${path} 已删除。` : `${path} 已修改，现为：\n\n${content}`),
  documentUnseen: (path, content) =>
    content === undefined
      ? `未修改：${path} 已被删除。如仍需要，请重试。`
      : `未修改：${path} 与你所见不同，现为：\n\n${content}\n\n请合并后重试。`,
  documentTakenOver: (path) => `写入期间有人修改了 ${path}。重试之前请先查看。`,
  documentWritten: (path) => `${path} 已写入。`,
  noDocument: (path, known) => `没有 ${path}。现有：${known.join("、") || "无"}。`,
  taskdocHeader: "任务文档，参与此任务的所有人都会阅读：",
  emptySection: "（空）",
  memoryHeader: (scope) => (scope === "team" ? "团队记忆：" : "你自己的记忆："),
  moreMemory: (files) =>
    `记忆放不下，还有这些，需要时请用 recall 阅读：\n${files.map(({ scope, path, size }) => `- ${path}（${scope}，${size} 个字符）`).join("\n")}`,
  projectNotes: "项目说明（AGENTS.md）：",
  notesCut: (shown, total) => `…… 在此截断：共 ${total} 个字符，显示 ${shown} 个。其余见文件 AGENTS.md。`,
  contextFilling: (percent) =>
    `你的上下文已用 ${percent} %。请现在记下要点（change_mind、add_reminder），然后使用 clear_mind；到达上限时会自动开始新的一程。`,
  summarise:
    "你的上下文已满，新的一程即将开始。请为自己写一份摘要：目标是什么，做了哪些决定及其理由，完成了什么，还有什么未结，下一步是什么。如果提醒项中已有摘要，它将被替换：请带上仍然重要的内容。只写摘要。",
  summaryFailed: (last) => `因上下文已满，新的一程已开始。你最后说的是：${last}`,
  teamHeader: "你的团队：",
  howToAsk: (hasFreshBoots) =>
    [
      "请托他人的方式：",
      "- tellask：在有名字的会话中请托，会话记得说过的话；用同一个名字即可继续",
      "- tellaskSessionless：一次性，在新的子对话中",
      "- delegate：同时请托多个",
      ...(hasFreshBoots ? ["- freshBootsReasoning：以清新的头脑问自己，用于自成一体的问题"] : []),
      "被请托者只读到你写的内容和任务文档，看不到本对话的其他内容：请写明要什么、为什么、做到什么程度算完成。等待多久都不产生花费。",
    ].join("\n"),
  freshBootsAlone: "用 freshBootsReasoning 可让你自己以清新的头脑（只知道你写给它的内容）思考一个自成一体的问题。",
  goodQuestions: (ask) =>
    `当决定权在人时，用 ${ask} 提问。读者只看到这张卡片：请写得自足，用两句话说明情况，写明要做的决定、每个选项的后果、两到五个真实的选项，有建议就写上建议。`,
  howToRemember: (place) =>
    [
      "需要比这次谈话更长久的内容要写下来：",
      {
        main: "- 任务文档，给参与此任务的所有人（change_mind）：goals 目标；constraints 硬性约束；progress 进展，即决定、现状和下一步",
        side: "- 任务文档，给参与此任务的所有人：目标、约束和进展。只有主对话可以修改：有内容该写进去时请回问",
        guest: "- 任务文档，给参与此任务的所有人：目标、约束和进展",
      }[place],
      "- 提醒项，给你自己，限于本对话（add_reminder）",
      "- 记忆，给今后的所有对话：团队的或你自己的（remember）",
      ...(place === "guest"
        ? []
        : ["当上下文渐满，或一段工作告一段落时，请记下要点并使用 clear_mind：你将带着这些内容继续，其余不再显示。"]),
    ].join("\n"),
  placeMain: "这是主对话：人们会读到你在这里说的话。",
  placeSide: (asker) => `这是子对话：@${asker} 请托了你，你的回复会交给 @${asker}。`,
  placeGuest: (owner) => `这是 @${owner} 的对话，你是被请来的：请回答对你说的话。`,
  age: (ms) => ageIn(ms, { now: "片刻", minutes: "分钟", hours: "小时", days: "天" }, " "),
  remindersHeader: "你的提醒项，按编号（update_reminder、delete_reminder）：",
  openAsksHeader: "你在等待：",
  openAsk: (agent, headline, age, why) => `@${agent}，已等${age}：${headline}${why === undefined ? "" : `（${why}）`}`,
  standsStill: (why) => `已停：${why}`,
  inItsQueue: "在其队列中等候",
  waitsForPerson: "在等人回答",
  openQuestionsHeader: "你的子对话向人提出的未结提问：",
  openBelow: (agent, headline, age) => `@${agent}，已等${age}：${headline}`,
  answeredBelow: "人们在那里的回答：",
  answerBelow: (agent, headline, answer) => `@${agent} 问“${headline}”；${answer}`,
  sessionsHeader: "可用 tellask 继续的会话：",
  session: (agent, slug, age) => `@${agent} ${slug}（上次请托在${age}前）`,
  situationChanged: (standing) => `其间情况有变，现状如下：\n\n${standing}`,
  nothingStands: "你没有提醒项，也没有未结的事项。",
  textSyntax:
    "请托时在行首写 !?：首行写 !?@名字 和要求，同一请托的后续行行首也写 !?，空行结束。!?@human 向人提问，!?@tellasker 回问，!?@self 重新思考，“!?@名字 !tellaskSession 会话名”继续会话。然后结束你的回复：回答会以消息送达。",
};

export const texts = { en, zh } as const;
export type Language = keyof typeof texts;
