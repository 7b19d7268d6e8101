import type { PingAnswer, PingRequest } from '@vantage/icmp';
import { createSharedIcmp, type IcmpSocket } from '@vantage/icmp';
import { createFakeClock } from '@vantage/kernel/testing';
import { describe, expect, it } from 'vitest';
import { runTest } from '../../testing/index.ts';
import { createPing } from './ping.ts';

const headers = 28;
const reply = (bytes: number): PingAnswer => ({ kind: 'reply', rttMs: 2, from: '192.0.2.1', ttl: 60, bytes });

/** The probe over a path whose packets `answer` answers, by the bytes of the IP packet; undefined: they are lost. */
function pathOf(answer: (bytes: number) => PingAnswer | undefined) {
  const requests: PingRequest[] = [];
  const clock = createFakeClock();
  const socket: IcmpSocket = {
    family: 4,
    kind: 'raw',
    inFlight: 0,
    ping: async (request) => {
      requests.push(request);
      const found = answer(request.size + headers);
      if (found !== undefined) return found;
      await clock.sleep(request.timeoutMs, request.signal).catch(() => undefined);
      return { kind: 'timeout' };
    },
    close: () => {},
  };
  const probe = createPing({ sockets: createSharedIcmp({ open: () => socket }) });
  const run = async (options: object, timeoutMs = 10_000) => {
    const running = runTest(
      probe,
      '192.0.2.1',
      { Count: 2, IntervalMs: 10, ...options },
      { clock, timeoutMs },
    );
    let isDone = false;
    void running.finally(() => {
      isDone = true;
    });
    while (!isDone) await clock.advance(50);
    return running;
  };
  return { run, requests };
}

const tooBig = (mtu: number, from = '192.0.2.254'): PingAnswer => ({
  kind: 'error',
  reason: 'too-big',
  text: 'packet too big and not to be fragmented',
  rttMs: 1,
  from,
  mtu,
});

describe('DontFragment', () => {
  it('names the path MTU and the hop that says so', async () => {
    const { run, requests } = pathOf((bytes) => (bytes > 1400 ? tooBig(1400) : reply(bytes - headers)));
    const seen = await run({ DontFragment: true, Size: 1472 });
    expect(seen).toMatchObject({
      code: 7,
      text: 'packets of 1500 bytes do not pass unfragmented: path MTU 1400 at hop 192.0.2.254',
      extended: { PathMTU: { MTU: 1400, Hop: '192.0.2.254' } },
    });
    expect(requests.every(({ dontFragment }) => dontFragment === true)).toBe(true);
  });

  it('finds a black hole, where no router says anything', async () => {
    const { run } = pathOf((bytes) => (bytes > 1373 ? undefined : reply(bytes - headers)));
    const seen = await run({ DontFragment: true, Size: 1472 });
    expect(seen).toMatchObject({
      code: 7,
      text: 'packets of 1500 bytes do not pass unfragmented: path MTU 1373, and no router says so (black hole)',
      extended: { PathMTU: { MTU: 1373, Hop: null } },
    });
  });

  it('is 10 where the interface of this host is too small', async () => {
    const { run } = pathOf((bytes) =>
      bytes > 1500 ? { kind: 'unsent', code: 'EMSGSIZE' } : reply(bytes - headers),
    );
    const seen = await run({ DontFragment: true, Size: 8972 });
    expect(seen).toMatchObject({
      code: 10,
      text: 'packets of 9000 bytes do not pass unfragmented: path MTU 1500 at the interface of this agent: lower Size',
    });
  });

  it('says how far it came when the time is over', async () => {
    const { run } = pathOf((bytes) => (bytes > 1373 ? undefined : reply(bytes - headers)));
    const seen = await run({ DontFragment: true, Size: 60_000 }, 1000);
    expect(seen.code).toBe(7);
    expect(seen.text).toMatch(/path MTU from \d+ to \d+, and no router says so/);
  });

  it('of a host that answers nothing is 2, as without it', async () => {
    const { run } = pathOf(() => undefined);
    expect(await run({ DontFragment: true, Size: 1472 })).toMatchObject({
      code: 2,
      text: 'no answer from 192.0.2.1 to 2 pings within 10 s',
    });
  });

  it('costs nothing where the packets pass, and nothing is searched without it', async () => {
    const passing = pathOf((bytes) => reply(bytes - headers));
    expect(await passing.run({ DontFragment: true, Size: 1472 })).toMatchObject({ code: 1 });
    expect(passing.requests).toHaveLength(2);
    const lost = pathOf((bytes) => (bytes > 1400 ? undefined : reply(bytes - headers)));
    expect(await lost.run({ Size: 1472 })).toMatchObject({ code: 2 });
    expect(lost.requests).toHaveLength(2);
  });
});

it('DSCP, SourceAddress and TTL go with every packet', async () => {
  const { run, requests } = pathOf((bytes) => reply(bytes - headers));
  await run({ DSCP: 'AF41', SourceAddress: '127.0.0.1', TTL: 9 });
  expect(requests).toMatchObject([{ dscp: 34, source: '127.0.0.1', ttl: 9 }, {}]);
  const plain = pathOf((bytes) => reply(bytes - headers));
  await plain.run({});
  expect(Object.keys(plain.requests[0] ?? {}).toSorted()).toEqual(['address', 'signal', 'size', 'timeoutMs']);
});

it('a source that this host lacks is 10, and sends nothing', async () => {
  const { run, requests } = pathOf((bytes) => reply(bytes - headers));
  const seen = await run({ SourceAddress: 'no-such-if0' });
  expect(seen.code).toBe(10);
  expect(seen.text).toMatch(/^this agent's host has no interface no-such-if0 \(SourceAddress\) that is up/);
  expect(requests).toEqual([]);
});

it('a system that cannot mark packets is 10, and says so', async () => {
  const { run } = pathOf(() => ({ kind: 'unsent', code: 'ENOTSUP' }));
  expect(await run({ DSCP: 'EF' })).toMatchObject({
    code: 10,
    text: "this agent's system cannot set SourceAddress, DSCP or DontFragment of pings: only Linux can",
  });
});

it.each([
  [{ MaxJitterMs: 5 }, 1],
  [{ MinMOS: 4 }, 1],
  [{ MinMOS: 4.4 }, 1],
])('with %o jitter, loss and MOS are values of the check', async (options, code) => {
  const { run } = pathOf((bytes) => reply(bytes - headers));
  const seen = await run(options);
  expect(seen).toMatchObject({
    code,
    values: [
      { Label: 'jitter', Value: 0, Unit: 'ms' },
      { Label: 'loss', Value: 0, Unit: '%' },
      { Label: 'MOS', Value: 4.41, Unit: '' },
    ],
  });
  const plain = await pathOf((bytes) => reply(bytes - headers)).run({});
  expect(plain.values).toBeUndefined();
});
