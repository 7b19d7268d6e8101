/**
 * The spawner process: starts guests for the agent, because a large process forks slowly, and kills them at the end of
 * their time or of the agent. The agent sends the lines `ID start TIMEOUT_MS MEMORY_BYTES`, `ID line TEXT` and `ID
 * kill`; the spawner sends `ID pid PID`, `ID line TEXT` and `ID end`. Arguments: the file of the guest, and Node's
 * flags for it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createLineSplitter, cutWords, maxLineBytes } from './lines.ts';

/** A guest is killed this long after its time, milliseconds. */
const graceMs = 1000;
/**
 * If the agent is root, each guest runs as a different user. No system assigns users in this range (65536 to 99999;
 * subordinate users begin above).
 */
const firstUser = 70_000;
const users = 20_000;
/** The waiting answers to ten concurrent calls with 256 KiB of text each, in the longest encoding, bytes. */
const maxUnread = 16 * 1024 * 1024;
/** Bytes that a guest may send. A guest that is not broken stops at 4 MiB. */
const maxSentBytes = 5 * 1024 * 1024;

const [guestFile = '', ...flags] = process.argv.slice(2);
const guests = new Map<string, ChildProcess>();
/**
 * The command that runs a guest; with `setpriv` (util-linux, BusyBox), a set-user-ID program cannot grant it rights.
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
  const onEnd = () => {
    clearTimeout(late);
    if (guests.delete(id)) sendLine(`${id} end`);
  };
  guest.on('error', onEnd);
  guest.on('close', onEnd);
  guest.stdin.on('error', () => {});
  let sentBytes = 0;
  guest.stdout.on('data', (chunk: Buffer) => {
    sentBytes += chunk.length;
    if (sentBytes > maxSentBytes) guest.kill('SIGKILL');
  });
  guest.stdout.on(
    'data',
    createLineSplitter(
      maxLineBytes,
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

process.stdin.on('data', createLineSplitter(maxLineBytes, obey, leave));
process.stdin.on('end', leave);
process.stdout.on('error', leave);
