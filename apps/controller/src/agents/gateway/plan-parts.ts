import type { Clock } from '@vantage/kernel';
import type { Assignments } from '@vantage/proto';
import type { PlanFeed } from './plan-feed.ts';
import type { SessionDriver } from './session-state.ts';

/** The plan as a session sends it. */
export type SentPlan = Pick<PlanFeed, 'next' | 'changesAtUs'>;

/** Reads the plan part by part; other messages may go between two parts. */
export function createPlanParts({
  clock,
  driver,
  plan,
}: {
  readonly clock: Clock;
  readonly driver: SessionDriver;
  readonly plan: SentPlan;
}) {
  let parts: AsyncGenerator<Assignments> | undefined;
  let again: Disposable | undefined;
  const readAgainAt = (atUs: number | undefined) => {
    again?.[Symbol.dispose]();
    again = undefined;
    if (atUs === undefined || driver.ended.aborted) return;
    const inMs = Math.max(0, (atUs - clock.nowUs()) / 1000) + 1;
    again = clock.timer(inMs, () => driver.apply({ kind: 'changed', list: 'plan' }));
  };
  driver.ended.addEventListener('abort', () => again?.[Symbol.dispose](), { once: true });
  return {
    /** The next part; undefined when there are no more. */
    async next(): Promise<Assignments | undefined> {
      if (!parts) {
        driver.apply({ kind: 'planBegan', nowMs: clock.monoMs() });
        parts = plan.next();
      }
      const part = await parts.next();
      if (!part.done) return part.value;
      parts = undefined;
      driver.apply({ kind: 'planSent', nowMs: clock.monoMs() });
      readAgainAt(plan.changesAtUs);
      return undefined;
    },
    drop() {
      parts = undefined;
    },
  };
}
