import type { ActClass, AutonomyLevel, DefinitionPart, FormField, LimitName } from "@colloquy/schema";
import type { CardTexts } from "./card-texts.ts";
import type { ConversationTexts } from "./conversation-texts.ts";
import type { CopyTexts } from "./copy-texts.ts";
import type { EndingTexts } from "./ending-texts.ts";
import type { LayerTexts } from "./layer-texts.ts";
import type { TaskTexts } from "../tasks/task-texts.ts";
import { en } from "./texts-en.ts";
import { zh } from "./texts-zh.ts";
import type { Question } from "../state/tree.ts";

/** The position of a side dialog: its depth below the main dialog, its session and its branch. */
export interface Nested {
  readonly depth: number;
  readonly main: { readonly agent: string; readonly title: string };
  readonly session: string | undefined;
  readonly branch: string | undefined;
}

/** An ask that an agent waits for. */
export interface OpenAsk {
  readonly agent: string;
  readonly headline: string;
  readonly age: string;
  /** Why it is taking long. */
  readonly why: string | undefined;
  /** The last digits of the id of the side dialog that serves it. */
  readonly side: string | undefined;
}

/** What the system says to agents and about dialogs, in the project's language. */
export interface Texts extends ConversationTexts, TaskTexts, CardTexts, CopyTexts, EndingTexts, LayerTexts {
  readonly emptyEnd: string;
  readonly repeatedCall: (tool: string) => string;
  readonly stoppedForRepetition: (tool: string) => string;
  readonly crashedRepeatedly: string;
  readonly unknownTool: (tool: string, known: readonly string[]) => string;
  readonly badInput: (tool: string, problems: string) => string;
  readonly unfitInput: (tool: string, problems: string) => string;
  readonly unreadableInput: (tool: string) => string;
  readonly approvalNeeded: (tool: string) => string;
  /** Why a question that nobody can answer any more is withdrawn. */
  readonly questionLost: string;
  /** Why nobody works on a task any more. */
  readonly dialogLost: string;
  /** Follows the reason why the outcome of a call is unknown. */
  readonly effectUnknown: string;
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
  readonly askAnew: string;
  readonly questionsFirst: (tool: string) => string;
  readonly questionsKept: (tool: string) => string;
  readonly questionChanged: string;
  readonly questionShared: (id: string) => string;
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
  /** An agent with `pin: strict` was changed while it waited. */
  readonly definitionChanged: (agent: string, parts: readonly DefinitionPart[]) => string;
  readonly continueChoice: string;
  readonly stayStoppedChoice: string;
  readonly forkChoice: string;
  readonly stopChoice: string;
  readonly noMoreToday: string;
  readonly faultHeadline: (title: string) => string;
  readonly limitHeadline: (title: string, limit: LimitName, used: number, allowed: number) => string;
  readonly limitText: (limit: LimitName) => string;
  readonly limitRefused: (limit: string) => string;
  /** For a call that a grant released while it waited. */
  readonly approvedByGrant: (pattern: string) => string;
  /** Why nobody has to decide about a limit any more. */
  readonly limitLifted: (limit: LimitName, used: number, allowed: number) => string;
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
  /**
   * `by`: the person who started the course, absent for the agent itself. `full`: the runtime started it because there was no room left.
   */
  readonly newCourse: (by: string | undefined, full: boolean) => string;
  readonly stillOwed: (who: string, what: string, told: readonly string[]) => string;
  readonly stillOpen: (asks: readonly string[]) => string;
  readonly stillAsked: (
    questions: readonly { readonly headline: string; readonly text: string; readonly options: readonly string[] }[],
  ) => string;
  readonly stillHeld: (calls: readonly { readonly headline: string; readonly text: string }[]) => string;
  readonly person: string;
  // Documents
  readonly askBackToChange: string;
  readonly documentCut: (shown: number, total: number) => string;
  readonly documentChanged: (path: string, content: string | undefined) => string;
  readonly documentUnseen: (path: string, content: string | undefined) => string;
  readonly documentTakenOver: (path: string) => string;
  readonly documentLinked: (path: string, part: string) => string;
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
  // The agent's situation
  readonly placeMain: string;
  readonly placeSide: (asker: string, nested: Nested) => string;
  readonly placeGuest: (owner: string) => string;
  readonly age: (ms: number) => string;
  readonly remindersHeader: string;
  readonly openAsksHeader: string;
  readonly openAsk: (ask: OpenAsk) => string;
  readonly isStalled: (why: string) => string;
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

export const texts = { en, zh } as const;
export type Language = keyof typeof texts;
