// Attempts by commands to reach hidden or outside files, in bubblewrap. Each must see nothing and change nothing.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxStatus } from "./sandbox.ts";
import { hostileProject, SECRET, tryToUse } from "../testing.ts";

// $AROUND is the folder around the project, $SHOP the project.
const attempts: readonly string[] = [
  // Hidden files, read
  "cat .env",
  "cat src/settings src/../.env ./.env",
  "cat .env.local apps/web/.env.production",
  "head -c 100 certs/server.pem certs/server.key deploy/id_ed25519",
  "cat .netrc apps/.npmrc deploy/.ssh/known",
  "cat src/hard-env.txt src/hard-goals.txt src/hard-out.txt",
  "cp .env x.txt; cat x.txt",
  "dd if=.env 2>/dev/null",
  "grep -r TOPSECRET . 2>/dev/null",
  "grep -rL nothing --include='*' -e TOP . 2>/dev/null | xargs -r cat 2>/dev/null",
  "find / -xdev -name '*secret*' -path '*hostile*' -exec cat {} + 2>/dev/null",
  "find . -type f -exec cat {} + 2>/dev/null",
  "tar cf - . 2>/dev/null | strings",
  "tar cf out.tar .dialogs memory tasks .env; tar xOf out.tar",
  "git init -q /tmp/g; git --git-dir=/tmp/g/.git --work-tree=. add -A -f 2>/dev/null; git --git-dir=/tmp/g/.git grep --cached TOPSECRET",
  "git add -A -f .; git grep --cached TOPSECRET; git diff --cached",
  "git hash-object -w .env && git cat-file -p $(git hash-object .env)",
  "python3 -c \"print(open('.env').read())\"",
  "python3 -c \"import os; print([open(os.path.join(d,f),errors='replace').read() for d,_,fs in os.walk('.') for f in fs if not os.path.islink(os.path.join(d,f)) and os.access(os.path.join(d,f),os.R_OK)])\"",
  "node -e \"console.log(require('fs').readFileSync('.env','utf8'))\"",
  "bash -c 'while read -r l; do echo $l; done < .env'",
  "ln .env stolen.txt; cat stolen.txt",
  "ln -s .env stolen; cat stolen",
  "ln src/hard-env.txt stolen.txt; cat stolen.txt",
  "mv .env stolen.txt; cat stolen.txt",
  "mv src/hard-env.txt stolen.txt; cat stolen.txt",
  "cp -r --reflink=auto . /tmp/copy 2>/dev/null; grep -r TOPSECRET /tmp/copy",
  "rsync -a ./ /tmp/copy 2>/dev/null || cp -a . /tmp/copy 2>/dev/null; cat /tmp/copy/.env",
  "exec 5<.env; cat <&5",
  "perl -e 'open F, \".env\"; print <F>'",
  "awk '{print}' .env certs/server.pem",
  "sort memory/team/* tasks/orders.tsk/*",
  "chmod 777 .env .dialogs memory; cat .env; ls -R .dialogs memory",
  "echo $(<.env); source .env; set",
  "unshare -Urm sh -c 'umount .env; cat .env'",
  "umount .env .dialogs memory tasks/orders.tsk; cat .env; ls -R .dialogs",
  "mount --bind .. /tmp; cat /tmp/secret.txt",
  "cat /proc/1/root$SHOP/.env /proc/self/root$SHOP/.env /proc/self/cwd/.env",
  "for p in /proc/[0-9]*; do cat $p/root$AROUND/secret.txt $p/cwd/.env $p/environ; done; ls -l /proc/1/fd; timeout 1 cat /proc/1/fd/*",
  // Hidden folders, listed
  "ls -la .dialogs diary tasks/orders.tsk src/orders docs/deep/plan.tsk memory deploy/.ssh",
  "ls -laR .",
  "find . | sort",
  "echo .dialogs/* .dialogs/*/* memory/*/* tasks/*/*",
  "cd .dialogs && ls; cd memory && ls; cd tasks/orders.tsk && pwd && ls",
  "du -a . 2>/dev/null; stat .dialogs/run memory/team",
  // Outside, read
  "cat ../secret.txt up/secret.txt link-out.txt $AROUND/secret.txt",
  "ls -la .. up $AROUND; ls $AROUND/home",
  "cat $AROUND/home/.ssh/id_rsa $AROUND/other/colloquy.yaml",
  "cat /etc/shadow && echo TOPSECRET-shadow",
  "ls /root /home /mnt /srv /var/lib /opt 2>/dev/null | grep . && echo TOPSECRET-folder",
  "ls -A /run /var/run 2>/dev/null | grep sock && echo TOPSECRET-socket",
  "ls /proc | grep -c '^[0-9]' | awk '$1 > 12 {print \"TOPSECRET-processes\"}'",
  "ls /dev | grep -E 'sd|vd|nvme|mem|kmsg|fuse|kvm' && echo TOPSECRET-devices",
  "mknod /tmp/vda b 254 0 && cat /tmp/vda | head -c 10 && echo TOPSECRET-device",
  "v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness && echo TOPSECRET-knob",
  "kill -0 $PPID_OUTSIDE 2>/dev/null && echo TOPSECRET-signal",
  "ip link 2>/dev/null | grep -v 'lo:' | grep UP && echo TOPSECRET-network",
  "capsh --print 2>/dev/null | grep 'Current: =ep'; grep CapEff /proc/self/status | grep -v 0000000000000000 && echo TOPSECRET-powers",
  // Writing, moving, removing what is hidden
  "echo pwned > .env; echo pwned >> .env.local; truncate -s 0 certs/server.pem",
  "rm -rf .env .dialogs memory tasks certs deploy apps docs",
  "mv tasks tasks2; mv .dialogs d; mv memory m; mv certs c; mv docs d2; mv apps a2; mv deploy e2",
  "mkdir keep; mv docs/deep keep/; mv docs keep/; mv apps/web keep/",
  "git clean -fdxq; git clean -ffdx",
  "echo pwned > src/hard-env.txt; echo pwned > src/hard-out.txt; echo pwned > src/settings",
  "sed -i s/TOP/pwned/ .env certs/server.pem src/hard-env.txt",
  "printf pwned | tee .env memory/team/new.md .dialogs/new tasks/orders.tsk/new.md tasks/new.md",
  "mkdir -p tasks/new.tsk memory/new .dialogs/new new.tsk docs/new.tsk && echo pwned > new.tsk/goals.md",
  "echo pwned > .env.new; echo pwned > src/.env; echo pwned > new.pem; mkdir .ssh; echo pwned > .ssh/authorized_keys",
  "rm -f .env; cp src/a.txt .env; mv -f src/a.txt .env; ln -sf src/a.txt .env; ln -f src/a.txt .env",
  "python3 -c \"import tarfile,io; t=tarfile.open('x.tar','w'); i=tarfile.TarInfo('../secret.txt'); i.size=5; t.addfile(i,io.BytesIO(b'pwned')); i=tarfile.TarInfo('.env'); i.size=5; t.addfile(i,io.BytesIO(b'pwned')); i=tarfile.TarInfo('tasks/orders.tsk/x'); i.size=5; t.addfile(i,io.BytesIO(b'pwned'))\"; tar xPf x.tar; tar xf x.tar --overwrite --unlink-first",
  // Protected
  "echo pwned > colloquy.yaml; rm colloquy.yaml; mv colloquy.yaml x; cp src/a.txt colloquy.yaml; sed -i s/a/b/ colloquy.yaml",
  "echo pwned > agents/evil.md; rm -rf agents; mv agents a; mkdir agents; chmod 777 agents",
  "echo pwned > .git/config; git config user.name pwned; rm .git/config; mv .git/config x; mv .git g; rm -rf .git; git init -q",
  "echo pwned > .git/hooks/pre-commit; rm -rf .git/hooks; mv .git/hooks h; ln -sfn src .git/hooks; git config core.hooksPath src",
  "echo pwned > vendor/lib/.git/config; mv vendor/lib/.git /tmp/x; mv vendor/lib /tmp/x; mv vendor /tmp/x; rm -rf vendor/lib/.git/hooks",
  "echo pwned > .git/config.worktree; git worktree add ../wt; git submodule add ./vendor/lib sub",
  "echo pwned > prd/search.md; echo pwned > prd/new.md; rm -rf prd; mv prd p; ln -sfn src prd; chmod 777 prd/search.md",
  "ln -sfn /tmp agents; ln -sfn src colloquy.yaml; cp -rT src agents; install src/a.txt agents/evil.md",
  // Outside, written
  "echo pwned > ../secret.txt; echo pwned > up/new.txt; echo pwned > $AROUND/new.txt; echo pwned > dangling; echo pwned > link-out.txt",
  "cp src/a.txt ..; mv src/a.txt ../; mkdir ../evil; rm -rf ../other ../home; touch /etc/evil /usr/evil /evil",
  "ln src/hard-out.txt /tmp/x; echo pwned > /tmp/x; chmod 777 $AROUND .. ; chown 0:0 ../secret.txt",
  "(setsid sh -c 'sleep 0.2; cat ../secret.txt .env; echo pwned > .env' &) ; exec 3<../; cat /dev/fd/3/secret.txt",
];

test("[H2] there are enough attempts, and bubblewrap to make them in", () => {
  expect(attempts.length).toBeGreaterThanOrEqual(60);
  const status = sandboxStatus();
  expect(status.isIsolated ? "isolated" : `${status.message} (npm test installs it on Debian as root.)`).toBe("isolated");
});

describe.concurrent("in bubblewrap", () => {
  test.each(attempts)("[H2] [H3] [H4] %s", async (attempt) => {
    const { around, dir, state } = hostileProject();
    const before = state();
    const command = `export AROUND=${around} SHOP=${dir} PPID_OUTSIDE=${process.ppid}\n${attempt}`;
    const { text } = await tryToUse(dir, "run_command", { command, timeoutMs: 15_000 });
    expect(text).toMatch(/^(?:Exit code|Ended by)/);
    // The secret's own name in the shell's complaint comes from us; the files' content does not.
    expect(text).not.toMatch(new RegExp(`${SECRET} (?:in|outside)|${SECRET}-|${SECRET}\\.md`));
    expect(state()).toEqual(before);
    expect(existsSync(join(dir, "agents/lead.md"))).toBe(true);
    expect(readFileSync(join(around, "secret.txt"), "utf8")).toBe(`${SECRET} outside in secret.txt\n`);
  });
});

test("[B17] a command reads the requirements and cannot write them, and is told of update_prd", async () => {
  const { dir } = hostileProject();
  writeFileSync(join(dir, "prd/search.md"), "Find it.\n");
  const { text } = await tryToUse(dir, "run_command", { command: "cat prd/search.md; echo x > prd/search.md", timeoutMs: 15_000 });
  expect(text).toContain("Find it.");
  expect(text).toContain("the requirements change only through update_prd");
});

test("[H8] a command cannot make prd/ either", async () => {
  const { dir } = hostileProject();
  rmSync(join(dir, "prd"), { recursive: true });
  await tryToUse(dir, "run_command", { command: "mkdir -p prd && echo x > prd/new.md; mv src prd", timeoutMs: 15_000 });
  expect(existsSync(join(dir, "prd"))).toBe(false);
});
