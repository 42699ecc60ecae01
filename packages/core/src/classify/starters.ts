// Programs that start other programs, and those that start none.

/** A wrapper's options that take a value, and the number of words between its options and the command. */
export interface Wrapper {
  readonly valued: readonly string[];
  readonly skips?: number;
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: ["-u", "-g", "-p", "-C", "-h", "-U", "-r", "-t", "-D", "-T", "--user", "--group"] },
  doas: { valued: ["-u", "-C"] },
  env: { valued: ["-u", "-C", "--unset", "--chdir"] },
  nohup: { valued: [] },
  setsid: { valued: [] },
  command: { valued: [] },
  builtin: { valued: [] },
  exec: { valued: ["-a"] },
  time: { valued: ["-f", "-o"] },
  nice: { valued: ["-n"] },
  ionice: { valued: ["-c", "-n", "-p"] },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  timeout: { valued: ["-s", "-k", "--signal", "--kill-after"], skips: 1 },
  gtimeout: { valued: ["-s", "-k"], skips: 1 },
  chrt: { valued: [], skips: 1 },
  taskset: { valued: [], skips: 1 },
  unbuffer: { valued: [] },
  xargs: { valued: ["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--arg-file", "--replace"] },
  parallel: { valued: ["-j", "-a", "-n", "--jobs"] },
  strace: { valued: ["-o", "-e", "-p"] },
  ltrace: { valued: ["-o", "-e", "-p"] },
  chroot: { valued: [], skips: 1 },
  unshare: { valued: ["-R", "-w"] },
  nsenter: { valued: ["-t"] },
  fakeroot: { valued: [] },
  "xvfb-run": { valued: ["-s", "-n"] },
  "dbus-run-session": { valued: [] },
  "cross-env": { valued: [] },
  dotenv: { valued: ["-e", "-f"] },
  busybox: { valued: [] },
  toybox: { valued: [] },
  corepack: { valued: [] },
  npx: { valued: ["-p", "--package", "-w", "--workspace"] },
  bunx: { valued: [] },
  pnpx: { valued: [] },
  uvx: { valued: ["--from", "--with", "-p", "--python"] },
  watch: { valued: ["-n", "-d"] },
  ssh: { valued: ["-i", "-p", "-l", "-o", "-F", "-L", "-R", "-D", "-J"], skips: 1 },
  entr: { valued: [] },
  meteor: { valued: [] },
};

/** `tool verb command …` runs the command. */
export const RUNS: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x", "explore"],
  nvm: ["exec", "run"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  rye: ["run"],
  hatch: ["run"],
  uv: ["run"],
  pipx: ["run"],
  bundle: ["exec"],
  direnv: ["exec"],
  mise: ["exec", "x"],
  asdf: ["exec"],
  rbenv: ["exec"],
  pyenv: ["exec"],
  volta: ["run"],
  fnm: ["exec"],
  conda: ["run"],
  mamba: ["run"],
  docker: ["exec", "run"],
  podman: ["exec", "run"],
};

/** Programs whose arguments are texts or files. They run none of them. */
export const SAYING = new Set(
  (
    "echo printf cat ls ll dir head tail less more wc tr cut sort uniq comm join paste fold fmt nl tac rev column diff cmp sdiff colordiff delta " +
    "grep egrep fgrep rg ag ack jq yq sed gsed tee touch mkdir rmdir rm unlink cp mv ln install chmod chown chgrp stat file du df find fd locate " +
    "which whereis type hash man info apropos tldr help history test [ [[ true false : cd pushd popd pwd export declare typeset local readonly unset alias read set shift " +
    "basename dirname realpath readlink date sleep seq yes expr bc kill pkill killall wait jobs id whoami uname hostname " +
    "gh glab hub jira curl wget http https scp sftp ping dig nslookup tar gzip gunzip zip unzip xz 7z zstd base64 md5sum sha1sum sha256sum openssl gpg " +
    "code open xdg-open cloc tokei tree bat exa eza"
  ).split(" "),
);

/** Programs whose options name other programs. */
export const STARTING = new Set(["tar", "bsdtar", "zip", "man", "less", "scp", "sftp", "ssh"]);

/** Programs that run their input. */
export const FED = new Set(["at", "batch", "make", "gmake", "ssh", "tclsh", "wish", "expect", "tmux", "parallel"]);

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "rbash", "mksh"]);
export const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-c$/,
  node: /^(?:-e|--eval|-p|--print|-pe)$/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval|-p|--print)$/,
  perl: /^-[a-zA-Z]*[eE]$/,
  ruby: /^-[a-zA-Z]*e$/,
  php: /^-r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
  R: /^-e$/,
  Rscript: /^-e$/,
  julia: /^-[eE]$/,
};
