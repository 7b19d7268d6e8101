import { secondUs } from '@vantage/domain';
import { type Clock, newId } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import {
  createTrial,
  deleteTrial,
  maxTrials,
  type NewTrial,
  type TrialResult,
  trialAnswer,
} from './trial-store.ts';

/** The outcome of a trial. `noAgent` has a sentence for the caller of the REST API. */
type TrialOutcome =
  | { readonly kind: 'done'; readonly result: TrialResult }
  | { readonly kind: 'noAgent'; readonly message: string };

/**
 * Has an agent of the Location check settings that are not stored, and waits for its result. Rejects with the signal's
 * reason.
 */
export type RunTrial = (
  trial: Omit<NewTrial, 'runRequestId' | 'nowUs' | 'deadlineUs'>,
  signal: AbortSignal,
) => Promise<TrialOutcome>;

const pollMs = 500;
/** The time for request and result, in addition to the Timeout. */
const marginUs = 10_000_000;

const refusals = {
  nobody: 'no agent of this Location is connected now',
  'too many': `${maxTrials} trials of this account run now; try again when one of them has ended`,
} as const;

/** Creates the function. It also polls, so it works while notifications are missing. */
export function createRunTrial({ db, clock }: { readonly db: Database; readonly clock: Clock }): RunTrial {
  return async (trial, signal) => {
    const runRequestId = newId();
    const nowUs = clock.nowUs();
    const deadlineUs = nowUs + trial.timeoutS * secondUs + marginUs;
    const answered = new AbortController();
    await using _listening = await db.subscribe('answer', (notice) => {
      if (notice === undefined || notice.run_request_id === runRequestId) answered.abort();
    });
    const created = await db.kysely
      .transaction()
      .execute((trx) => createTrial(trx, { ...trial, runRequestId, nowUs, deadlineUs }));
    if (created !== 'created') return { kind: 'noAgent', message: refusals[created] };
    try {
      while (true) {
        signal.throwIfAborted();
        const result = await trialAnswer(db.kysely, runRequestId);
        if (result !== undefined) return { kind: 'done', result };
        if (clock.nowUs() > deadlineUs)
          return { kind: 'noAgent', message: 'the agent did not answer in time' };
        await clock
          .sleep(pollMs, answered.signal.aborted ? signal : AbortSignal.any([signal, answered.signal]))
          .catch(() => {});
      }
    } finally {
      await deleteTrial(db.kysely, runRequestId);
    }
  };
}
