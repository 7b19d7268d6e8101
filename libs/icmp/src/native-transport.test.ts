import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const script = new URL('./testing/leave-open.ts', import.meta.url);

it('a process ends although an idle socket is open', async () => {
  const child = spawn(process.execPath, [fileURLToPath(script)], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

it('a worker may be ended with sockets open', async () => {
  for (let round = 0; round < 3; round += 1) {
    const worker = new Worker(script);
    await once(worker, 'message');
    expect(await worker.terminate()).toBe(1);
  }
});
