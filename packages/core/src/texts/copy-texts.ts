type Copy = "fork" | "import";

/** What agents and people read in copies of dialogs. */
export interface CopyTexts {
  readonly copiedDuringCall: (tool: string, as: Copy) => string;
  readonly layerNotCopied: (tool: string, as: Copy) => string;
  readonly approvedInOriginal: (tool: string) => string;
  readonly askedInOriginal: string;
  /** Why a call asks although the settings would let it run. */
  readonly heldInWhatIf: string;
}

const NAMES_EN = { fork: "forked", import: "exported" } as const;
const NAMES_ZH = { fork: "分叉", import: "导出" } as const;

const en: CopyTexts = {
  copiedDuringCall: (tool, as) =>
    `Outcome unknown: this dialog was ${NAMES_EN[as]} while ${tool} ran. It was not run again here. Check what it did before you repeat it.`,
  layerNotCopied: (tool, as) =>
    `Not applied: this dialog was ${NAMES_EN[as]} while the changes of ${tool} waited. The files here are unchanged. Run it again if you need them.`,
  approvedInOriginal: (tool) => `Not run: ${tool} was approved in the original dialog, once. If it is needed here as well, call it again.`,
  askedInOriginal: "Asked in the original dialog.",
  heldInWhatIf: "This dialog is a what-if: every effect needs your approval.",
};

const zh: CopyTexts = {
  copiedDuringCall: (tool, as) =>
    `结果未知：本对话在 ${tool} 运行期间被${NAMES_ZH[as]}，此处没有重新运行。请先查明它做了什么，再决定是否重做。`,
  layerNotCopied: (tool, as) => `未应用：本对话被${NAMES_ZH[as]}时，${tool} 的改动还在等待。这里的文件没有变化，如有需要请重新运行。`,
  approvedInOriginal: (tool) => `未运行：${tool} 是在原对话中获得批准的，只能用一次。如果这里也需要，请重新调用。`,
  askedInOriginal: "已在原对话中提问。",
  heldInWhatIf: "本对话是一次假设推演：任何有实际影响的调用都需要你批准。",
};

export const copyTexts = { en, zh } as const;
