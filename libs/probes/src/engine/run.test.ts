import { connect } from 'node:net';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Failure } from '../contract/failure.ts';
import type { Measurement, Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import { parseTarget } from '../contract/target.ts';
import { createDial } from '../net/dial.ts';
import { allowAll, listen } from '../testing/index.ts';
import { runCheck } from './run.ts';

const options = z.strictObject({ Password: z.string().optional(), SlowMs: z.number().optional() });
type RunBody = (context: ProbeContext) => Promise<ProbeOutcome>;

/** A probe that does what a test wants. */
function probeOf(run: RunBody): Probe<'TCP', typeof options> {
  const rules = { schemes: { tcp: 0 }, scheme: 'tcp', credentials: true, accepts: 'host:port' };
  return {
    method: 'TCP',
    purpose: '',
    example: { URL: 'host:1', ShortName: 'test', Options: {} },
    optionsCase: 'tcp',
    tracePackets: 'tcp',
    options,
    secretOptions: ['Password'],
    scriptFunctions: {},
    parseTarget: (url) => parseTarget(url, rules),
    run,
  };
}

function start(
  run: RunBody,
  settings: { options?: unknown; signal?: AbortSignal; url?: string; clock?: FakeClock } = {},
) {
  const clock = settings.clock ?? createFakeClock();
  const probe = probeOf(run);
  const found = probe.parseTarget(settings.url ?? 'mail.example:25');
  if (!found.ok) throw new TypeError(found.message);
  const deps = {
    clock,
    policy: allowAll,
    dial: createDial(),
    signal: settings.signal ?? new AbortController().signal,
    random: () => 0.5,
  };
  const check = { probe, target: found.target, options: settings.options ?? {}, timeoutMs: 5000 };
  return { clock, done: runCheck(deps, check) };
}

const good = (text = 'fine'): ProbeOutcome => ({ code: 1, text, dataSize: 0, extended: {} });
const never = () => new Promise<never>(() => {});
const aborted = ({ signal }: ProbeContext) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

async function at(clock: ReturnType<typeof createFakeClock>, ms: number, done: Promise<Measurement>) {
  await clock.advance(ms);
  return done;
}

describe('around every probe', () => {
  test('phases are the stopwatch at the end, and a phase entered again adds up', async () => {
    const { clock, done } = start(async ({ stopwatch, clock }) => {
      stopwatch.enter('connect');
      await clock.sleep(10);
      stopwatch.enter('ttfb');
      await clock.sleep(20);
      stopwatch.enter('connect');
      await clock.sleep(5);
      stopwatch.pause();
      await clock.sleep(100);
      stopwatch.follow('ttlb');
      await clock.sleep(1);
      stopwatch.follow('ssl');
      await clock.sleep(2);
      stopwatch.enter('dns');
      await clock.sleep(50);
      stopwatch.conclude('dns', 1.5);
      return good();
    });
    const seen = await at(clock, 300, done);
    expect(seen.phases).toEqual({ dns: 1.5, connect: 15, ssl: 2, ttfb: 20, ttlb: 101 });
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['connect', 2, 'no answer from mail.example:25 within 5 s'],
    ['ssl', 2, 'no answer from mail.example:25 to the TLS handshake within 5 s'],
    ['ttfb', 2, 'no answer from mail.example:25 within 5 s'],
    ['ttlb', 2, 'the answer from mail.example:25 was not complete within 5 s'],
    ['dns', 10, "none of this agent's resolvers answered about mail.example within 5 s"],
  ] as const)('cut off in %s it is %i, and the phase carries the wait', async (phase, code, text) => {
    const { clock, done } = start((context) => {
      context.stopwatch.enter(phase);
      return aborted(context);
    });
    const seen = await at(clock, 5000, done);
    expect(seen).toMatchObject({ code, text, phases: { [phase]: 5000 } });
    expect(clock.pending).toBe(0);
  });

  test('a probe that does not listen is left alone 0.4 s after its deadline', async () => {
    const { clock, done } = start((context) => {
      context.stopwatch.enter('ttfb');
      return never();
    });
    await clock.advance(5399);
    expect(await Promise.race([done, Promise.resolve('running')])).toBe('running');
    const seen = await at(clock, 1, done);
    expect(seen).toMatchObject({ code: 2, phases: { ttfb: 5000 } });
  });

  test('a deadline that comes early is waited for, one that comes far too late blames the agent', async () => {
    /** A clock whose monotonic hand is off by so much once the check has begun. */
    const skewed = (skewMs: number) => {
      const clock = createFakeClock();
      return { ...clock, monoMs: () => (clock.monoMs() === 0 ? 0 : clock.monoMs() + skewMs) };
    };
    const frozen = start(aborted, { clock: skewed(3000) });
    expect(await at(frozen.clock, 5000, frozen.done)).toMatchObject({
      code: 10,
      text: 'this agent stood still for 3 s during the check: its machine was suspended or overloaded',
    });
    const busy = start(aborted, { clock: skewed(100) });
    expect(await at(busy.clock, 5000, busy.done)).toMatchObject({ code: 2 });
    const hasty = start(aborted, { clock: skewed(-200) });
    await hasty.clock.advance(5000);
    expect(await Promise.race([hasty.done, Promise.resolve('running')])).toBe('running');
    expect(await at(hasty.clock, 200, hasty.done)).toMatchObject({ code: 2 });
  });

  test('a good answer after the deadline does not count, a failure with a reason does', async () => {
    const late = start(async ({ clock }) => {
      await clock.sleep(5100);
      return good();
    });
    expect(await at(late.clock, 5100, late.done)).toMatchObject({ code: 2 });
    const reasoned = start(async (context) => {
      await aborted(context).catch(() => {});
      throw new Failure(7, 'expected "a", got "b"');
    });
    expect(await at(reasoned.clock, 5000, reasoned.done)).toMatchObject({
      code: 7,
      text: 'expected "a", got "b"',
    });
  });

  test("a surprise is the agent's (10), not the device's", async () => {
    const { done } = start(() => Promise.reject(new RangeError('index is off')));
    expect(await done).toMatchObject({ code: 10, text: 'probe failed: index is off' });
    const sync = start(() => {
      throw new RangeError('at once');
    });
    expect(await sync.done).toMatchObject({ code: 10, text: 'probe failed: at once' });
  });

  test('an agent that ends cuts the check off', async () => {
    const ending = new AbortController();
    const { clock, done } = start(aborted, { signal: ending.signal });
    ending.abort('SIGTERM');
    expect(await at(clock, 0, done)).toMatchObject({ code: 10, text: 'the agent ended during this check' });
    const after = start(aborted, { signal: ending.signal });
    expect(await at(after.clock, 0, after.done)).toMatchObject({ code: 10 });
  });

  test('what a probe owned is disposed of, whatever its end', async () => {
    await using server = await listen(() => {});
    const { clock, done } = start(async (context) => {
      const socket = connect(server.port, '127.0.0.1');
      context.own({ [Symbol.dispose]: () => void socket.destroy() });
      context.own({
        [Symbol.dispose]: () => {
          throw new Error('gone already');
        },
      });
      await new Promise((resolve) => socket.once('connect', resolve));
      throw new Error('surprise');
    });
    void clock;
    expect(await done).toMatchObject({ code: 10 });
    await server.idle();
  });

  test('diagnostics are kept of failures only, and a fact that throws loses nothing else', async () => {
    const body =
      (code: 1 | 3): RunBody =>
      async (context) => {
        context.addDetail('Fact', 1);
        context.addDetail('Broken', () => {
          throw new Error('no more');
        });
        context.diagnostics('Transcript', () => ['< hello']);
        return { code, text: 'x', dataSize: 0, extended: { Own: true } };
      };
    const facts = { Fact: 1, Broken: 'not available: no more', Own: true };
    expect((await start(body(1)).done).extended).toEqual(facts);
    expect((await start(body(3)).done).extended).toEqual({ ...facts, Transcript: ['< hello'] });
  });

  test('secrets of URL and Options are masked in every text, in clear, Base64 and percent-encoded', async () => {
    const secret = 'pa ss/wörd';
    const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
    const { done } = start(
      async (context) => {
        context.redact('token-77');
        context.addDetail('Echo', { [`k ${secret}`]: [...forms, 'token-77'] });
        throw new Error(`refused: ${forms.join(' ')}`);
      },
      { options: { Password: secret }, url: 'tcp://me:another-one@mail.example:25' },
    );
    const seen = await done;
    expect(seen.text).toBe('probe failed: refused: *** *** ***');
    expect(seen.extended).toEqual({ Echo: { 'k ***': ['***', '***', '***', '***'] } });
  });

  test('extended data are bounded and fit for a database', async () => {
    const { done } = start(async (context) => {
      context.addDetail('Nul', 'a\0b\ud800');
      context.addDetail('Number', Number.NaN);
      for (let i = 0; i < 20; i += 1) context.diagnostics(`Long${i}`, 'x'.repeat(20_000));
      return { code: 3, text: `two\nlines \0 ${'y'.repeat(2000)}`, dataSize: 0, extended: {} };
    });
    const seen = await done;
    expect(seen.extended).toMatchObject({ Nul: 'a\\x00b\ufffd', Number: null, Truncated: true });
    expect(JSON.stringify(seen.extended).length).toBeLessThan(70_000);
    expect(seen.text).toMatch(/^two lines y+…$/);
  });

  test('slow means good and over SlowMs', async () => {
    const took =
      (ms: number, code: 1 | 3): RunBody =>
      async ({ stopwatch }) => {
        stopwatch.conclude('ttfb', ms);
        return { ...good(), code };
      };
    const slow = async (ms: number, code: 1 | 3) =>
      (await start(took(ms, code), { options: { SlowMs: 50 } }).done).slow;
    expect([await slow(51, 1), await slow(50, 1), await slow(51, 3)]).toEqual([true, false, false]);
  });
});
