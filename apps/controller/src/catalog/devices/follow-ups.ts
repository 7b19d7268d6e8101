import type { DeviceChangedCause } from '@vantage/health';
import type { Kysely } from 'kysely';
import { createWaitingWrites, type Tables } from '../../platform/db/index.ts';
import type { ChangeTransaction } from '../change.ts';

/** The parts that follow-ups need. */
interface FollowUpDeps {
  readonly recordEvents: (
    trx: Kysely<Tables>,
    causes: readonly DeviceChangedCause[],
    nowUs: number,
  ) => Promise<void>;
  readonly notifyPlanner: (trx: Kysely<Tables>, locationNos: readonly number[]) => Promise<void>;
}

/** Writes the event and the notice of a changed device. */
interface FollowUps {
  recordEvent(transaction: ChangeTransaction, cause: DeviceChangedCause, nowUs: number): Promise<void>;
  notifyPlanner(transaction: ChangeTransaction, locationNos: readonly number[]): Promise<void>;
}

/**
 * Creates the writer of both: at once, or, in a transaction that commits as a whole, once for all devices. The event of
 * a device that is deleted later in the transaction comes before that.
 */
export function createFollowUps({ recordEvents, notifyPlanner }: FollowUpDeps): FollowUps {
  const events = createWaitingWrites<{ readonly causes: DeviceChangedCause[]; nowUs: number }>({
    begin: () => ({ causes: [], nowUs: 0 }),
    isSeenBy: (statement) => /\b(events|alerts|notifications)\b|\bdelete from "?devices\b/.test(statement),
    write: (trx, { causes, nowUs }) => recordEvents(trx, causes, nowUs),
  });
  // Nobody hears of it before the commit.
  const places = createWaitingWrites<Set<number>>({
    begin: () => new Set(),
    isSeenBy: () => false,
    write: (trx, locationNos) => notifyPlanner(trx, [...locationNos]),
  });
  return {
    async recordEvent({ trx, whole }, cause, nowUs) {
      if (whole === undefined) return recordEvents(trx, [cause], nowUs);
      const waiting = events.of(whole);
      waiting.causes.push(cause);
      waiting.nowUs = nowUs;
    },
    async notifyPlanner({ trx, whole }, locationNos) {
      if (whole === undefined) return notifyPlanner(trx, locationNos);
      const waiting = places.of(whole);
      for (const locationNo of locationNos) waiting.add(locationNo);
    },
  };
}
