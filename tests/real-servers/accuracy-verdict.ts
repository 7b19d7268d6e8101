import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** The number of checks whose median counts, and the most checks that the test runs. */
const counted = 5;
const maxChecks = 30;

/** The errors of one check by phase, milliseconds. */
export type Errors = Readonly<Record<string, number>>;

/** The median of some numbers. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * Gives this process's main thread the highest priority until disposed, where root and `chrt` are available. The accuracy holds at rest or
 * under the load of the agent alone, and other work of a shared machine is neither. Processes that it starts meanwhile have the usual priority.
 */
export function runFirst(): Disposable {
  const set = (...policy: string[]) =>
    void spawnSync('chrt', [...policy, '-p', policy.includes('-o') ? '0' : '1', `${process.pid}`]);
  set('-R', '-r');
  return { [Symbol.dispose]: () => set('-o') };
}

/**
 * The milliseconds that this process's main thread has waited for a processor although it had work, as the kernel counts them. Always 0
 * where the kernel does not count them.
 */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Runs checks and compares the median of each kind's errors (by their amount) with a limit. Other programs use the processors of this
 * machine too, and no process can stamp an event while it waits for a processor. So while a median is outside the limit, this function runs
 * more checks, at most 30, and counts the five that waited least according to the kernel. An error of the product stays in every check.
 * Prints the number of checks.
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
