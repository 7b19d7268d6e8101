import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Family, IcmpSocket } from './index.ts';
import { openIcmp, whyNoPing } from './index.ts';

const opened: IcmpSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

function open(family: Family): IcmpSocket {
  const socket = openIcmp({ family });
  if ('error' in socket) throw new Error(socket.error);
  opened.push(socket);
  return socket;
}

/** The round-trip time of a ping whose answer waits in the queue for 20 ms. */
async function heldUpMs(socket: IcmpSocket, address: string): Promise<number> {
  const ping = socket.ping({ address, size: 56, timeoutMs: 5000 });
  const until = performance.now() + 20;
  while (performance.now() < until);
  const answer = await ping;
  return answer.kind === 'reply' ? answer.rttMs : Number.NaN;
}

const loopback = { 4: '127.0.0.1', 6: '::1' } as const;

for (const family of [4, 6] as const) {
  const reason = whyNoPing(family);
  describe(`an IPv${family} socket`, () => {
    const address = loopback[family];
    let kept: IcmpSocket | undefined;
    // Linux stamps packets from some milliseconds after the first socket of the machine asks for it until the last one
    // is closed.
    beforeAll(async () => {
      const socket = openIcmp({ family });
      if ('error' in socket) return;
      kept = socket;
      await vi.waitFor(async () => expect(await heldUpMs(socket, address)).toBeLessThan(5), 60_000);
    });
    afterAll(() => kept?.close());
    beforeEach(({ skip }) => skip(reason !== undefined, reason));

    it('answers 500 pings in flight, each with a round-trip time of its own', async () => {
      const socket = open(family);
      const pings = Array.from({ length: 500 }, () => socket.ping({ address, size: 56, timeoutMs: 5000 }));
      expect(socket.inFlight).toBe(500);
      const answers = await Promise.all(pings);
      const times = answers.map((answer) => (answer.kind === 'reply' ? answer.rttMs : Number.NaN));
      const sorted = times.toSorted((a, b) => a - b);
      expect(sorted[0]).toBeGreaterThan(0);
      expect(sorted[250]).toBeLessThan(0.2);
      expect(socket.inFlight).toBe(0);
    });

    it('says who answered, with what TTL and how much came back', async () => {
      const answer = await open(family).ping({ address, size: 1400, timeoutMs: 5000 });
      expect(answer).toMatchObject({ kind: 'reply', from: address, ttl: 64, bytes: 1400 });
    });

    it.each([0, 7, 8, 9, 57])('is answered with %i bytes of payload', async (size) => {
      const answer = await open(family).ping({ address, size, timeoutMs: 5000 });
      expect(answer).toMatchObject({ kind: 'reply', bytes: size });
    });

    it('leaves the answers of another socket to it', async () => {
      const [one, other] = [open(family), open(family)];
      const both = [one, other].flatMap((socket) =>
        Array.from({ length: 100 }, () => socket.ping({ address, size: 8, timeoutMs: 5000 })),
      );
      const answers = await Promise.all(both);
      expect(answers.filter(({ kind }) => kind === 'reply')).toHaveLength(200);
    });

    it('takes the answer that lay in the queue while the process was delayed', async () => {
      const socket = open(family);
      const ping = socket.ping({ address, size: 56, timeoutMs: 20 });
      const until = performance.now() + 100;
      while (performance.now() < until);
      const answer = await ping;
      expect(answer.kind).toBe('reply');
      expect(answer.kind === 'reply' && answer.rttMs).toBeLessThan(20);
    });

    it('sends nothing to what is no address of its family', async () => {
      const socket = open(family);
      for (const wrong of ['', 'localhost', '-f', loopback[family === 4 ? 6 : 4]]) {
        expect(await socket.ping({ address: wrong, size: 56, timeoutMs: 100 })).toEqual({
          kind: 'unsent',
          code: 'EINVAL',
        });
      }
    });

    it('ends what is in flight when it is closed or the signal aborts', async () => {
      const socket = open(family);
      const stop = new AbortController();
      const silent = family === 4 ? '192.0.2.1' : '2001:db8::1';
      const pings = [
        socket.ping({ address: silent, size: 56, timeoutMs: 60_000, signal: stop.signal }),
        socket.ping({ address: silent, size: 56, timeoutMs: 60_000 }),
      ];
      stop.abort();
      socket.close();
      for (const answer of await Promise.all(pings)) {
        // A machine without a way there says so at once.
        expect(['aborted', 'unsent']).toContain(answer.kind);
      }
      expect(await socket.ping({ address, size: 1, timeoutMs: 100 })).toEqual({ kind: 'aborted' });
    });
  });
}
