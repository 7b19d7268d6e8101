import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';

/** The user that runs servers, where this process is root: root may run neither PostgreSQL nor PgBouncer. */
export function runAs(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * A new folder within `place` for the data of servers, owned by the user that runs them. When this process is killed,
 * the servers that run in the folder end and the folder is removed.
 */
export function newServerFolder(place: string, prefix: string): string {
  const folder = mkdtempSync(path.join(place, prefix));
  const user = runAs();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  removeWithUs(folder);
  return folder;
}

/**
 * When this process is killed, ends the servers that run in a folder and removes it: a small process waits for the end
 * of a pipe. Each process of PostgreSQL runs in the folder of its data.
 */
export function removeWithUs(folder: string): void {
  const line = `read -r _
    [ -e "$1" ] || exit
    for one in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$1*" 2>/dev/null); do
      one=\${one#/proc/}
      kill -QUIT "\${one%/cwd}"
    done
    sleep 1
    rm -rf "$1"`;
  const watch = spawn('sh', ['-c', line, 'watch', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watch.unref();
  if (watch.stdin instanceof Socket) watch.stdin.unref();
}
