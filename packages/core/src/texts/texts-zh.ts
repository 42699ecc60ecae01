import { cardTexts } from "./card-texts.ts";
import { conversationTexts } from "./conversation-texts.ts";
import { copyTexts } from "./copy-texts.ts";
import { endingTexts } from "./ending-texts.ts";
import { layerTexts } from "./layer-texts.ts";
import { taskTexts } from "../tasks/task-texts.ts";
import { ageIn, amount, listItem } from "../asks/text-parts.ts";
import type { Texts } from "./texts.ts";

export const zh: Texts = {
  ...conversationTexts.zh,
  ...taskTexts.zh,
  ...cardTexts.zh,
  ...copyTexts.zh,
  ...endingTexts.zh,
  ...layerTexts.zh,
  emptyEnd: "你上一次的回复是空的。请说明你的发现或所做的事，或者继续使用工具。",
  repeatedCall: (tool) => `你已三次以相同的输入调用 ${tool}，结果都相同。请换一种办法，或说明受阻之处。`,
  stoppedForRepetition: (tool) => `它反复以相同的输入调用 ${tool}，结果始终相同。`,
  crashedRepeatedly: "每次执行这一步时进程都崩溃了，最后一次没有其他工作在进行。",
  unknownTool: (tool, known) => `没有名为“${tool}”的工具。可用的有：${known.join("、") || "无"}。`,
  unfitInput: (tool, problems) => `该输入不符合 ${tool} 的要求，问题仍未决定。${problems}`,
  badInput: (tool, problems) => `${tool} 未执行：输入不符合要求。${problems}`,
  unreadableInput: (tool) => `${tool} 未执行：输入不是有效的 JSON。`,
  approvalNeeded: (tool) => `${tool} 未执行：现在须先由人批准。请再次调用，届时会请人批准。`,
  questionLost: "提出这个问题的对话已丢失。",
  dialogLost: "它的对话已丢失。",
  effectUnknown: "是否已生效未知：重试之前请先查看。",
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
  agentUnknown: (agent) => `本项目的文件中没有智能体“${agent}”。请启动定义它的程序，工作会在那里继续。`,
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
  sideStopped: (name, headline, reason) =>
    `你请托 ${name} 的“${headline}”已被停住：${reason} 没有丢失任何内容：请托仍然有效，有人恢复后 ${name} 会继续。`,
  sideResumed: (name, headline) => `你请托 ${name} 的“${headline}”已恢复进行。`,
  notDone: (left) => `尚未完成。仍未结：${left.join("；")}。`,
  badOtherwise: (label, labels) => `“otherwise”必须是某个选项的标签（${labels.join("、") || "没有选项"}），而不是“${label}”。`,
  questionIsClosed: "该提问已结束。",
  unreadableQuestions:
    '你的 open_questions 无法读取，因此没有向任何人提问。请以一个 JSON 对象结束：{"open_questions": [{"id": "q1", "text": "……？", "options": ["甲", "乙"]}]}。',
  unreadableHeadline: (name) => `${name} 的提问无法读取`,
  askedBefore: "你之前问过这个问题。",
  confirmedBefore: "已请求过一次确认，不会再有第二次。请自行决定。",
  askAnew: "如需新的回答，请说明有何变化，并换一种说法提问。",
  questionsKept: (tool) => `${tool} 未执行：它会撤回同一输出中的提问。请在这些提问结束之后再调用。`,
  questionsFirst: (tool) => `${tool} 未执行：你在同一输出中提出了未结提问，回答之前不会创建任何内容。`,
  questionShared: (id) => `此提问与提问 ${id} 等待同一个回答。请回答后者。`,
  questionChanged: "该提问在你看过之后有改动，请再看一次。",
  questionOver: (question) => {
    const by = question.closed?.by;
    const words = question.closed?.choice?.join("、") || question.closed?.content;
    const done = { approved: "已经批准", denied: "已经拒绝", changed: "已经修改后批准" };
    const decided = question.closed?.verdict ? done[question.closed.verdict] : "已经回答";
    if (question.status === "answered" && by !== undefined) return `${by} ${decided}${words ? `：“${words}”` : ""}。`;
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
  definitionChanged: (agent, parts) => {
    const names = { role: "角色", tools: "工具", schemas: "工具的参数", model: "模型" };
    return `${agent} 在等待期间被改动了：${parts.map((part) => names[part]).join("、")}。它的定义是固定的，所以没有继续。`;
  },
  continueChoice: "按新的定义继续",
  stayStoppedChoice: "保持停止",
  forkChoice: "保持停止，另建副本试用新的定义",
  stopChoice: "停止",
  noMoreToday: "今天到此为止",
  faultHeadline: (title) => `“${title}”已停`,
  limitHeadline: (title, limit, used, allowed) =>
    `${limit === "costPerDay" ? "本项目" : `“${title}”`}已达 limits.${limit}：${amount(limit, used)} / ${amount(limit, allowed)}。再给多少继续？`,
  limitText: (limit) => `colloquy.yaml 中的 limits.${limit} 用来防止工作失控。你决定期间不会丢失任何内容。`,
  approvedByGrant: (pattern) => `与同类调用一并批准：${pattern}`,
  limitLifted: (limit, used, allowed) =>
    allowed === Infinity
      ? `无需再决定：limits.${limit} 已不再设置。工作继续。`
      : `无需再决定：limits.${limit} 又有余量（${amount(limit, used)} / ${amount(limit, allowed)}）。工作继续。`,
  limitRefused: (limit) => `未执行：已达 limits.${limit}，有人决定到此为止。`,
  reminderAdded: (nth) => `提醒项 ${nth} 已保存。`,
  reminderChanged: (nth) => `提醒项 ${nth}：完成。`,
  noReminder: (nth, known) => `没有提醒项 ${nth}。现有：${known.join("、") || "无"}。`,
  assignmentHeader: (asker) =>
    `你是当前被诉请者对话（tellaskee dialog）的主理人；诉请者对话（tellasker dialog）为 @${asker}（当前发起本次诉请）。`,
  freshHeader: (asker) => `这是一次 FBR 支线对话；诉请者对话为 @${asker}（可能与当前对话同一 agent）。`,
  noTools:
    "此处没有工具，也不能请托任何人：请就下文推理，列出缺少的内容，然后回复。给出答案时首行写【FBR-直接回复】，只有推理时首行写【FBR-仅推理】。",
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
  stillAsked: (questions) =>
    `你向人提出、尚未得到回答的问题：\n${questions
      .map(({ headline, text, options }) => listItem(headline, text, options.length > 0 ? `选项：${options.join("；")}` : ""))
      .join("\n")}`,
  stillHeld: (calls) => `你的以下调用正等待人决定：\n${calls.map(({ headline, text }) => listItem(headline, text)).join("\n")}`,
  person: "某人",
  askBackToChange: "只有主对话可以修改任务文档。请用 tellaskBack 请求修改。",
  documentCut: (shown, total) => `…… 在此截断：共 ${total} 个字符，显示 ${shown} 个。内容过长，无法全部阅读；请人加以缩短。`,
  documentChanged: (path, content) => (content === undefined ? `${path} 已删除。` : `${path} 已修改，现为：\n\n${content}`),
  documentUnseen: (path, content) =>
    content === undefined
      ? `未修改：${path} 已被删除。如仍需要，请重试。`
      : `未修改：${path} 与你所见不同，现为：\n\n${content}\n\n请合并后重试。`,
  documentLinked: (path, part) =>
    `已拒绝：${part} 是链接，或是另有名称的文件，因此不读取也不写入 ${path}。请让人把它换成独立的文件或文件夹。`,
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
  placeSide: (asker, { depth, main, session, branch }) =>
    [
      `这是子对话：@${asker} 请托了你，你的回复会交给 @${asker}。`,
      `它位于 @${main.agent} 的主对话“${main.title}”之下第 ${depth} 层。`,
      ...(session === undefined ? [] : [`它是你的会话“${session}”：这里说过的内容会保留到下一次请托。`]),
      ...(branch === undefined ? [] : [`请在分支 ${branch} 上工作。`]),
    ].join(""),
  placeGuest: (owner) => `这是 @${owner} 的对话，你是被请来的：请回答对你说的话。`,
  age: (ms) => ageIn(ms, { now: "片刻", minutes: "分钟", hours: "小时", days: "天" }, " "),
  remindersHeader: "你的提醒项，按编号（update_reminder、delete_reminder）：",
  openAsksHeader: "你在等待：",
  openAsk: ({ agent, headline, age, why, side }) =>
    `@${agent}${side === undefined ? "" : `（子对话 ${side}）`}，已等${age}：${headline}${why === undefined ? "" : `（${why}）`}`,
  isStalled: (why) => `已停：${why}`,
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
