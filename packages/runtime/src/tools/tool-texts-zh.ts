import type { ToolTexts } from "./tool-texts.ts";

export const zh: ToolTexts = {
  folderPath: "相对于项目文件夹的路径",
  listDir:
    "列出项目中的一个文件夹：每行一个名字，文件夹名后带 /，链接写明指向何处。.gitignore 排除的内容在末尾列出名字；要查看这样的文件夹，请直接给出它的路径。",
  emptyFolder: "（空）",
  moreEntries: (count) => `…… 另有 ${count} 项。请用 search_files 查找：pattern 留空，给出此路径，以及“a*”之类的 glob。`,
  leftOut: (names) => `（.gitignore 排除：${names}）`,
  isFile: (path) => `“${path}”是文件，请用 read_file。`,
  readFile: "阅读项目中的一个文本文件。长文件只给出一部分：其余请用 from 和 to（行号，从 1 起）阅读。",
  firstLine: "第一行的行号",
  lastLine: "最后一行的行号",
  notUtf8: "…… 此文件不是 UTF-8，按 Latin-1 读出。",
  noLine: (line, count) => `…… 没有第 ${line} 行：该文件共 ${count} 行。`,
  longLine: (line, count, characters) =>
    `…… 第 ${line} 行（共 ${count} 行）未完：该行共 ${characters} 个字符，过长，无法全部显示。请用 search_files，或 run_command（cut -c）。`,
  moreLines: (from, to, count) => `…… 第 ${from} 至 ${to} 行，共 ${count} 行；其余请从 from: ${to + 1} 继续阅读。`,
  writeFile: "写入项目中的一个文本文件（整个文件）。所需文件夹会自动创建，已有的文件会被替换。只改动一部分时，请用 edit_file。",
  wrote: (bytes, path) => `已向 ${path} 写入 ${bytes} 字节。`,
  editFile:
    "替换项目文件中的一段文字。old 必须与文件中的文字完全一致（包括空白和缩进），并且只出现一次：请多带前后几行使其唯一，或设 all 替换全部。请先阅读文件。若不一致，则不作任何改动，并显示最接近的位置。",
  oldText: "现有的文字",
  newText: "替换成的文字；留空即删除",
  everyPlace: "替换所有出现之处",
  sameText: "无须改动：old 与 new 相同。",
  notEditable: (path) => `“${path}”不是 UTF-8，在此编辑会损坏它。请用 run_command。`,
  replaced: (count, path, lines) => `已替换 ${path} 中的 ${count} 处，位于第 ${lines} 行。`,
  severalPlaces: (count, path, lines) =>
    `未作改动：old 在 ${path} 中出现了 ${count} 次（第 ${lines} 行）。请多带所指位置的前后几行，或设 all 替换全部。`,
  notFound: (path) => `未作改动：${path} 中没有 old，也没有相近的文字。文件可能已有改动，请重新阅读。`,
  nearestPlace: (path, line, isWhiteSpaceOnly, shown) =>
    `未作改动：${path} 中没有 old。最接近的是第 ${line} 行${isWhiteSpaceOnly ? "，只有空白不同" : ""}：\n${shown}\n请照原样抄录那里的文字，不带行号。`,
  searchFiles:
    "在项目的文本文件中逐行搜索正则表达式（JavaScript 语法），给出“文件:行号: 文字”。不搜索 .gitignore 排除的内容，除非 path 就在其中。pattern 留空则列出文件。",
  pattern: "正则表达式，如“function \\\\w+Date”；(?i:…) 不分大小写；留空：所有文件",
  searchPath: "要搜索的文件夹或文件，相对于项目文件夹",
  glob: "哪些文件，写法同 .gitignore：“*.ts”、“src/**/*.{ts,tsx}”、“!*.test.ts”",
  notFinished: (seconds) => `…… 未完成：已超过 ${seconds} 秒。请用 path 或 glob 缩小范围，或改用更简单的 pattern。`,
  tooLargeToSearch: (names) => `…… 过大而未搜索：${names}`,
  nothingFound: (files) => `在 ${files} 个文件中没有找到。`,
  moreHits: (count) => `…… 结果不止这 ${count} 条。请用 path、glob 或 pattern 缩小范围。`,
  runCommand: (hasNetwork) =>
    [
      "在项目文件夹中执行一条 shell 命令（bash），给出其退出码和输出。",
      "它看得到系统的程序和本项目，看不到隐藏的和项目之外的内容，也看不到任何密钥；执行中无法向它输入，它启动的一切随它结束。",
      hasNetwork ? "可以访问网络。" : "没有网络。",
      "读写文件请优先使用文件工具。",
    ].join(""),
  cwd: "在哪个文件夹中执行，相对于项目文件夹",
  timeoutMs: "多少毫秒后结束",
};
