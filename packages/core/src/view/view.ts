import {
  type AgentId,
  type AskId,
  type CallId,
  type CallPart,
  type DialogId,
  type FormAnswer,
  type Image,
  isCall,
  type ModelMessage,
  type QuestionId,
  textOf,
  type TreeEvent,
  type TreeEventOf,
} from "@colloquy/schema";
import type { RanCall } from "../step/decide-call.ts";
import type { Words } from "../step/step-result.ts";
import { markers } from "./markers.ts";
import type { Texts } from "../texts/texts.ts";
import { headlineOf } from "../commands/title.ts";
import { type AskedQuestion, askedQuestion, closingWords, revised } from "./asked-question.ts";
import { awayBlock, NEW_INTERACTION, previousContext } from "./away-block.ts";
import { Delegation } from "./delegation.ts";
import { type AskedForm, FormAnswers } from "./form-answers.ts";
import { othersAnswer, othersWords } from "./others-words.ts";
import { type Pending, PendingMessages } from "./pending-messages.ts";
import { ShownCalls } from "./shown-calls.ts";
import { ShownMessages } from "./shown-messages.ts";
import { isWorthSaying, StalledNews } from "./stalled-news.ts";
import { TurnWords } from "./turn-words.ts";

/** An agent's name, as others are shown it. */
export type NameOf = (agent: AgentId) => string;

export interface ViewPlace {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly nameOf: NameOf;
  readonly texts: () => Texts;
  /** The person who started the tree. All other people are shown with their names. */
  readonly owner?: string | undefined;
  /** How many tokens fit. Only for agents in somebody else's dialog, where no new course can make room. */
  readonly room?: () => number | undefined;
}

/** A new course repeats at most this many messages from people for each answer that is owed. */
const MAX_REPEATED_MESSAGES = 20;

/** What a turn has to answer, in case it must be repeated. */
interface Owed {
  readonly who: string;
  readonly what: string;
  /** Whether messages may join the turn. */
  readonly isJoinable: boolean;
}

/**
 * What one agent is shown of one dialog's course. It is append-only: each request has the previous one as its prefix, so providers can
 * cache it. It is built from the tree's events in order and holds the words that the folded state does not.
 * Messages that arrive during a step are placed after that step's output, because that is when the agent reads them. Results come first
 * there, because providers want them right after their calls. A result is frozen once sent: if the agent took another step while a call was
 * open, an interim text took the result's place, and the answer follows as a message.
 */
export class AgentView {
  readonly #place: ViewPlace;
  readonly #shown = new ShownMessages();
  readonly #pending = new PendingMessages();
  readonly #calls = new ShownCalls((turn, { seq, label, output }) =>
    this.#push(seq, turn, system(`[System]: ${label}:\n${othersAnswer(output)}`)),
  );
  readonly #questions = new Map<QuestionId, AskedQuestion>();
  /** Questions that hold calls of this agent: approvals, and questions about limits. */
  readonly #holding = new Map<QuestionId, { readonly turn: number; readonly headline: string; readonly text: string }>();
  readonly #forms = new FormAnswers();
  /** Calls that have run on their layers and have not ended. */
  readonly #ran = new Map<CallId, RanCall>();
  readonly #delegations = new Map<CallId, Delegation>();
  readonly #openAsks = new Map<AskId, { readonly name: string; readonly headline: string }>();
  readonly #news = new StalledNews();
  readonly #owed = new Map<number, Owed>();
  /** Assignments in the session's queue. */
  readonly #queued = new Map<AskId, Owed>();
  /** Summaries that others handed on with a phase and that this agent has not been shown. */
  #handedOn: { readonly seq: number; readonly summary: string }[] = [];
  readonly #words = new TurnWords();
  readonly #spoken = new Set<number>();
  /** Events about questions that were withdrawn. A new course does not mention them. */
  readonly #withdrawn = new Set<number>();
  #lastTurn: number | undefined;
  #seq: number;
  /** Messages of the dialog seen so far, and the number of the last one shown. */
  #heard = 0;
  #sent = 0;
  #hasBlock = false;

  /** `after`: the view expects the events that follow this one. */
  constructor(place: ViewPlace, after: number) {
    this.#place = place;
    this.#seq = after;
  }

  /** The last event it has taken in. */
  get seq(): number {
    return this.#seq;
  }

  /** Estimated tokens of what is shown. */
  get tokens(): number {
    return this.#shown.tokens;
  }

  /** Estimated tokens that this turn's next step will add. */
  unreadTokens(turn: number): number {
    return this.#pending.tokens(turn) + this.#calls.unreadTokens;
  }

  /** The images in what is shown. */
  get images(): readonly Image[] {
    return this.#shown.images;
  }

  /** True if the last `show` included a block of what others wrote in the meantime. */
  get hasBlock(): boolean {
    return this.#hasBlock;
  }

  /** The number of the last message shown, in a dialog with this many messages. */
  index(messages: number): number {
    return messages - (this.#heard - this.#sent);
  }

  /** A call that waits for its result. */
  call(id: CallId): CallPart | undefined {
    return this.#calls.get(id)?.part;
  }

  /** The result of a call on its layer, if it has run there and has not ended. */
  ran(id: CallId): RanCall | undefined {
    return this.#ran.get(id);
  }

  /** The forms that the call's tool has shown to people so far, oldest first. */
  asked(id: CallId): readonly AskedForm[] {
    return this.#forms.of(id);
  }

  /** People's answers to those forms, by key. */
  formAnswers(id: CallId): ReadonlyMap<string, FormAnswer> {
    const call = this.#calls.get(id);
    return call ? this.#forms.answersFor(call.part, call.turn) : new Map();
  }

  /** What this turn said and was told, for the answer it owes. */
  words(turn: number): Words {
    return this.#words.of(turn);
  }

  /**
   * Everything up to `seen` that is for this turn, in display order. The array is shared and append-only. At a turn's first step, the
   * trigger follows everything said before it. If the agent was here before (`wasHere`), a block of what others wrote in the meantime comes
   * right before the trigger.
   */
  show(seen: number, turn: number, wasHere = false): readonly ModelMessage[] {
    for (const result of this.#calls.settle(seen, this.#place.texts)) this.#append(result);
    for (const [call, delegation] of this.#delegations) {
      const status = delegation.news(seen);
      if (status !== undefined) this.#push(delegation.toldSeq, delegation.turn, system(status));
      if (delegation.isTold) this.#delegations.delete(call);
    }
    const owed = this.#owed.get(turn);
    const isMine = (one: Pending) =>
      one.turn === turn || (one.turn === undefined && (one.kind !== "trigger" || owed?.isJoinable !== false));
    const due = this.#pending.take((one) => one.seq <= seen && isMine(one));
    this.#hasBlock = false;
    if (this.#lastTurn !== undefined && this.#lastTurn !== turn && owed && this.#spoken.has(turn)) {
      this.#append(system(`[System]: ${this.#place.texts().goesOn(`${owed.who}: "${headlineOf(owed.what)}"`)}`));
      this.#lastTurn = turn;
    }
    const trigger = this.#spoken.has(turn) ? due : this.#lead(due, seen, wasHere);
    const kept = this.#shown.length;
    for (const one of trigger) this.#present(one, seen);
    const room = this.#place.room?.();
    if (room !== undefined) this.#shown.fit(room, kept, this.#place.texts().notShown);
    return this.#shown.messages;
  }

  /**
   * A turn's first step: shows what was said before the trigger, and returns the trigger with what was said since. If one message addresses
   * several agents, each reads that message before the others' words.
   */
  #lead(due: readonly Pending[], seen: number, wasHere: boolean): readonly Pending[] {
    const first = due.findIndex((one) => one.kind === "trigger" || one.place !== one.seq);
    const before = first < 0 ? due : due.slice(0, first);
    for (const one of before) this.#present(one, seen);
    const said = before.filter((one) => one.kind === "said");
    const summary = this.#handedOn.findLast((one) => one.seq <= seen)?.summary;
    this.#handedOn = this.#handedOn.filter((one) => one.seq > seen);
    if (wasHere && said.length > 0) {
      this.#hasBlock = true;
      const lines = said.map(({ who = "", message }) => ({ who, text: "text" in message ? unattributed(message.text, who) : "" }));
      this.#append(system(awayBlock(lines, summary)));
      this.#append(system(NEW_INTERACTION));
    } else if (summary !== undefined) this.#append(system(previousContext(summary)));
    return due.slice(before.length);
  }

  #present({ message, news, nth = 0 }: Pending, seen: number): void {
    if (news && !isWorthSaying(news, seen)) return;
    if (news) news.wasShown = true;
    this.#append(message);
    this.#sent = Math.max(this.#sent, nth);
  }

  receive(seq: number, event: TreeEvent): void {
    this.#seq = seq;
    const isHere = event.dialog === this.#place.dialog;
    const isMine = isHere && "agent" in event && event.agent === this.#place.agent;
    switch (event.type) {
      case "message.added":
        if (isHere) this.#hearPerson(seq, event);
        return;
      case "note.added":
        if (isMine) this.#note(seq, event);
        return;
      case "phase.set":
        if (isHere && !isMine) this.#hearPhase(seq, event);
        return;
      case "step.ended":
        if (!isHere) return;
        if (event.agent === this.#place.agent) this.#speak(event);
        else this.#hear(seq, this.#place.nameOf(event.agent), othersWords(textOf(event.parts)));
        return;
      case "call.ran":
        if (isMine) this.#ran.set(event.call, event);
        return;
      case "call.ended":
        if (isMine) this.#endCall(seq, event);
        return;
      case "call.undone":
        if (isMine && event.refused === undefined) this.#hearUndone(seq, event);
        return;
      case "call.settled":
        if (isMine) this.#hearSettled(seq, event);
        return;
      case "turn.ended":
        if (isMine) this.#forget(event.turn);
        return;
      case "ask.opened":
        if (isMine) this.#ask(event);
        if (event.to === this.#place.dialog) this.#take(seq, event);
        return;
      case "assignment.begun": {
        const owed = this.#queued.get(event.ask);
        if (!isHere || !owed) return;
        this.#queued.delete(event.ask);
        this.#assign(seq, owed, event.agent);
        return;
      }
      case "ask.answered":
        if (isMine) this.#answerAsk(seq, event);
        return;
      case "question.asked":
        if (isMine && (event.kind === "question" || event.kind === "confirmation")) {
          this.#questions.set(event.question, askedQuestion(event));
          this.#forms.ask(event);
        } else if (isMine && event.call !== undefined && event.turn !== undefined)
          this.#holding.set(event.question, { turn: event.turn, headline: event.headline, text: event.text });
        return;
      case "question.revised": {
        const question = isMine ? this.#questions.get(event.question) : undefined;
        if (question) this.#questions.set(event.question, revised(question, event));
        return;
      }
      case "question.discussed":
        if (isMine) this.#discuss(seq, event);
        return;
      case "question.closed":
        if (isMine) this.#closeQuestion(seq, event);
        return;
      case "course.started":
        if (isHere) this.#startAnew(event);
        return;
      default:
        return;
    }
  }

  #note(seq: number, event: TreeEventOf<"note.added">): void {
    const message = system(`[System]: ${event.text}`);
    // A note that introduces a message is useless once its turn is over.
    if (event.before !== undefined && !this.#owed.has(event.turn)) return;
    if (event.ask === undefined)
      return this.#push(seq, event.turn, message, { place: event.before === undefined ? seq : event.before - 0.5 });
    const news = this.#news.tell(seq, event.ask, event.code === "side_resumed");
    this.#push(seq, event.turn, message, { news });
  }

  #hearPerson(seq: number, event: TreeEventOf<"message.added">): void {
    const { agent } = this.#place;
    const nth = ++this.#heard;
    const text = this.#attributed(event);
    const message: ModelMessage = { role: "user", text, ...(event.images && { images: event.images }) };
    if (!event.to.includes(agent)) return this.#push(seq, undefined, message, { kind: "said", who: event.by, nth });
    const turn = event.opens?.includes(agent) ? seq : this.#oldestTurn();
    if (turn === seq) this.#owed.set(seq, { who: event.by, what: event.content, isJoinable: true });
    else if (turn !== undefined) this.#words.tell(turn, text);
    this.#push(seq, turn, message, { kind: "trigger", nth });
  }

  /** With only one person in a dialog, no name is needed. */
  #attributed({ by, content }: TreeEventOf<"message.added">): string {
    const { owner } = this.#place;
    return owner === undefined || by === owner ? content : `[${by}]: ${content}`;
  }

  #oldestTurn(): number | undefined {
    for (const [turn, owed] of this.#owed) if (owed.isJoinable) return turn;
    return undefined;
  }

  #speak(event: TreeEventOf<"step.ended">): void {
    this.show(event.seen, event.turn, event.away ?? false);
    if (textOf(event.parts) !== "") this.#sent = ++this.#heard;
    this.#calls.made(event);
    const parts = event.parts.filter((part) => !isCall(part) || !part.inText);
    if (parts.length > 0) this.#append({ role: "assistant", parts, model: event.model });
    this.#lastTurn = event.turn;
    this.#spoken.add(event.turn);
    if (event.ends) return this.#forget(event.turn);
    this.#words.say(event);
  }

  /** The turn has ended. The next one reads what it had not read. */
  #forget(turn: number): void {
    this.#pending.leave(turn);
    this.#owed.delete(turn);
    this.#words.forget(turn);
    this.#spoken.delete(turn);
    this.#forms.forget(turn);
  }

  #hear(seq: number, who: string, text: string): void {
    if (text !== "") this.#push(seq, undefined, system(`[${who}]: ${text}`), { kind: "said", who, nth: ++this.#heard });
  }

  #hearPhase(seq: number, { agent, by, phase, why, summary }: TreeEventOf<"phase.set">): void {
    const { texts, nameOf } = this.#place;
    const who = agent === undefined ? (by ?? texts().person) : nameOf(agent);
    this.#push(seq, undefined, system(`[System]: ${texts().phaseWasSet(who, phase, why === undefined ? undefined : othersWords(why))}`));
    if (summary !== undefined) this.#handedOn.push({ seq, summary: othersWords(summary) });
  }

  /** Tells the agent that a command was undone; until then it assumes that the changes are there. */
  #hearUndone(seq: number, { by, tool, paths, more, output }: TreeEventOf<"call.undone">): void {
    const texts = this.#place.texts();
    const who = by ?? texts.person;
    const told = output === undefined ? texts.callUndone(who, tool, { paths, more }) : texts.callTakenBack(who, tool, output);
    this.#push(seq, undefined, system(`[System]: ${told}`));
  }

  #hearSettled(seq: number, { by, tool, as, note, undo }: TreeEventOf<"call.settled">): void {
    const texts = this.#place.texts();
    if (undo) {
      if (as === "done") this.#push(seq, undefined, system(`[System]: ${texts.callTakenBack(by ?? texts.person, tool, note ?? "")}`));
      return;
    }
    this.#push(seq, undefined, system(`[System]: ${texts.callSettled(by ?? texts.person, tool, as, note)}`));
  }

  /** This agent asks. Its call waits for as many answers as it made asks. */
  #ask(event: TreeEventOf<"ask.opened">): void {
    this.#openAsks.set(event.ask, { name: this.#place.nameOf(event.recipient), headline: headlineOf(event.content) });
    if (event.call === undefined) return;
    if (event.kind === "delegate") {
      const delegation = this.#delegations.get(event.call) ?? new Delegation(event.turn, event.wait ?? "each");
      delegation.add(event.ask, this.#place.nameOf(event.recipient));
      this.#delegations.set(event.call, delegation);
      return;
    }
    this.#calls.asked(event.ask, event.call);
  }

  /** Another agent gives this one an assignment, or asks back. */
  #take(seq: number, event: TreeEventOf<"ask.opened">): void {
    const { texts, nameOf } = this.#place;
    const asker = nameOf(event.agent);
    const isMine = event.recipient === this.#place.agent;
    if (event.kind === "tellaskBack" && !isMine) return;
    if (event.kind === "tellaskBack") {
      const quote = event.about === undefined ? "" : (this.#openAsks.get(event.about)?.headline ?? "");
      this.#owed.set(seq, { who: asker, what: event.content, isJoinable: false });
      const words = `[${asker}]: ${texts().asksBackAbout(asker, quote)}\n\n${markers.askBack}\n${othersWords(event.content)}`;
      this.#push(seq, seq, system(words), { kind: "trigger" });
      return;
    }
    const isFresh = event.kind === "freshBootsReasoning";
    const header = isFresh ? `${texts().freshHeader(event.agent)}\n${texts().noTools}` : texts().assignmentHeader(event.agent);
    const content = othersWords(event.content);
    const owed = { who: asker, what: isMine ? `${header}\n\n${content}` : content, isJoinable: true };
    if (event.queued) this.#queued.set(event.ask, owed);
    else this.#assign(seq, owed, event.recipient);
  }

  /** Assigns work to the dialog's own agent. Other agents in the dialog see it as words of the asker. */
  #assign(seq: number, owed: Owed, to: AgentId): void {
    if (to !== this.#place.agent) return this.#hear(seq, owed.who, owed.what);
    this.#owed.set(seq, owed);
    this.#push(seq, seq, { role: "user", text: owed.what }, { kind: "trigger", nth: ++this.#heard });
  }

  #answerAsk(seq: number, event: TreeEventOf<"ask.answered">): void {
    const name = this.#openAsks.get(event.ask)?.name ?? "";
    this.#openAsks.delete(event.ask);
    this.#news.answered(seq, event.ask);
    const call = this.#calls.takeAsk(event.ask);
    for (const delegation of this.#delegations.values()) if (delegation.answer(event.ask, event.content, event.outcome, seq)) return;
    const sign = event.marker === undefined ? "" : `${markers[event.marker]}\n`;
    this.#calls.answer(call, event.turn, {
      seq,
      output: sign + othersWords(event.content),
      failed: event.outcome !== undefined,
      label: this.#place.texts().answerTo(name, event.quote),
    });
  }

  #closeQuestion(seq: number, event: TreeEventOf<"question.closed">): void {
    const question = this.#questions.get(event.question);
    this.#questions.delete(event.question);
    this.#holding.delete(event.question);
    if (!question) {
      if (event.arguments !== undefined) this.#calls.changeInput(event.question as string as CallId, event.arguments);
      return;
    }
    if (question.isForm) {
      if (question.call !== undefined) this.#forms.close(question.call, event);
      return;
    }
    const texts = this.#place.texts();
    const input = (question.call && this.#calls.get(question.call)?.part.input) as { readonly otherwise?: string } | undefined;
    const said = closingWords(event, input?.otherwise, texts);
    if (event.as === "answered" && question.turn !== undefined) this.#words.tell(question.turn, `${question.headline} ${said}`);
    if (event.as === "withdrawn") this.#withdrawn.add(seq);
    const output = question.isReused ? `${texts.askedBefore} ${said}` : said;
    this.#calls.answer(question.call, question.turn, { seq, output, failed: false, label: texts.answerToQuestion(question.words) });
  }

  #discuss(seq: number, event: TreeEventOf<"question.discussed">): void {
    const headline = this.#questions.get(event.question)?.headline ?? "";
    const by = event.by ?? this.#place.texts().person;
    this.#owed.set(seq, { who: by, what: event.content, isJoinable: false });
    const text = `${this.#place.texts().personAsksBack(by, headline)}\n\n${event.content}`;
    this.#push(seq, seq, { role: "user", text }, { kind: "trigger" });
  }

  #endCall(seq: number, event: TreeEventOf<"call.ended">): void {
    const part = this.#calls.get(event.call)?.part;
    this.#ran.delete(event.call);
    this.#forms.end(part, event);
    const tool = part?.tool;
    const label = tool === undefined ? this.#place.texts().earlierCall : this.#place.texts().lateResult(tool);
    // The call's result was fixed when its turn was given up. The next turn reads what the call really did.
    if (event.late) return this.#push(seq, undefined, system(`[System]: ${label}:\n${othersWords(event.output)}`));
    this.#calls.answer(event.call, event.turn, { seq, output: event.output, failed: event.outcome !== undefined, label });
  }

  /** Drops everything from the last course, and repeats what is owed, open, unread or newly answered. */
  #startAnew({ by, full }: TreeEventOf<"course.started">): void {
    const texts = this.#place.texts();
    this.#shown.clear();
    this.#handedOn = [];
    this.#lastTurn = undefined;
    // Messages for an open turn are still to be read; all others are history.
    this.#pending.keep((one) => one.turn !== undefined && this.#owed.has(one.turn) && !this.#withdrawn.has(one.seq));
    for (const [call, { turn }] of this.#delegations) if (!this.#owed.has(turn)) this.#delegations.delete(call);
    this.#calls.startAnew((turn) => this.#owed.has(turn));
    // A turn's id is the `seq` of the event that opened it. If that event is unread, it says itself what is owed.
    const unread = this.#pending.seqs();
    const owed = [...this.#owed]
      .filter(([turn]) => !unread.has(turn))
      .map(([turn, { who, what }]) => texts.stillOwed(who, what, this.#toldAndRead(turn)));
    const open =
      this.#openAsks.size > 0 ? [texts.stillOpen([...this.#openAsks.values()].map(({ name, headline }) => `${name}: ${headline}`))] : [];
    this.#pending.open([texts.newCourse(by, full ?? false), ...owed, ...open, ...this.#stillAsked()].join("\n\n"));
  }

  /** Its own unanswered questions and its calls that wait for a person, in full, because the new course shows nothing else about them. */
  #stillAsked(): readonly string[] {
    const texts = this.#place.texts();
    const isOpen = ({ turn }: { readonly turn: number | undefined }) => turn !== undefined && this.#owed.has(turn);
    const questions = [...this.#questions.values()].filter(isOpen);
    const asked = questions.filter((one) => !one.isForm);
    const held = [...this.#holding.values(), ...questions.filter((one) => one.isForm)].filter(isOpen);
    return [...(asked.length > 0 ? [texts.stillAsked(asked)] : []), ...(held.length > 0 ? [texts.stillHeld(held)] : [])];
  }

  /** What people told this turn and it has read. The new course would otherwise lose it. */
  #toldAndRead(turn: number): readonly string[] {
    const unread = this.#pending.texts();
    return this.words(turn)
      .told.filter((said) => !unread.has(said))
      .slice(-MAX_REPEATED_MESSAGES);
  }

  /** Adds a message for a turn, or for the next one if that turn is over. */
  #push(seq: number, turn: number | undefined, message: ModelMessage, about: Partial<Pending> = {}): void {
    const to = turn !== undefined && this.#owed.has(turn) ? turn : undefined;
    this.#pending.add({ seq, place: seq, turn: to, message, kind: "notice", ...about });
  }

  #append(message: ModelMessage): void {
    this.#shown.append(message);
  }
}

const system = (text: string): ModelMessage => ({ role: "system", text });

/** The block names every speaker itself, so the prefix is removed. */
const unattributed = (text: string, who: string): string => (text.startsWith(`[${who}]: `) ? text.slice(who.length + 4) : text);
