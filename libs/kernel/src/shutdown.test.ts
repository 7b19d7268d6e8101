import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-shutdown-'));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const script = path.join(folder, 'child.mjs');
const source = (name: string) => JSON.stringify(path.join(import.meta.dirname, name));
writeFileSync(
  script,
  `import { whenAborted } from ${source('abort-signal.ts')};
import { shutdownSignal } from ${source('shutdown.ts')};
const signal = shutdownSignal();
const open = setInterval(() => {}, 1000);
process.on('SIGTERM', () => console.log('heard SIGTERM'));
console.log('ready');
await whenAborted(signal);
console.log('ends: ' + signal.reason);
if (process.argv[2] === 'slow') await new Promise(() => {});
clearInterval(open);
process.disconnect?.();
`,
);

function start(manner = ''): {
  child: ChildProcess;
  said: (text: string) => Promise<void>;
  end: Promise<unknown>;
} {
  const child = fork(script, [manner], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  children.add(child);
  let output = '';
  const looks = new Set<() => void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    for (const look of looks) look();
  });
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (output.includes(text)) resolve();
      };
      looks.add(look);
      look();
    });
  return { child, said, end: new Promise((resolve) => child.once('exit', resolve)) };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s asks for an orderly end', async (name) => {
  const { child, said, end } = start();
  await said('ready');
  child.kill(name);
  await said(`ends: ${name}`);
  expect(await end).toBe(0);
});

test('the second signal ends the process at once', async () => {
  const { child, said, end } = start('slow');
  await said('ready');
  child.kill('SIGTERM');
  await said('ends: SIGTERM');
  child.kill('SIGINT');
  expect(await end).toBe(1);
});

test('a supervisor that is gone asks for an orderly end, and the signal that follows it is the first one', async () => {
  const { child, said, end } = start('slow');
  await said('ready');
  child.disconnect();
  await said('ends: supervisor is gone');
  child.kill('SIGTERM');
  await said('heard SIGTERM');
  child.kill('SIGTERM');
  expect(await end).toBe(1);
});
