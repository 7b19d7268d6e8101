// Compares every phase of every TCP Method with the stamps of a wire with a known delay, at rest and while this process
// runs 500 checks a second. The wire, the proxy and the servers are separate processes. Where this machine cannot make
// such a wire, a proxy that delays the servers' bytes shows the same instead, except ConnectTime.
import { createDial, type Phase, probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { retryBecause } from '@vantage/testing/retry';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { bareHandshake, bareQuery } from './accuracy-control.ts';
import { kernelLimits, runFirst } from './accuracy-processor.ts';
import {
  accuracyServersMissing,
  type Passage,
  type Servers,
  startPassage,
  startServers,
} from './accuracy-servers.ts';
import { plainSubjects, type Subject, tlsSubjects } from './accuracy-subjects.ts';
import { expectWithin, type Limits } from './accuracy-verdict.ts';
import { type Talk, truthOf } from './delay-talk.ts';
import { startWire, type Wire, wireMissing } from './delay-wire.ts';
import { startLoad } from './load.ts';

/** Two show an error that grows with the delay; the shorter ones take the least time. Each has a wire of its own. */
const delays = [20, 50] as const;
/** Checks that run at one time beside the load. */
const atOnce = 4;
const subjects = [...plainSubjects, ...tlsSubjects];
const missing = accuracyServersMissing();
const noWire = missing ?? wireMissing();
const printed: string[] = [];
/** One dial for all checks, as in an agent. */
const dial = createDial();
let servers: Servers | undefined;
let first: Disposable | undefined;

beforeAll(async () => {
  if (!missing) servers = await startServers();
  first = runFirst();
}, 300_000);
afterAll(async () => {
  first?.[Symbol.dispose]();
  await servers?.[Symbol.asyncDispose]();
  process.stdout.write(`\n${printed.join('\n')}\n`);
});

/** A path to the servers on which their answers take a known time. */
interface Way {
  readonly servers: Servers;
  readonly ports: Passage['ports'];
  readonly talk: (port: number) => Promise<Talk>;
  /** Runs the work of one port one after the other, because the talks of two checks on it cannot be told apart. */
  readonly inTurn: <T>(port: number, work: () => Promise<T>) => Promise<T>;
}

/** The turns of the ports of one way. */
function createTurns(): Way['inTurn'] {
  const last = new Map<number, Promise<unknown>>();
  return (port, work) => {
    const done = (last.get(port) ?? Promise.resolve()).then(work, work);
    last.set(port, done);
    return done;
  };
}

function probeOf({ method }: Subject) {
  const probe = probeFor(method);
  if (!probe) throw new Error(`no probe for ${method}`);
  return probe;
}

/** One check, and the stamps of its path. */
function lookAt(subject: Subject, way: Way, host: string) {
  const port = way.ports[subject.service];
  const options = subject.options(way.servers);
  return way.inTurn(port, async () => {
    const report = way.talk(port);
    const seen = await runTest(probeOf(subject), subject.url(host, port), options, {
      dial,
      timeoutMs: 60_000,
    });
    expect(seen, seen.text).toMatchObject({ code: subject.code ?? 1 });
    return { seen, truth: truthOf(await report, subject.manner) };
  });
}

/** The errors of one check's phases, milliseconds. */
async function errorsOf(subject: Subject, way: Way, host: string, phases: readonly Phase[]) {
  const { seen, truth } = await lookAt(subject, way, host);
  const errors: Partial<Record<Phase, number>> = {};
  for (const phase of phases) {
    const stamped = truth[phase];
    if (stamped !== undefined) errors[phase] = seen.phases[phase] - stamped;
  }
  return errors;
}

interface Held {
  readonly way: Way;
  readonly host: string;
  readonly limitMs: number;
  readonly when: string;
  /** Default: all that have stamps. */
  readonly phases?: readonly Phase[];
  /** Default: those of this machine. */
  readonly kernel?: Limits['kernel'];
  /** Added to each error of the checks, to show that the test notices it. */
  readonly faultMs?: number;
}

function hold(subject: Subject, held: Held): Promise<void> {
  const { way, host, limitMs, when, phases = ['connect', 'ssl', 'ttfb', 'ttlb'], faultMs = 0 } = held;
  const limits = { ms: limitMs, kernel: held.kernel ?? kernelLimits };
  const service = subject.manner.tls ? 'dnss' : 'dns';
  const bare = { host: host.replace(/^\[|\]$/g, ''), port: way.ports[service], talk: way.talk };
  return expectWithin(limits, {
    label: `${subject.name.padEnd(15)} ${when}`,
    printed,
    async check() {
      const errors = await errorsOf(subject, way, host, phases);
      return Object.fromEntries(Object.entries(errors).map(([phase, ms]) => [phase, ms + faultMs]));
    },
    control: () => way.inTurn(bare.port, () => (subject.manner.tls ? bareHandshake(bare) : bareQuery(bare))),
  });
}

/** Where other work has the processors, each check waits for its server. */
const slowly = { ...retryBecause('a busy machine adds milliseconds'), timeout: 300_000 };

describe('over a wire', slowly, () => {
  const held = new AsyncDisposableStack();
  let wires: readonly Wire[] = [];
  let ways: readonly Way[] = [];
  beforeAll(async () => {
    if (!servers || noWire) return;
    const ours = [held.use(await startWire(0)), held.use(await startWire(1))];
    for (const [i, delayMs] of delays.entries()) await ours[i]?.delay(delayMs);
    const near = ours.flatMap((wire) => wire.near);
    const { ports } = held.use(await startPassage(servers, near, 0));
    const all = servers;
    ways = ours.map(({ talk }) => ({ servers: all, ports, talk, inTurn: createTurns() }));
    wires = ours;
  });
  afterAll(() => held.disposeAsync());
  /** The wires with the two delays, the ways over them, and the addresses of the far ends. */
  const laid = (context: TestContext) => {
    const [short, long] = wires.map((wire, i) => {
      const way = ways[i];
      return way && { wire, way, v4: wire.far.v4, v6: `[${wire.far.v6}]` };
    });
    if (!short || !long) return context.skip(noWire);
    return [short, long] as const;
  };

  // Checks on different ports run at one time and still count as at rest: each mostly waits for the wire.
  test.concurrent.for(subjects)('$name at rest, within 2 ms', async (subject, context) => {
    const [short, long] = laid(context);
    const rest = { limitMs: 2 };
    await Promise.all([
      hold(subject, { ...rest, way: long.way, host: long.v4, when: 'at rest, 50 ms' }),
      (async () => {
        await hold(subject, { ...rest, way: short.way, host: short.v4, when: 'at rest, 20 ms' });
        await hold(subject, { ...rest, way: short.way, host: short.v6, when: 'at rest, 20 ms, IPv6' });
      })(),
    ]);
  });

  test.concurrent.for([plainSubjects[0], tlsSubjects[0]])(
    'a fault of 3 ms in $name is noticed',
    async (subject, context) => {
      const [{ way, v4 }] = laid(context);
      if (!subject) throw new Error('no such subject');
      const fault = hold(subject, {
        way,
        host: v4,
        limitMs: 2,
        when: 'with a fault of 3 ms',
        faultMs: 3,
      });
      await expect(fault).rejects.toThrow('with a fault of 3 ms');
    },
  );

  test('beside 500 checks a second, within 5 ms', { timeout: 600_000 }, async (context) => {
    const [short, long] = laid(context);
    await using load = await startLoad();
    const looks = [
      ...subjects.map((subject) => ({ subject, ...long, when: 'loaded, 50 ms' })),
      ...plainSubjects.map((subject) => ({ subject, ...short, when: 'loaded, 20 ms' })),
    ];
    const lookOn = async () => {
      for (let next = looks.shift(); next; next = looks.shift()) {
        const { subject, way, v4, when } = next;
        await hold(subject, { way, host: v4, limitMs: 5, when });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lookOn));
    printed.push(`${Math.round(load.perSecond())} checks a second beside`);
    expect(load.perSecond()).toBeGreaterThan(400);
  });

  test('ConnectTime contains the wait for the answer to a SYN that was sent again', async (context) => {
    const [one, other] = laid(context);
    const subject = plainSubjects.find(({ name }) => name === 'TCP');
    const [http] = plainSubjects;
    if (!subject || !http) throw new Error('no such subject');
    for (const { wire } of [one, other]) await wire.delay('lossy');
    const lossy = { limitMs: 2, when: 'first answer lost', phases: ['connect'], kernel: {} } as const;
    const [{ seen }] = await Promise.all([
      lookAt(http, one.way, one.v4),
      hold(subject, { ...lossy, way: one.way, host: one.v4 }),
      hold(subject, { ...lossy, way: other.way, host: other.v6 }),
    ]);
    expect(seen.phases.connect).toBeGreaterThan(900);
  });

  test('ConnectTime contains the whole wait for an answer to the connect that never comes', async (context) => {
    const [{ wire, way, v4, v6 }] = laid(context);
    await wire.delay('lost');
    const timeoutMs = 700;
    const cut = async (subject: Subject, host: string) => {
      const url = subject.url(host, way.ports[subject.service]);
      const options = subject.options(way.servers);
      const { code, phases, text } = await runTest(probeOf(subject), url, options, { dial, timeoutMs });
      const { connect, ...rest } = phases;
      expect({ code, text, rest }).toMatchObject({
        code: 2,
        text: expect.stringContaining('no answer'),
        rest: { dns: 0, ssl: 0, ttfb: 0, ttlb: 0 },
      });
      expect(connect).toBeGreaterThan(timeoutMs * 0.9);
    };
    await Promise.all(plainSubjects.flatMap((subject) => [cut(subject, v4), cut(subject, v6)]));
  });
});

if (noWire !== undefined) describe('over a proxy', slowly, overAProxy);

function overAProxy(): void {
  let passage: Passage | undefined;
  beforeAll(async () => {
    if (servers) passage = await startPassage(servers, ['127.0.0.1'], 50);
  });
  afterAll(async () => {
    await passage?.[Symbol.asyncDispose]();
  });

  test.for(subjects)('$name at rest, 50 ms, within 2 ms', async (subject, context) => {
    if (!servers || !passage) return context.skip(missing);
    const way: Way = { servers, ports: passage.ports, talk: passage.talk, inTurn: createTurns() };
    // A proxy accepts a connection before it stamps it, so the test has no ConnectTime to compare with.
    const phases = ['ssl', 'ttfb', 'ttlb'] as const;
    await hold(subject, { way, host: '127.0.0.1', limitMs: 2, when: 'by proxy, 50 ms', phases });
  });
}
