import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { systemClock } from '@vantage/kernel';
import { closedPort } from '@vantage/probes/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PushTarget } from './send-call.ts';
import { wrapJob } from './wrap-job.ts';

const token = '0123456789abcdef0123456789abcdef';
let calls: { readonly path: string; readonly rid: string | null; readonly body: string }[] = [];
/** The answers of the controller, in turn; then 200. */
let answers: number[] = [];

const server = createServer((request: IncomingMessage, response) => {
  void buffer(request).then((body) => {
    const url = new URL(request.url ?? '', 'http://x');
    calls.push({ path: url.pathname, rid: url.searchParams.get('rid'), body: body.toString() });
    response.writeHead(answers.shift() ?? 200).end('OK\n');
  });
});

let target: PushTarget;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  target = { url: `http://127.0.0.1:${address.port}/push/${token}`, ca: undefined, retryMs: 20_000 };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  calls = [];
  answers = [];
});

const job = (command: readonly string[], sendsOutput = false, sendsStart = true) => ({
  command,
  target,
  sendsOutput,
  sendsStart,
});

async function wrapped(given: Parameters<typeof wrapJob>[0]) {
  const problems: string[] = [];
  const status = await wrapJob(given, { clock: systemClock, onProblem: (line) => void problems.push(line) });
  return { status, problems };
}

test('the start and the exit status are reported under one run id', async () => {
  expect(await wrapped(job(['sh', '-c', 'exit 3']))).toEqual({ status: 3, problems: [] });
  expect(calls.map(({ path }) => path)).toEqual([`/push/${token}/start`, `/push/${token}/3`]);
  expect(calls[0]?.rid).toMatch(/^[0-9a-f-]{36}$/);
  expect(calls[1]?.rid).toBe(calls[0]?.rid);
});

test('the last 10 kB of the output are the body, and are written on', async () => {
  const written: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
  try {
    const script = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done';
    expect((await wrapped(job(['sh', '-c', script], true))).status).toBe(0);
  } finally {
    out.mockRestore();
  }
  expect(calls[1]?.body).toHaveLength(10_240);
  expect(calls[1]?.body.endsWith('line 1999\n')).toBe(true);
  expect(written.join('')).toContain('line 0\n');
});

test('a signal reaches the job, and its end by a signal is 128 + n', async () => {
  const script = 'trap "exit 7" TERM; kill -TERM $PPID; while :; do sleep 0.05; done';
  expect((await wrapped(job(['sh', '-c', script]))).status).toBe(7);
  expect((await wrapped(job(['sh', '-c', 'kill -KILL $$']))).status).toBe(137);
  expect(calls.at(-1)?.path).toBe(`/push/${token}/137`);
});

test('a job that cannot be started is reported as one', async () => {
  const { status, problems } = await wrapped(job(['/no/such/program']));
  expect(status).toBe(127);
  expect(problems).toEqual([expect.stringContaining('/no/such/program could not be started')]);
  expect(calls.at(-1)).toMatchObject({
    path: `/push/${token}/127`,
    body: expect.stringContaining('could not be started'),
  });
});

test('a call is repeated while the controller is overloaded, and not when it refuses', async () => {
  answers = [200, 503, 429];
  expect(await wrapped(job(['true']))).toEqual({ status: 0, problems: [] });
  expect(calls.map(({ path }) => path.slice(-2))).toEqual(['rt', '/0', '/0', '/0']);
  answers = [404, 404];
  const refused = await wrapped(job(['true']));
  expect(refused).toEqual({ status: 0, problems: [expect.stringContaining('no device has this address')] });
});

test('the job has its status although the controller is away', async () => {
  const away = {
    ...job(['sh', '-c', 'exit 5']),
    target: { ...target, url: `http://127.0.0.1:${closedPort}/push/${token}`, retryMs: 0 },
  };
  expect(await wrapped(away)).toEqual({
    status: 5,
    problems: [expect.stringContaining('the end of the job was not reported')],
  });
  expect((await wrapped({ ...away, target: undefined })).status).toBe(5);
});

test('without a start only the end is reported', async () => {
  await wrapped(job(['true'], false, false));
  expect(calls.map(({ path }) => path)).toEqual([`/push/${token}/0`]);
});
