import type { Problem } from './problem.ts';

/** Watches of this controller. */
interface Watched {
  readonly clocks: {
    readonly problem: string | undefined;
    readonly alarm: Pick<Problem, 'reason' | 'accountNos'> | undefined;
  };
  readonly disk: { readonly problem: string | undefined };
  readonly certificates: { readonly problem: string | undefined };
}

/** Sentences for the operator while the controller serves. */
export function warningsOf({ clocks, disk, certificates }: Watched): readonly string[] {
  const clockProblem = clocks.problem === undefined ? undefined : `a clock may be wrong: ${clocks.problem}`;
  return [clockProblem, disk.problem, certificates.problem].filter((text) => text !== undefined);
}

/** The problems of which accounts are notified. */
export function problemsOf({ clocks: { alarm }, disk }: Watched): readonly Problem[] {
  const clock: readonly Problem[] = alarm === undefined ? [] : [{ kind: 'clock.wrong', ...alarm }];
  const room: readonly Problem[] =
    disk.problem === undefined ? [] : [{ kind: 'disk.low', reason: disk.problem }];
  return [...clock, ...room];
}
