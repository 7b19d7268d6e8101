import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { events } from './events.ts';
import { ApiError } from './pages.ts';

const url = 'https://monitor.example.com/v1.1/events?stream=1';

/** A controller with `total` events, which ends its n-th stream after `lengths[n]` of them. */
function controllerOf(total: number, lengths: readonly number[]) {
  let stream = 0;
  const requested: (string | null)[] = [];
  return {
    requested,
    send: async (request: Request): Promise<Response> => {
      const after = request.headers.get('Last-Event-ID');
      requested.push(after);
      const from = after === null ? 0 : Number(after) + 1;
      const length = lengths[stream] ?? total;
      stream += 1;
      if (length < 0) throw new TypeError('fetch failed');
      const shown = Array.from({ length: Math.max(0, Math.min(length, total - from)) }, (_, i) => from + i);
      const text = shown.map((id) => `id: ${id}\ndata: {"event_id":"${id}"}\n\n`).join('');
      // The last event of a stream that breaks is cut in its middle.
      const isCut = from + length < total;
      return new Response(`:\n\n${text}${isCut ? `id: ${from + length}\ndata: {"ev` : ''}`);
    },
  };
}

async function read(controller: ReturnType<typeof controllerOf>, total: number): Promise<string[]> {
  const ending = new AbortController();
  const got: string[] = [];
  for await (const event of events(controller.send, url, { signal: ending.signal })) {
    got.push(event.event_id);
    if (got.length === total) ending.abort();
  }
  return got;
}

test('streams that break anywhere give every event once, in their order', async () => {
  vi.useFakeTimers();
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 6 }),
        async (total, lengths) => {
          let isDone = false;
          const reading = read(controllerOf(total, lengths), total).finally(() => {
            isDone = true;
          });
          while (!isDone) await vi.advanceTimersByTimeAsync(30_000);
          const got = await reading;
          expect(got).toEqual(Array.from({ length: total }, (_, id) => `${id}`));
        },
      ),
      { numRuns: 30 },
    );
  } finally {
    vi.useRealTimers();
  }
});

test('a stream begins after the event that is given, and a refusal for good ends it', async () => {
  const controller = controllerOf(5, []);
  const first = await events(controller.send, url, { after: '2' }).next();
  expect(first.value).toEqual({ event_id: '3' });
  expect(controller.requested).toEqual(['2']);
  const refused = events(
    async () => Response.json({ code: 1001, message: 'No such key.', reason: 'bad_key' }, { status: 400 }),
    url,
  );
  await expect(refused.next()).rejects.toThrow(
    new ApiError(400, { code: 1001, message: 'No such key.', reason: 'bad_key' }),
  );
});

test('events between a stream that broke before its first one and the next stream are not lost', async () => {
  vi.useFakeTimers();
  try {
    const requested: (string | null)[] = [];
    const send = async (request: Request): Promise<Response> => {
      const after = request.headers.get('Last-Event-ID');
      requested.push(after);
      return new Response(
        after === null ? 'retry: 2000\nid: begin\n\n' : `id: 1\ndata: {"event_id":"1"}\n\n`,
      );
    };
    const first = events(send, url).next();
    await vi.advanceTimersByTimeAsync(30_000);
    expect((await first).value).toEqual({ event_id: '1' });
    expect(requested).toEqual([null, 'begin']);
  } finally {
    vi.useRealTimers();
  }
});

test('a stream that opened counts as no failure, though no event came', async () => {
  vi.useFakeTimers();
  try {
    const ending = new AbortController();
    const waits: number[] = [];
    let streams = 0;
    const send = async (): Promise<Response> => {
      streams += 1;
      if (streams <= 4) throw new TypeError('fetch failed');
      return new Response(':\n\n');
    };
    const onBreak = (_error: unknown, ms: number) => {
      waits.push(ms);
      if (waits.length === 7) ending.abort();
    };
    const reading = events(send, url, { signal: ending.signal, onBreak }).next();
    await vi.advanceTimersByTimeAsync(120_000);
    await reading;
    expect(waits[3]).toBeGreaterThanOrEqual(4_000);
    expect(Math.max(...waits.slice(4))).toBeLessThanOrEqual(1_000);
  } finally {
    vi.useRealTimers();
  }
});
