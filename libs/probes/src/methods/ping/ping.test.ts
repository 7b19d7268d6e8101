import { createSharedIcmp, type IcmpSocket, type PingAnswer, whyNoPing } from '@vantage/icmp';
import { advanceUntilEnded, createFakeClock } from '@vantage/kernel/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDial } from '../../net/dial.ts';
import { createNames } from '../../net/resolve.ts';
import { runTest } from '../../testing/index.ts';
import { createPing, ping } from './ping.ts';

/** The probe over a socket whose answers are given in turn, the last one for ever; 'never' is none at all. */
function pingAnswered(...answers: readonly (PingAnswer | 'never')[]) {
  let asked = 0;
  let open = 0;
  const socket: IcmpSocket = {
    family: 4,
    kind: 'raw',
    inFlight: 0,
    ping: () => {
      asked += 1;
      const answer = answers[Math.min(asked, answers.length) - 1] ?? { kind: 'timeout' };
      return answer === 'never' ? new Promise(() => {}) : Promise.resolve(answer);
    },
    close: () => {
      open -= 1;
    },
  };
  const openSocket = () => {
    open += 1;
    return socket;
  };
  return { probe: createPing({ sockets: createSharedIcmp({ open: openSocket }) }), open: () => open };
}

const reply = (rttMs: number): PingAnswer => ({
  kind: 'reply',
  rttMs,
  from: '192.0.2.1',
  ttl: 57,
  bytes: 56,
});
const lost: PingAnswer = { kind: 'timeout' };
const unreachable: PingAnswer = {
  kind: 'error',
  reason: 'unreachable',
  text: 'host unreachable',
  rttMs: 3,
  from: '192.0.2.254',
  mtu: 0,
};
const fast = { IntervalMs: 10 };

describe('PING', () => {
  it('reports the mean round-trip time as TTFB and the rest in the extended data', async () => {
    const { probe, open } = pingAnswered(reply(1), reply(4), reply(2.5));
    const seen = await runTest(probe, '192.0.2.1', fast);
    expect(seen).toMatchObject({ code: 1, text: '3 of 3 answered, mean 2.5 ms', dataSize: 168 });
    expect(seen.phases).toEqual({ dns: 0, connect: 0, ssl: 0, ttfb: 2.5, ttlb: 0 });
    expect(seen.extended).toMatchObject({
      Address: '192.0.2.1',
      Ping: {
        Sent: 3,
        Received: 3,
        LossPercent: 0,
        MinMs: 1,
        MeanMs: 2.5,
        MaxMs: 4,
        JitterMs: 2.25,
        MOS: 4.41,
        ReplyTTL: 57,
      },
    });
    expect(open()).toBe(0);
  });

  it('reports the wait as TTFB when it is cut off before its own verdict', async () => {
    const { probe } = pingAnswered('never');
    const clock = createFakeClock();
    const running = runTest(probe, '192.0.2.1', { Count: 1 }, { timeoutMs: 300, clock });
    const { phases, ...seen } = await advanceUntilEnded(clock, 50, running);
    expect(seen).toMatchObject({ code: 2, text: 'no answer from 192.0.2.1 within 0.3 s' });
    expect(phases).toEqual({ dns: 0, connect: 0, ssl: 0, ttfb: 300, ttlb: 0 });
  });

  it.each([
    { name: 'some loss is fine unless a limit is set', answers: [reply(1), lost], options: {}, code: 1 },
    {
      name: 'too much loss is 7',
      answers: [reply(1), lost],
      options: { MaxLossPercent: 50 },
      code: 7,
      text: 'loss 66.7 % is over 50 % (1 of 3 answered)',
    },
    {
      name: 'too long a time is 7',
      answers: [reply(30)],
      options: { MaxRTTMs: 20 },
      code: 7,
      text: 'mean round-trip time 30 ms is over 20 ms',
    },
    {
      name: 'no answer at all is 2',
      answers: [lost],
      options: {},
      code: 2,
      text: 'no answer from 192.0.2.1 to 3 pings within 1 s',
    },
    {
      name: 'no answer at all is 2 also where loss is limited',
      answers: [lost],
      options: { MaxLossPercent: 10, Count: 1 },
      code: 2,
      text: 'no answer from 192.0.2.1 to 1 ping within 1 s',
    },
    {
      name: 'a router that knows no way is 2',
      answers: [unreachable],
      options: {},
      code: 2,
      text: '192.0.2.1 does not answer pings: host unreachable, says 192.0.2.254',
    },
    {
      name: 'no route on this machine is 10',
      answers: [{ kind: 'unsent', code: 'ENETUNREACH' } as const],
      options: {},
      code: 10,
      text: 'this agent has no route to 192.0.2.1',
    },
    {
      name: 'a firewall on this machine is 10',
      answers: [{ kind: 'unsent', code: 'EPERM' } as const],
      options: {},
      code: 10,
      text: "this agent's own system or firewall forbids reaching 192.0.2.1 (EPERM)",
    },
    {
      name: 'a packet too big for this machine is 10',
      answers: [{ kind: 'unsent', code: 'EMSGSIZE' } as const],
      options: {},
      code: 10,
      text: 'this agent cannot send packets of this size to 192.0.2.1: lower Size',
    },
  ])('$name', async ({ answers, options, code, text }) => {
    const { probe, open } = pingAnswered(...answers);
    const seen = await runTest(probe, 'ping://192.0.2.1', { ...fast, ...options }, { timeoutMs: 1000 });
    expect(seen, seen.text).toMatchObject({ code, ...(text && { text }) });
    expect(open()).toBe(0);
  });

  it('is 10 and says which right is missing', async () => {
    const probe = createPing({ sockets: createSharedIcmp({ open: () => ({ error: 'needs CAP_NET_RAW' }) }) });
    expect(await runTest(probe, '192.0.2.1')).toMatchObject({ code: 10, text: 'needs CAP_NET_RAW' });
  });

  it('takes the next address when this machine cannot send to the first', async () => {
    const { probe } = pingAnswered({ kind: 'unsent', code: 'ENETUNREACH' }, reply(1));
    const dial = {
      ...createDial(),
      resolve: () =>
        Promise.resolve([
          { address: '2001:db8::1', family: 6 as const },
          { address: '192.0.2.1', family: 4 as const },
        ]),
    };
    const seen = await runTest(probe, 'two.example', fast, { dial });
    expect(seen).toMatchObject({ code: 1, extended: { Address: '192.0.2.1' } });
  });

  it('is 9 where the policy says no, and sends nothing', async () => {
    const { probe } = pingAnswered();
    const policy = { refuse: () => "192.0.2.0/24 is not allowed by this agent's policy" };
    const seen = await runTest(probe, '192.0.2.1', {}, { policy });
    expect(seen).toMatchObject({ code: 9, text: "192.0.2.0/24 is not allowed by this agent's policy" });
  });

  it.each(['192.0.2.1:80', 'http://192.0.2.1', '-f', 'ping://a b', '', 'ping://192.0.2.1/x'])(
    'accepts no target like %j',
    (url) => {
      const found = ping.parseTarget(url);
      expect(found).toMatchObject({ ok: false });
      expect(found.ok ? '' : found.message).toContain('accepted is host or ping://host');
    },
  );

  it('knows defaults and refuses what it does not know', () => {
    expect(ping.options.parse({})).toEqual({
      Count: 3,
      Size: 56,
      IntervalMs: 200,
      IPFamily: 'Any',
      DontFragment: false,
    });
    expect(ping.options.safeParse({ Cuont: 3 }).success).toBe(false);
    expect(ping.options.safeParse({ Count: 0 }).success).toBe(false);
  });
});

const reason = whyNoPing();

describe('PING on the wire', () => {
  beforeEach(({ skip }) => skip(reason !== undefined, reason));

  it.each(['127.0.0.1', '::1'])('reaches %s', async (host) => {
    const seen = await runTest(ping, host, { ...fast, Size: 1000, MaxRTTMs: 100 });
    expect(seen, seen.text).toMatchObject({ code: 1, dataSize: 3000 });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
  });

  it('spends the DNS phase on a name', async () => {
    const dial = createDial({ names: createNames({ servers: ['127.0.0.1:1'] }) });
    const seen = await runTest(ping, 'localhost', fast, { dial });
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(seen.phases.dns).toBeGreaterThan(0);
  });
});
