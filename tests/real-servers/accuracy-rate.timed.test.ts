// Compares ConnectTime and TTFB with the stamps of a wire at 40 checks a second, beside bare sockets of Node that
// alternate with the checks. ConnectTime also where the first address refuses, and through a proxy.
import { createServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Method } from '@vantage/domain';
import { createTcpFigures } from '@vantage/icmp';
import { createDial, createNames, type Dial, type Phase, probeFor } from '@vantage/probes';
import { makeCertificate, runTest, serveNames, startSite } from '@vantage/probes/testing';
import { startConnectProxy } from '@vantage/testing/connect-proxy';
import { freePort } from '@vantage/testing/free-port';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { bareTimes } from './accuracy-control.ts';
import { kernelLimits, runFirst } from './accuracy-processor.ts';
import { expectWithin } from './accuracy-verdict.ts';
import { type Manner, type Talk, truthOf } from './delay-talk.ts';
import { startWire, type Wire, wireMissing } from './delay-wire.ts';
import { startWireServer, type WireServerKind } from './wire-server.ts';

const missing = wireMissing();
const printed: string[] = [];
let wire: Wire | undefined;
let first: Disposable | undefined;

beforeAll(async () => {
  if (missing) return;
  wire = await startWire();
  await wire.delay(20);
  first = runFirst();
});
afterAll(async () => {
  first?.[Symbol.dispose]();
  await wire?.[Symbol.asyncDispose]();
  process.stdout.write(`\n${printed.join('\n')}\n`);
});

const perSecond = 40;
/** Half of them are bare sockets. */
const connections = 80;

/** A Method, with what a bare socket does instead. */
interface Subject {
  readonly method: 'HTTP' | 'NNTP';
  readonly kind: WireServerKind;
  readonly manner: Manner;
  readonly request?: string;
}

const subjects: readonly Subject[] = [
  {
    method: 'HTTP',
    kind: 'web',
    manner: { speaksFirst: 'client' },
    request: 'GET / HTTP/1.1\r\nHost: rate.test\r\n\r\n',
  },
  { method: 'NNTP', kind: 'news', manner: { speaksFirst: 'server', quits: true } },
];
const ways = subjects.flatMap((subject) => [
  { ...subject, family: 'IPv4' as const },
  { ...subject, family: 'IPv6' as const },
]);

/** The times of one connection, milliseconds, and its port. */
interface Seen {
  readonly client: number;
  readonly connect: number;
  readonly ttfb: number;
}

const tcpFigures = createTcpFigures();

/** One good check. */
async function measured(method: Method, url: string, options: unknown, dial: Dial) {
  const probe = probeFor(method);
  if (!probe) throw new Error(`no probe for ${method}`);
  const seen = await runTest(probe, url, options, { dial, timeoutMs: 60_000 });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  return seen;
}

/** The times of one check, and the client's port. */
async function check(method: Subject['method'], host: string, port: number): Promise<Seen> {
  let client = 0;
  const dial = createDial({
    tcpFigures: (socket) => {
      client = socket.localPort ?? 0;
      return tcpFigures(socket);
    },
  });
  const url = method === 'HTTP' ? `http://${host}:${port}/` : `${host}:${port}`;
  const { phases } = await measured(method, url, {}, dial);
  return { client, ...phases };
}

/** The median of the errors' amounts, milliseconds. */
function medianError(
  seen: readonly Seen[],
  talks: ReadonlyMap<number, Talk>,
  manner: Manner,
  phase: Phase & keyof Seen,
) {
  const errors = seen.map((each) => {
    const talk = talks.get(each.client);
    return talk === undefined
      ? Number.NaN
      : Math.abs(each[phase] - (truthOf(talk, manner)[phase] ?? Number.NaN));
  });
  expect(errors.filter(Number.isNaN)).toEqual([]);
  return errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? Number.NaN;
}

const slowly = { ...retryBecause('a busy machine adds milliseconds'), timeout: 300_000 };

describe("compared with the wire's own stamps", slowly, () => {
  const laid = (context: TestContext) => wire ?? context.skip(missing);

  test.for(ways)(
    '$method over $family at 40 checks a second: the median error of TTFB is at most 1 ms above that of bare sockets',
    async ({ method, kind, manner, request, family }, context) => {
      const { near, far, talks: listen } = laid(context);
      const port = await freePort();
      const at = family === 'IPv4' ? 0 : 1;
      await using _server = await startWireServer(near[at] ?? '', port, 1, kind);
      const talks = new Map<number, Talk>();
      using _talks = listen((talk) => void (talk.port === port && talks.set(talk.client ?? 0, talk)));
      const bare = { host: family === 'IPv4' ? far.v4 : far.v6, port, request, isAnswered: true };
      const host = family === 'IPv4' ? far.v4 : `[${far.v6}]`;
      const checks: Promise<Seen>[] = [];
      const controls: Promise<Seen>[] = [];
      for (let made = 0; made < connections; made += 1) {
        if (made % 2 === 0) checks.push(check(method, host, port));
        else controls.push(bareTimes(bare));
        await delay(1000 / perSecond);
      }
      const [ours, theirs] = [await Promise.all(checks), await Promise.all(controls)];
      await expect.poll(() => talks.size, { timeout: 60_000 }).toBe(connections);
      const of = (phase: Phase & keyof Seen) =>
        [ours, theirs].map((seen) => medianError(seen, talks, manner, phase)) as [number, number];
      const [connect, ttfb] = [of('connect'), of('ttfb')];
      const shown = ([own, control]: readonly number[]) =>
        `${own?.toFixed(3)} (bare sockets ${control?.toFixed(3)})`;
      printed.push(`${method} over ${family} at 40/s: connect ${shown(connect)}, ttfb ${shown(ttfb)} ms`);
      expect(connect[0], printed.at(-1)).toBeLessThan(kernelLimits['connect'] ?? connect[1] + 1);
      expect(ttfb[0] - ttfb[1], printed.at(-1)).toBeLessThan(1);
    },
  );

  /** Runs checks whose ConnectTime is compared with the stamps, beside bare sockets to a server that greets. */
  const hold = async (label: string, { near, far, talk }: Wire, connectError: () => Promise<number>) => {
    const port = await freePort();
    await using _server = await startWireServer(near[0] ?? '', port, 1, 'news');
    await expectWithin(
      { ms: 2 },
      {
        label,
        printed,
        check: async () => ({ connect: await connectError() }),
        async control() {
          const report = talk(port);
          const { connect } = await bareTimes({ host: far.v4, port, isAnswered: false });
          const { openMs, startMs } = await report;
          return { connect: connect - (openMs - startMs) };
        },
      },
    );
  };

  test('ConnectTime begins at the first address, which refuses, and ends at the answer of the second', async (context) => {
    const ours = laid(context);
    const { near, far } = ours;
    const port = await freePort();
    await using _server = await startWireServer(near[0] ?? '', port, 1, 'silent');
    await using resolver = await serveNames(({ name, type }) => ({
      answers: [type === 'A' ? { type: 'A', name, data: far.v4 } : { type: 'AAAA', name, data: far.v6 }],
    }));
    const dial = createDial({ names: createNames({ servers: [resolver.target] }) });
    await hold('TCP, the first address refuses', ours, async () => {
      const talks: Talk[] = [];
      using _talks = ours.talks((talk) => void (talk.port === port && talks.push(talk)));
      const seen = await measured('TCP', `both.test:${port}`, {}, dial);
      await expect.poll(() => talks.length, { timeout: 60_000 }).toBe(2);
      const [refused, used] = talks.toSorted((a, b) => a.startMs - b.startMs);
      if (!refused || !used) throw new Error('a talk is missing');
      expect(used.startMs).toBeGreaterThanOrEqual(refused.openMs);
      return seen.phases.connect - (used.openMs - refused.startMs);
    });
  });

  test('ConnectTime through a proxy ends when the proxy has answered', async (context) => {
    const ours = laid(context);
    const { near, far } = ours;
    await using site = await startSite(
      createServer(makeCertificate(), (_request, answer) => answer.end('fine')),
      'https',
    );
    await using proxy = await startConnectProxy(near[0] ?? '');
    const options = { Proxy: `http://${far.v4}:${proxy.port}`, TLS: { Verify: false } };
    await hold('HTTP by proxy', ours, async () => {
      const report = ours.talk(proxy.port);
      const seen = await measured('HTTP', site.url, options, createDial());
      const { startMs, said } = await report;
      const answered = said.find(([, side]) => side === 'server')?.[0] ?? Number.NaN;
      return seen.phases.connect - (answered - startMs);
    });
  });
});
