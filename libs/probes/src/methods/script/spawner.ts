/**
 * The spawner process: starts guests for the agent, because a big process forks slowly, and sees to it that none
 * outlives its time or the agent. It speaks in lines: from the agent `ID start TIMEOUT_MS MEMORY_BYTES`, `ID line
 * TEXT`, `ID kill`; to it `ID pid PID`, `ID line TEXT`, `ID end`. Arguments: the guest's file, then the flags of Node
 * to run it with.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createLineSplitter, cutWords, longestLine } from './lines.ts';

/** How long a guest may go on after its own time before it is killed, milliseconds. */
const graceMs = 1000;
/**
 * Of root's guests each is a user of its own, in a range that no system hands out (65536 to 99999; subordinate users
 * begin above).
 */
const firstUser = 70_000;
const users = 20_000;
/**
 * Bytes of answers that wait for a guest which does not read: those of ten calls at once, 256 KiB of text each, in the
 * longest spelling.
 */
const maxUnread = 16 * 1024 * 1024;
/** Bytes that a guest may send in all; it stops itself at 4 MiB, unless it is broken. */
const maxSaid = 5 * 1024 * 1024;

const [guestFile = '', ...flags] = process.argv.slice(2);
const guests = new Map<string, ChildProcess>();
/**
 * The command that runs a guest: without a way to gain rights by a set-user-ID program, where the machine has a tool
 * for it (util-linux, BusyBox).
 */
const launch = [...withoutNewRights(), process.execPath];
let started = 0;

function withoutNewRights(): readonly string[] {
  for (const setpriv of ['/usr/bin/setpriv', '/bin/setpriv']) {
    if (!existsSync(setpriv)) continue;
    const trial = [setpriv, '--no-new-privs'];
    if (spawnSync(setpriv, ['--no-new-privs', process.execPath, '--version'], { env: {} }).status === 0)
      return trial;
  }
  return [];
}

const sendLine = (line: string) => process.stdout.write(`${line}\n`);

function start(id: string, timeoutMs: number, memoryBytes: number): void {
  started += 1;
  const user = process.getuid?.() === 0 ? firstUser + (started % users) : 0;
  const limits = [timeoutMs, memoryBytes, user].map(String);
  const [command = '', ...head] = launch;
  const guest = spawn(command, [...head, ...flags, guestFile, ...limits], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  guests.set(id, guest);
  const late = setTimeout(() => guest.kill('SIGKILL'), timeoutMs + graceMs);
  const gone = () => {
    clearTimeout(late);
    if (guests.delete(id)) sendLine(`${id} end`);
  };
  guest.on('error', gone);
  guest.on('close', gone);
  guest.stdin.on('error', () => {});
  let saidBytes = 0;
  guest.stdout.on('data', (chunk: Buffer) => {
    saidBytes += chunk.length;
    if (saidBytes > maxSaid) guest.kill('SIGKILL');
  });
  guest.stdout.on(
    'data',
    createLineSplitter(
      longestLine,
      (line) => sendLine(`${id} line ${line}`),
      () => guest.kill('SIGKILL'),
    ),
  );
  if (guest.pid !== undefined) sendLine(`${id} pid ${guest.pid}`);
}

function obey(line: string): void {
  const [id = '', verb = '', rest = ''] = cutWords(line, 2);
  const guest = guests.get(id);
  switch (verb) {
    case 'start': {
      const [timeoutMs = 0, memoryBytes = 0] = rest.split(' ').map(Number);
      start(id, timeoutMs, memoryBytes);
      return;
    }
    case 'line':
      if (!guest?.stdin || guest.killed) return;
      guest.stdin.write(`${rest}\n`);
      if (guest.stdin.writableLength <= maxUnread) return;
      sendLine(
        `${id} line {"kind":"end","how":"error","text":"the script does not take the answers to its calls"}`,
      );
      guest.kill('SIGKILL');
      return;
    case 'kill':
      guest?.kill('SIGKILL');
  }
}

function leave(): void {
  for (const guest of guests.values()) guest.kill('SIGKILL');
  process.exit(0);
}

process.stdin.on('data', createLineSplitter(longestLine, obey, leave));
process.stdin.on('end', leave);
process.stdout.on('error', leave);
