// Compares PING, DNS over UDP, DNSTime and a script's steps with the stamps of a wire with a known delay, at rest and
// while this process runs 500 checks a second.
import type { Method } from '@vantage/domain';
import { createDial, createNames, type Dial, probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { freePort } from '@vantage/testing/free-port';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { bareQuery } from './accuracy-control.ts';
import { kernelLimits, runFirst } from './accuracy-processor.ts';
import { type Errors, expectWithin } from './accuracy-verdict.ts';
import { startWire, type Wire, wireMissing } from './delay-wire.ts';
import { startLoad } from './load.ts';
import { packages, type Server, serve, serversMissing } from './servers-fixture.ts';

/** Two show an error that grows with the delay; the shorter ones take the least time. */
const delays = [20, 50] as const;
const missing = serversMissing('dnsmasq-base') ?? wireMissing();
const printed: string[] = [];
const dial = createDial();
let wire: Wire | undefined;
let names: Server | undefined;
let first: Disposable | undefined;

beforeAll(async () => {
  if (missing) return;
  wire = await startWire();
  names = await startNames(wire);
  first = runFirst();
});
afterAll(async () => {
  first?.[Symbol.dispose]();
  await names?.[Symbol.asyncDispose]();
  await wire?.[Symbol.asyncDispose]();
  process.stdout.write(`\n${printed.join('\n')}\n`);
});

/** dnsmasq at the near end of the wire; `far.test` is the far end. */
async function startNames({ near, far }: Wire): Promise<Server> {
  const port = await freePort();
  return serve(port, packages['dnsmasq-base'], [
    '--keep-in-foreground',
    '--conf-file=/dev/null',
    `--port=${port}`,
    `--listen-address=${['127.0.0.1', ...near].join(',')}`,
    '--bind-interfaces',
    '--no-resolv',
    '--no-hosts',
    '--user=nobody',
    `--address=/far.test/${far.v4}`,
  ]);
}

/** The parts that a check over the wire needs. */
interface Ends {
  readonly wire: Wire;
  readonly port: number;
  /** The far end, as part of a URL. */
  readonly far: string;
}

async function look(method: Method, url: string, options: unknown, settings = { dial }) {
  const probe = probeFor(method);
  if (!probe) throw new Error(`no probe for ${method}`);
  const seen = await runTest(probe, url, options, { ...settings, timeoutMs: 20_000 });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  return seen;
}

const dials = new Map<string, Dial>();

/** The dial of an agent with this resolver, one for all its checks. */
function dialBy(server: string): Dial {
  const made = dials.get(server) ?? createDial({ names: createNames({ servers: [server] }) });
  dials.set(server, made);
  return made;
}

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const calls = z.array(z.object({ Calls: z.array(z.record(z.string(), z.unknown())) }));

/** The checked Methods, and the difference of each from the stamps of the wire. */
const subjects: readonly { readonly name: string; readonly check: (ends: Ends) => Promise<Errors> }[] = [
  {
    name: 'PING',
    check: async ({ wire: { roundTrips }, far }) => {
      using trips = roundTrips(0);
      const host = far.replace(/^\[|\]$/g, '');
      const { phases } = await look('PING', host, { Count: 5, IntervalMs: 10 });
      return { ttfb: phases.ttfb - mean(await trips.take(5)) };
    },
  },
  {
    name: 'DNS over UDP',
    check: async ({ wire: { roundTrips }, far, port }) => {
      using trips = roundTrips(port);
      const { phases } = await look('DNS', `dns://${far}:${port}/far.test?type=A`, {});
      return { ttfb: phases.ttfb - mean(await trips.take(1)) };
    },
  },
  {
    name: 'DNSTime',
    check: async ({ wire: { roundTrips, talk }, far, port }) => {
      using trips = roundTrips(port);
      const report = talk(port);
      const slow = dialBy(`${far}:${port}`);
      const { phases } = await look('TCP', `far.test:${port}`, { IPFamily: '4' }, { dial: slow });
      const { openMs, startMs } = await report;
      return {
        dns: phases.dns - mean(await trips.take(1)),
        connect: phases.connect - (openMs - startMs),
      };
    },
  },
  {
    name: 'Script',
    check: async ({ wire: { roundTrips, talk }, far, port }) => {
      using trips = roundTrips(port);
      const report = talk(port);
      const at = JSON.stringify({ host: far, port });
      const asked = JSON.stringify({ url: `dns://${far}:${port}/far.test?type=A` });
      const { extended } = await look('Script', `await tcp(${at}); await dns(${asked});`, {});
      const [tcp, dns] = calls.parse(extended['Steps']).flatMap(({ Calls }) => Calls);
      const { openMs, startMs } = await report;
      return {
        'step connect': Number(tcp?.['ConnectTime']) - (openMs - startMs),
        'step ttfb': Number(dns?.['TTFB']) - mean(await trips.take(1)),
      };
    },
  },
];

/** Where other work has the processors, a script's process needs long to start. */
const slowly = { ...retryBecause('a busy machine adds milliseconds'), timeout: 300_000 };

describe("compared with the wire's own stamps", slowly, () => {
  const laid = (context: TestContext) => {
    if (!wire || !names) return context.skip(missing);
    return { wire, port: names.port, ends: [wire.far.v4, `[${wire.far.v6}]`] };
  };

  const hold = (limitMs: number, when: string, { name, check }: (typeof subjects)[number], ends: Ends) =>
    expectWithin(
      { ms: limitMs, kernel: kernelLimits },
      {
        label: `${name.padEnd(15)} ${when}${ends.far.startsWith('[') ? ', IPv6' : ''}`,
        printed,
        check: () => check(ends),
        control: () =>
          bareQuery({ host: ends.far.replace(/^\[|\]$/g, ''), port: ends.port, talk: ends.wire.talk }),
      },
    );

  test.for(subjects)('$name at rest, within 2 ms', async (subject, context) => {
    const { ends, ...rest } = laid(context);
    for (const delayMs of delays) {
      await rest.wire.delay(delayMs);
      for (const far of ends) await hold(2, `at rest, ${delayMs} ms`, subject, { ...rest, far });
    }
  });

  test('beside 500 checks a second, within 5 ms', async (context) => {
    const { ends, ...rest } = laid(context);
    await using load = await startLoad();
    for (const delayMs of delays) {
      await rest.wire.delay(delayMs);
      for (const subject of subjects)
        await hold(5, `loaded, ${delayMs} ms`, subject, { ...rest, far: ends[0] ?? '' });
    }
    expect(load.perSecond()).toBeGreaterThan(400);
  });
});
