export { apply, applyAll } from "./state/apply.ts";
export { accept, type Decision, refuse } from "./state/decision.ts";
export { entryOf } from "./state/entry.ts";
export { hash } from "./state/hash.ts";
export { type AppliedCall, appliedCall, isBeingUndone } from "./state/past-call.ts";
export { decideAsking, OUTSIDE } from "./commands/decide-asking.ts";
export { projectPart } from "./state/project-part.ts";
export { refuseUsed, type SignedCommand } from "./state/project-receipt.ts";
export { applyToProject, decideCreation, emptyProject, type Notice, type Project, type ProjectGrant, withoutOld } from "./state/project.ts";
export { projectFrom, projectSnapshot, readersSnapshot, REDUCER_VERSION, treeFrom, treeSnapshot } from "./state/snapshot.ts";
export {
  type Call,
  type Dialog,
  emptyTree,
  mainDialog,
  type Question,
  receiptKey,
  type Run,
  runOf,
  type Tree,
  type Turn,
  turnAt,
  type Unwritten,
} from "./state/tree.ts";
export { treeProblems } from "./state/tree-problems.ts";
export { type Day, dayGate, decideDayQuestion, endOfDay } from "./gate/day.ts";
export { type Move, nextMove } from "./gate/next-move.ts";
export { byUrgency } from "./gate/urgency.ts";
export { stuckAsk } from "./gate/waiting-invariant.ts";
export { decideDocument } from "./commands/decide-document.ts";
export { decideLift, openLimits } from "./commands/decide-lift.ts";
export { type DeletedTree, decideDeletion, decideDismissNotice, decideRevocation, deletedText } from "./commands/decide-project.ts";
export { approvedTool, decideExpiry, nextDeadline } from "./commands/decide-question.ts";
export { decideUndone, undoRefusal, type UndoResult } from "./commands/decide-undo.ts";
export { decide } from "./commands/decide.ts";
export { fittingNames } from "./commands/fitting-names.ts";
export { decideGranted, grantFor, type HeldParts, openApprovals } from "./commands/grant.ts";
export { decideTitle } from "./commands/title.ts";
export {
  type CallResult,
  decideApprovedInVain,
  decideCallEnd,
  decideCallRan,
  decideCallStart,
  decideHeldCall,
  decideToolQuestion,
  mayBegin,
  type RanCall,
  type StagedRun,
} from "./step/decide-call.ts";
export { decideDefinition, definitionToRecord, newlyChanged } from "./step/definition.ts";
export { decideStep } from "./step/decide-step.ts";
export { decideAttempt, decideCut, decideHalt } from "./step/interrupted-step.ts";
export { inShort } from "./step/message-size.ts";
export type { CallRef } from "./step/step-decision.ts";
export type { StepRef } from "./step/step-result.ts";
export { decideSummary, isSummaryDue } from "./step/summary.ts";
export { type EffectNews, effectNews } from "./effects/effect-news.ts";
export { type EffectRow, effectView, outcomeOf, withNews } from "./effects/effect-row.ts";
export { clearForRoom } from "./builtin/clear-mind.ts";
export { acknowledgement, type BusyReply, decideBusyReply, readBusyReply } from "./asks/busy-reply.ts";
export { compareStories } from "./copies/compare.ts";
export { Story } from "./copies/story.ts";
export { copiedEvents } from "./copies/copied-events.ts";
export { type CopiedDocument, type Copying, decideCopy, decideCopying } from "./copies/decide-copy.ts";
export { isOfTree, renaming } from "./copies/renaming.ts";
export { completions } from "./asks/completions.ts";
export { parseTextAsks } from "./asks/text-asks.ts";
export { objectsIn } from "./output/lenient-json.ts";
export type { Card } from "./questions/card.ts";
export { offeredChoices } from "./questions/choice-code.ts";
export { noticeView, notificationsOf, type QuestionChanges, questionChanges } from "./questions/notification.ts";
export { decideTaskClosing } from "./tasks/decide-close.ts";
export { decideSharedEnd } from "./tasks/decide-shared.ts";
export { decideFirstTake, decideNextTake, type Taking, taskConfig, type TaskFile, taskFolder } from "./tasks/decide-take.ts";
export { decideNewTask, decideTaskChange, findTask } from "./tasks/decide-task.ts";
export { endLostSections, hasOpenSection, sharesIn, sharesToClose } from "./tasks/section.ts";
export { isHeldSection, openIn, readyTasks, releaseLost, statusOf, type Task, type Tasks, tasksAtWork, taskView } from "./tasks/task.ts";
export { excerpt, isTaskDocPath, memoryFolder, type Section, sectionPath, SECTIONS } from "./tasks/taskdoc.ts";
export { shownByGit } from "./classify/git-reads.ts";
export type { ProjectPlace } from "./classify/path.ts";
export { matches } from "./classify/pattern.ts";
export { type ActRules, type Judging, judgeEffects, type Verdict, verdictOn, verdictOnEffects } from "./classify/verdict.ts";
export { builtinOffers } from "./prompt/builtin-offers.ts";
export { NO_PAPERS, type Papers, promptHead } from "./prompt/prompt.ts";
export type { Roster, Rules } from "./prompt/rules.ts";
export { situationMark, situationNews } from "./prompt/situation.ts";
export { contextGauge } from "./view/context-gauge.ts";
export type { AskedForm } from "./view/form-answers.ts";
export { Segments } from "./view/segments.ts";
export { refuseTooLarge, tokensOf, tooLarge } from "./view/tokens.ts";
export { viewStart } from "./view/view-start.ts";
export { AgentView, type ViewPlace } from "./view/view.ts";
export { masked, secretsIn } from "./texts/masked.ts";
export { type Language, type Texts, texts } from "./texts/texts.ts";
export { dialogView } from "./projections/dialog-view.ts";
export { lineDiff } from "./projections/line-diff.ts";
export {
  changedDialogs,
  delegationSayings,
  type ProjectionFile,
  projectionsOf,
  responseFile,
  type Sayings,
  sayingsIn,
} from "./projections/projections.ts";
export { questionView } from "./projections/question-view.ts";
export { type TreeNode, treeView } from "./projections/tree-view.ts";
