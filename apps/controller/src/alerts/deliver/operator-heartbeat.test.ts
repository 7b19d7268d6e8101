import { createLog, systemClock } from '@vantage/kernel';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { expect, test, vi } from 'vitest';
import { createTimeScale } from '../../config/time-scale.ts';
import { runHeartbeat, stalledParts } from './operator-heartbeat.ts';
import type { PartsWork, PartWork } from './work-reader.ts';

const soon = { timeout: 60_000, interval: 5 };
const part = (done: number, isWaiting = true): PartWork => ({ done, isWaiting });
const work = (changed: Partial<PartsWork> = {}): PartsWork => ({
  ingest: part(1, false),
  status: part(1),
  deliveries: part(1),
  ...changed,
});
const later = { status: part(2), deliveries: part(2) };

test.each<[Partial<PartsWork>, Partial<PartsWork>, readonly string[]]>([
  [{}, later, []],
  [{ ingest: part(1) }, { ...later, ingest: part(2) }, []],
  [{ ingest: part(1) }, { ...later, ingest: part(1, false) }, []],
  [{ ingest: part(1, false) }, { ...later, ingest: part(1) }, []],
  [{ ingest: part(1) }, { ...later, ingest: part(1) }, ['ingest']],
  [{}, { ...later, status: part(1) }, ['status']],
  [{}, { ...later, deliveries: part(1) }, ['deliveries']],
  [{ ingest: part(1) }, { ingest: part(1) }, ['ingest', 'status', 'deliveries']],
])('between the work %j and %j the parts %j stand still', (before, now, stalled) => {
  expect(stalledParts(work(before), work(now))).toEqual(stalled);
});

test('the heartbeat is called while all parts make progress, not while one is stalled, and again after it', async () => {
  await using receiver = await startFakeReceiver();
  let done = 0;
  let deliveries: number | undefined;
  const readWork = () => {
    done += 1;
    const other = part(done);
    return { ingest: other, status: other, deliveries: deliveries === undefined ? other : part(deliveries) };
  };
  const lines: string[] = [];
  const line = (data: object | string, text?: string) =>
    void lines.push(typeof data === 'string' ? data : (text ?? ''));
  const log = Object.assign(createLog('test', 'silent'), { info: line, error: line });
  const ending = new AbortController();
  const running = runHeartbeat(
    {
      url: receiver.url,
      readWork,
      clock: systemClock,
      log,
      timeScale: createTimeScale(1000),
    },
    ending.signal,
  );
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(1), soon);
  deliveries = 0;
  const from = done;
  await vi.waitFor(() => expect(done).toBeGreaterThan(from + 1), soon);
  const count = receiver.requests.length;
  await vi.waitFor(() => expect(done).toBeGreaterThan(from + 4), soon);
  expect(receiver.requests).toHaveLength(count);
  deliveries = undefined;
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(count), soon);
  ending.abort();
  await running;
  expect(lines).toEqual([
    'heartbeat not sent: a background job is stalled',
    'all parts make progress again: the heartbeat is sent',
  ]);
});

test('a heartbeat that does not arrive is said once, and once when it arrives again', async () => {
  let status = 200;
  await using receiver = await startFakeReceiver((response) => response.writeHead(status).end());
  const lines: string[] = [];
  const line = (_data: object, text: string) => void lines.push(text);
  const log = Object.assign(createLog('test', 'silent'), { info: line, warn: line, error: line });
  let done = 0;
  const readWork = () => {
    done += 1;
    return work({ ingest: part(done), status: part(done), deliveries: part(done) });
  };
  const ending = new AbortController();
  const timeScale = createTimeScale(1000);
  const running = runHeartbeat(
    { url: receiver.url, readWork, clock: systemClock, log, timeScale },
    ending.signal,
  );
  for (const next of [503, 200]) {
    const count = receiver.requests.length;
    status = next;
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(count + 3), soon);
  }
  ending.abort();
  await running;
  expect(lines).toEqual(['the heartbeat does not arrive', 'the heartbeat arrives again']);
});
