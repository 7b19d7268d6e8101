// Scripts of one account attack that account's agent and the service of another account.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { AttackFixture } from './harness/attack-fixture.ts';
import { addHostile, checkNow, removeHostile, type Seen } from './harness/devices.ts';
import { scenes } from './harness/shared.ts';

const soon = { timeout: 60_000, interval: 20 };
const padding = `// ${'x'.repeat(60_000)}\n`;
const scripts: [what: string, text: string][] = [
  [
    'forged messages',
    `${padding}Object.defineProperty(Object.prototype, 'toJSON', { value() {
      return typeof this === 'object' && 'kind' in this ? { kind: 'ready' } : this;
    } });
    for (;;) log('again');`,
  ],
  ['memory without end', 'const all = []; for (;;) all.push("x".repeat(100_000) + all.length);'],
  ['logs without end', "for (;;) log('x'.repeat(100_000));"],
  ['calls without end', 'for (;;) await Promise.allSettled(Array.from({ length: 500 }, () => sleep(1)));'],
  ['a loop', 'for (;;);'],
  ['promises without end', 'const next = () => Promise.resolve().then(next); await next();'],
  ['an error of megabytes', "throw new Error('x'.repeat(8_000_000));"],
];

async function checkScript(fixture: AttackFixture, text: string, timeoutS = 2): Promise<Seen> {
  const id = await addHostile(fixture, { Method: 'Script', URL: text, Timeout: timeoutS });
  if (id === undefined) throw new Error('the script was refused');
  // The API waits ten seconds longer than the check may take; a request that nobody answered is sent again.
  const result = await checkNow(fixture, id, 30_000 + 2 * (timeoutS + 10) * 1_000);
  await removeHostile(fixture, id);
  return result;
}

test('an agent survives every script within its memory limit', async () => {
  await scenes.play('hostile scripts', async (fixture) => {
    const seen = await Promise.all(
      scripts.map(async ([what, text]) => [what, (await checkScript(fixture, text)).code]),
    );
    expect(seen.filter(([, code]) => code === 1)).toEqual([]);
    expect(await checkScript(fixture, 'expect(true)')).toMatchObject({ code: 1 });
  });
});

test('a script runs without further rights', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can give a script a user of its own');
  const { fixture } = scenes;
  const checked = checkScript(fixture, 'await sleep(1_800)', 20);
  const agentPid = fixture.hostile.agent.process.pid ?? 0;
  const guests = await vi.waitFor(() => {
    const found = processes().filter(({ pid, words }) => isGuest(words) && isBelow(pid, agentPid));
    expect(found).not.toEqual([]);
    return found;
  }, soon);
  // The process drops its rights before it reads the script, so a new process may still have them.
  await vi.waitFor(() => {
    for (const { pid } of guests) {
      const now = processes().find((one) => one.pid === pid);
      expect(now?.user).not.toBe(0);
      expect(now?.newPrivileges).toBe(false);
    }
  }, soon);
  expect(await checked).toMatchObject({ code: 1 });
});

/** The command line of the spawner contains the guest's program too. */
function isGuest(words: string): boolean {
  return words.includes('guest.ts') && !words.includes('spawner.ts');
}

/** Every process that this user can read in /proc. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const field = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return [
          {
            pid: Number(name),
            parent: field('PPid'),
            user: field('Uid'),
            words,
            newPrivileges: field('NoNewPrivs') === 0,
          },
        ];
      } catch {
        return [];
      }
    });
}

function isBelow(pid: number, ancestor: number): boolean {
  const parents = new Map(processes().map((one) => [one.pid, one.parent]));
  for (let at = parents.get(pid); at !== undefined && at !== 0; at = parents.get(at))
    if (at === ancestor) return true;
  return false;
}
