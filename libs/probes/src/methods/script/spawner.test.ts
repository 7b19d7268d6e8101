import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox, sandboxFiles } from './sandbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-guest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A sandbox whose guests run this program instead of the interpreter: one that was broken into. */
function sandboxOf(name: string, program: string) {
  const guest = path.join(folder, `${name}.mjs`);
  writeFileSync(guest, program);
  const own = sandboxFiles();
  return createSandbox(() => ({ ...own, guest, readable: [...own.readable, `${folder}/`] }));
}

const limits = { timeoutMs: 60_000, memoryBytes: 32 * 1024 * 1024 };

test('a guest that does not read its answers is ended, and says why', async () => {
  using sandbox = sandboxOf('deaf', "console.log('ready'); setInterval(() => {}, 1000);");
  using guest = sandbox.start(limits);
  const answer = 'x'.repeat(1024 * 1024);
  const received: string[] = [];
  for await (const line of guest.lines) {
    received.push(line);
    if (line === 'ready') for (let n = 0; n < 20; n += 1) guest.send(answer);
  }
  expect(received).toEqual(['ready', expect.stringContaining('does not take the answers')]);
});

test('a guest that floods its agent is killed', async () => {
  const program =
    "const line = 'x'.repeat(99_999) + '\\n'; const go = () => process.stdout.write(line, go); go();";
  using sandbox = sandboxOf('loud', program);
  using guest = sandbox.start(limits);
  let bytes = 0;
  for await (const line of guest.lines) bytes += line.length;
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(6 * 1024 * 1024);
});
