import type { QuestionView } from "@colloquy/library";
import { readDuration } from "@colloquy/schema";
import type { ProjectAccess } from "../../access/project-access.ts";
import { shortId } from "../../dialogs/ids.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { print, tell } from "../../line/output.ts";

export const ask = defineCommand({
  words: ["TEXT…"],
  options: {
    choice: { takes: "LABEL", repeats: true, about: { en: "a choice; repeat it for each", zh: "一个选项；每个选项重复一次" } },
    multiple: { about: { en: "several choices may be taken", zh: "可以选择多个" } },
    only: { about: { en: "only the choices count, no other words", zh: "只能选，不能用自己的话回答" } },
    deadline: {
      takes: "TIME",
      about: { en: "when the question expires: 30m, 2h, 3d, or an ISO time", zh: "提问何时过期：30m、2h、3d 或 ISO 时间" },
    },
    otherwise: {
      takes: "LABEL",
      about: { en: "the choice that you will take if nobody answers in time", zh: "无人按时回答时你将采用的选项" },
    },
    program: {
      takes: "NAME",
      about: { en: "who asks, for people (default: your name)", zh: "以谁的名义提问，供人阅读（默认：你的名字）" },
    },
    "msg-id": {
      takes: "ID",
      about: {
        en: "your id for the question: asking again under the same one asks once",
        zh: "你给提问的 id：以同一 id 再次提问，只问一次",
      },
    },
    wait: { about: { en: "wait for the answer and print it", zh: "等待回答并打印" } },
    timeout: {
      takes: "TIME",
      about: {
        en: "with --wait: leave after 30s, 5m or 2h; the question stays open",
        zh: "与 --wait 合用：30s、5m 或 2h 之后离开；提问保持未答",
      },
    },
  },
  about: {
    en:
      "Asks the project's people, for a script or another program. The first line of TEXT (- reads it from standard input) is the headline. " +
      "It prints the question's id; the question is in the inbox until somebody answers, also after a restart.",
    zh: "由脚本或其他程序向项目中的人提问。TEXT 的第一行（- 表示从标准输入读取）是标题。会打印提问的 id；在有人回答之前，提问一直在待办箱中，重启之后也在。",
  },
  examples: [
    ['colloquy ask "Deploy to production?" --choice Yes --choice No', { en: "prints the id", zh: "打印 id" }],
    [
      'answer=$(colloquy ask --wait --choice Yes --choice No "Deploy?")',
      { en: "waits for a person; needs a running server", zh: "等人回答；须有正在运行的服务器" },
    ],
  ],

  async run(call) {
    const { values, words, shell } = call;
    const [headline = "", ...rest] = (await textFrom(words, call)).trim().split("\n");
    const timeoutMs = values.timeout === undefined ? undefined : readDuration(values.timeout);
    if (values.timeout !== undefined && timeoutMs === undefined)
      throw wrongUsage(`--timeout takes a time such as 30s, 5m or 2h, not "${values.timeout}".`);
    const text = rest.join("\n").trim();
    return withProject(
      call,
      async (project) => {
        if (values.wait && !project.isServed)
          throw refused(
            "not_running",
            "While this command waits, nobody could answer. Start a server first: colloquy serve. Or leave out --wait.",
          );
        const asked = await project.ask({
          headline,
          ...(text !== "" && { text }),
          ...(values.choice && { options: [...values.choice] }),
          ...(values.multiple && { multiple: true }),
          ...(values.only && { allowOther: false }),
          ...(values.deadline !== undefined && { deadline: values.deadline }),
          ...(values.otherwise !== undefined && { otherwise: values.otherwise }),
          ...(values.program !== undefined && { program: values.program }),
          ...(values["msg-id"] !== undefined && { msgId: values["msg-id"] }),
        });
        if (!values.wait) {
          print(call, { ...asked }, () => `${shortId(asked.questionId)}\n`);
          return ExitCode.done;
        }
        tell(call, `Waiting for an answer to ${shortId(asked.questionId)}${asked.url === undefined ? "" : `: ${asked.url}`}`);
        const signals = [shell.interrupts.signal, ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
        return closing(call, await whenClosed(project, asked, AbortSignal.any(signals)));
      },
      "touched",
    );
  },
});

/** The question once it is closed; when the signal comes, its current state. */
async function whenClosed(
  project: ProjectAccess,
  { questionId, rootId, seq }: Awaited<ReturnType<ProjectAccess["ask"]>>,
  signal: AbortSignal,
) {
  for await (const { events } of project.follow(rootId, seq, signal))
    if (events.some((event) => event.type === "question.closed" && event.question === questionId)) break;
  return project.question(questionId);
}

function closing(call: Pick<Call, "shell" | "json">, question: QuestionView): ExitCode {
  const { status, answer, id } = question;
  const words = answer === undefined ? "" : [answer.choice?.join(", "), answer.content].filter(Boolean).join("\n");
  if (status === "answered") {
    print(call, { questionId: id, status, ...(answer && { answer }) }, () => `${words}\n`);
    return ExitCode.done;
  }
  if (call.json) print(call, { questionId: id, status }, () => "");
  tell(
    call,
    status === "open"
      ? `Nobody has answered ${shortId(id)} yet; it stays open.`
      : `The question was ${status}${words === "" ? "." : `: ${words}`}`,
  );
  return status === "open" ? ExitCode.waiting : ExitCode.refused;
}
