// Compares PING with fping for the same target in the same run, at rest and while this process runs 500 checks a
// second.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { systemClock } from '@vantage/kernel';
import { type Measurement, probeFor } from '@vantage/probes';
import { runTest } from '@vantage/probes/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startLoad } from './load.ts';

const run = promisify(execFile);
const count = 100;
const intervalMs = 10;
/** The greatest difference that passes, milliseconds. */
const boundMs = 0.05;
const printed: string[] = [];
afterAll(() => void process.stdout.write(`\n${printed.join('\n')}\n`));

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'real pings need root';
  return spawnSync('fping', ['--version']).error ? 'fping is not installed' : undefined;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median of fping's round-trip times, milliseconds. */
async function fpingMedian(address: string): Promise<number> {
  const { stderr } = await run('fping', ['-C', `${count}`, '-p', `${intervalMs}`, '-q', address]);
  const times = stderr.split(' : ')[1]?.trim().split(' ').map(Number) ?? [];
  expect(times).toHaveLength(count);
  return median(times);
}

async function probeMedian(address: string): Promise<number> {
  const ping = probeFor('PING');
  if (!ping) throw new Error('no probe for PING');
  const options = { Count: count, IntervalMs: intervalMs };
  const seen = await runTest(ping, address, options, { timeoutMs: 30_000 });
  expect(seen, seen.text).toMatchObject({ code: 1 });
  return median(timesOf(seen));
}

function timesOf({ extended }: Measurement): readonly number[] {
  const facts = extended['Ping'];
  const times = typeof facts === 'object' && facts !== null && 'RTTsMs' in facts ? facts.RTTsMs : undefined;
  return Array.isArray(times) ? times.filter((time) => typeof time === 'number') : [];
}

/**
 * The medians of both, measured at the same time. Other work of the machine disturbs one program and not the other,
 * so they are measured again, up to three times; an error of the probe is in each round.
 */
async function compare(address: string): Promise<{ ours: number; theirs: number }> {
  let medians = { ours: Number.NaN, theirs: Number.NaN };
  for (let round = 0; round < 3 && !(Math.abs(medians.ours - medians.theirs) < boundMs); round += 1) {
    const [ours, theirs] = await Promise.all([probeMedian(address), fpingMedian(address)]);
    medians = { ours, theirs };
  }
  return medians;
}

const missing = whyNot();
describe('PING compared with fping', () => {
  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  test.each(['127.0.0.1', '::1'])('PING and fping agree about %s within 0.05 ms at rest', async (address) => {
    const { ours, theirs } = await compare(address);
    printed.push(`PING    ${address} at rest: ${ours.toFixed(3)} ms, fping ${theirs.toFixed(3)} ms`);
    expect(Math.abs(ours - theirs)).toBeLessThan(boundMs);
  });

  test('PING and fping agree within 0.05 ms while 500 checks a second run beside them', async () => {
    await using load = await startLoad();
    const before = load.checks;
    const startMs = systemClock.monoMs();
    const { ours, theirs } = await compare('127.0.0.1');
    const rate = (load.checks - before) / ((systemClock.monoMs() - startMs) / 1000);
    printed.push(
      `PING    127.0.0.1 beside ${Math.round(rate)} checks/s: ${ours.toFixed(3)} ms, fping ${theirs.toFixed(3)} ms`,
    );
    expect(rate).toBeGreaterThan(400);
    expect(Math.abs(ours - theirs)).toBeLessThan(boundMs);
  });
});
