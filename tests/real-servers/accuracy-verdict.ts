import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/**
 * The number of checks whose median counts, the fewest checks beside bare sockets from which they are chosen, and the
 * most checks.
 */
const counted = 5;
const minControlled = 10;
const maxChecks = 30;

/** The errors of one check by phase, milliseconds. */
export type Errors = Readonly<Record<string, number>>;

/**
 * One check: its errors, those of a bare socket just before it, and how long the kernel kept this process waiting
 * meanwhile.
 */
interface Sample {
  readonly errors: Errors;
  /** Absent when no bare socket was tried. */
  readonly control?: Errors | undefined;
  readonly waitedMs: number;
}

/** The largest errors, milliseconds. */
export interface Limits {
  readonly ms: number;
  /**
   * Kinds that the kernel measures, with limits of their own. No other work disturbs them, so nothing is subtracted.
   */
  readonly kernel?: Errors;
}

/** The errors of some checks, with and without the machine's own part. */
interface Judgement {
  /** The median of each kind's errors, milliseconds. */
  readonly medians: Errors;
  /** The median of the bare sockets' errors by their amount, milliseconds; empty without them. */
  readonly controls: Errors;
  /** The kinds whose error is outside the limit, also when the error of the bare sockets is subtracted. */
  readonly outside: readonly string[];
}

/** The median of some numbers. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How much the machine disturbed this moment, milliseconds. */
function noiseOf({ control = {}, waitedMs }: Sample): number {
  return waitedMs + Math.max(0, ...Object.values(control).map(Math.abs));
}

/**
 * Compares the median of each kind's errors (by their amount) with a limit. Only the five checks count whose moments
 * were calmest: the process waited least and the bare socket was most exact. The errors of the checks themselves choose
 * nothing, so an error of the product stays in every check that counts. The bare socket's error of the same kind is
 * subtracted; where it has no such kind, its smallest.
 */
function judge(samples: readonly Sample[], limits: Limits): Judgement {
  const calmest = samples.toSorted((a, b) => noiseOf(a) - noiseOf(b)).slice(0, counted);
  const medians = (of: (sample: Sample) => Errors, amount: (ms: number) => number): Errors => {
    const kinds = Object.keys(calmest[0] ? of(calmest[0]) : {});
    const values = (kind: string) => calmest.map((each) => amount(of(each)[kind] ?? Number.NaN));
    return Object.fromEntries(kinds.map((kind) => [kind, median(values(kind))]));
  };
  const controls = medians(({ control = {} }) => control, Math.abs);
  const least = Object.keys(controls).length > 0 ? Math.min(...Object.values(controls)) : 0;
  const isWithin = (kind: string, ms: number) => {
    const own = limits.kernel?.[kind];
    if (own !== undefined) return ms < own;
    return ms - (controls[kind] ?? least) < limits.ms;
  };
  const amounts = Object.entries(medians(({ errors }) => errors, Math.abs));
  return {
    medians: medians(
      ({ errors }) => errors,
      (ms) => ms,
    ),
    controls,
    outside: amounts.filter(([kind, ms]) => !isWithin(kind, ms)).map(([kind]) => kind),
  };
}

/**
 * The milliseconds that this process's main thread has waited for a processor although it had work, as the kernel
 * counts them. Always 0 where the kernel does not count them.
 */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The measurement of `expectWithin` and the place where it prints. */
interface Measured {
  readonly label: string;
  readonly printed: string[];
  /** Runs one check. */
  readonly check: () => Promise<Errors>;
  /** Does with bare sockets of Node, on the same way in this process, what a check does. */
  readonly control: () => Promise<Errors>;
}

/**
 * Runs checks and fails when the median of a kind's errors is outside the limit. Other programs use the processors of
 * this machine too, a hypervisor takes them away, and no process can stamp an event while it waits for a processor. So
 * when the first five checks are outside the limit, this function runs more, at most 30 in all, each after the control,
 * and judges at least ten of these.
 */
export async function expectWithin(limits: Limits, { label, printed, ...run }: Measured): Promise<void> {
  const made: Sample[] = [];
  let judgement: Judgement | undefined;
  const sample = async (control?: Errors) => {
    const before = waitedMs();
    const errors = await run.check();
    made.push({ errors, control, waitedMs: waitedMs() - before });
  };
  while (made.length < counted) await sample();
  judgement = judge(made, limits);
  if (judgement.outside.length > 0) made.length = 0;
  while (judgement.outside.length > 0 && made.length < maxChecks - counted) {
    await sample(await run.control());
    if (made.length >= minControlled) judgement = judge(made, limits);
  }
  const { medians, controls, outside } = judgement;
  const beside =
    Object.keys(controls).length > 0 ? ` (bare sockets: ${shown(controls)} ms; ${made.length} checks)` : '';
  printed.push(`${label}: ${shown(medians)} ms${beside}`);
  expect(outside, printed.at(-1)).toEqual([]);
  expect(Object.keys(medians)).not.toHaveLength(0);
}

function shown(errors: Errors): string {
  const each = Object.entries(errors).map(([kind, ms]) => `${kind} ${ms < 0 ? '' : '+'}${ms.toFixed(2)}`);
  return each.join(', ');
}
