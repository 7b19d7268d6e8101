import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Checks whose median counts, and the most that are made for them. */
const counted = 5;
const maxChecks = 30;

/** The errors of one check by what was measured, milliseconds. */
export type Errors = Readonly<Record<string, number>>;

/** The middle of some numbers. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Runs this process's main thread before everybody else's until disposed, where root and `chrt` are there: on a shared
 * machine this is the rest (or the load of nobody but the agent) that the accuracy is promised for. What it starts
 * meanwhile runs as usual.
 */
export function runFirst(): Disposable {
  const set = (...policy: string[]) =>
    void spawnSync('chrt', [...policy, '-p', policy.includes('-o') ? '0' : '1', `${process.pid}`]);
  set('-R', '-r');
  return { [Symbol.dispose]: () => set('-o') };
}

/**
 * How long this process's main thread has waited for a processor although it had work, milliseconds, as the kernel
 * counts it; always 0 where it does not tell.
 */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Makes checks, and holds the median of each kind's errors (by their amount) against a limit. What else runs on this
 * machine takes its processors too, and no process can stamp what happens while it waits for one: while the median is
 * outside the limit more checks are made, 30 at most, of which those five count that waited least, by the kernel's
 * word. An error of ours stays, however many there are. Prints how many it took.
 */
export async function holdWithin(
  limitMs: number,
  printed: string[],
  label: string,
  check: () => Promise<Errors>,
): Promise<void> {
  const made: { readonly errors: Errors; readonly waited: number }[] = [];
  while (true) {
    const before = waitedMs();
    const errors = await check();
    made.push({ errors, waited: waitedMs() - before });
    if (made.length < counted) continue;
    const calmest = made.toSorted((a, b) => a.waited - b.waited).slice(0, counted);
    const medians = Object.keys(errors).map((kind) => {
      const all = calmest.map((each) => each.errors[kind] ?? Number.NaN);
      return { kind, amount: median(all.map(Math.abs)), signed: median(all) };
    });
    const outside = medians.filter(({ amount }) => !(amount < limitMs));
    if (outside.length > 0 && made.length < maxChecks) continue;
    const shown = medians.map(({ kind, signed }) => `${kind} ${signed < 0 ? '' : '+'}${signed.toFixed(2)}`);
    printed.push(`${label}: ${shown.join(', ')} ms (${made.length} checks)`);
    expect(outside, label).toEqual([]);
    expect(medians).not.toHaveLength(0);
    return;
  }
}
