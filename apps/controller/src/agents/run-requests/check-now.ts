import { type Clock, newId } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import {
  agentsWithoutTraces,
  answerOf,
  awaitsAssignment,
  createCheckNowRequest,
  expireRunRequest,
  isReceivedDevice,
} from './run-request-store.ts';

/** The outcome of a requested check. `noAgent` has a sentence for the caller of the REST API. */
type CheckNowAnswer =
  | { readonly kind: 'done'; readonly checkId: string }
  | { readonly kind: 'noAgent'; readonly message: string };

/**
 * Requests a check from an agent that can run it and waits for its result. `traceroute`: the agent traces the path to
 * the device after it. Rejects with the signal's reason.
 */
export type CheckNow = (
  deviceNo: number,
  signal: AbortSignal,
  traceroute?: boolean,
) => Promise<CheckNowAnswer>;

const pollMs = 500;
/** A device that was just created is assigned within this time. */
const assignmentMs = 2_000;
const assignmentPollMs = 50;
/** The time for request, result and commit, in addition to the checks that the answer waits for. */
const marginUs = 10_000_000;

/** Creates the function. It also polls, so it works while notifications are missing. */
export function createCheckNow({ db, clock }: { readonly db: Database; readonly clock: Clock }): CheckNow {
  return async (deviceNo, signal, traceroute = false) => {
    const runRequestId = newId();
    const answered = new AbortController();
    await using _listening = await db.subscribe('answer', (notice) => {
      if (notice === undefined || notice.run_request_id === runRequestId) answered.abort();
    });
    const create = () => {
      const request = { runRequestId, deviceNo, nowUs: clock.nowUs(), marginUs, traceroute };
      return db.kysely.transaction().execute((trx) => createCheckNowRequest(trx, request));
    };
    const untilMs = clock.monoMs() + assignmentMs;
    let created = await create();
    while (created === undefined && clock.monoMs() < untilMs) {
      const awaits = await awaitsAssignment(db.kysely, deviceNo);
      if (awaits) await clock.sleep(assignmentPollMs, signal);
      // Also without a wait: the device may have been assigned since the last attempt.
      created = await create();
      if (!awaits) break;
    }
    if (created === undefined) {
      if (await isReceivedDevice(db.kysely, deviceNo)) return { kind: 'noAgent', message: receivedText };
      const old = traceroute ? await agentsWithoutTraces(db.kysely, deviceNo) : [];
      return { kind: 'noAgent', message: nobodyText(old) };
    }
    while (true) {
      signal.throwIfAborted();
      const checkId = await answerOf(db.kysely, runRequestId);
      if (checkId !== undefined) return { kind: 'done', checkId };
      if (clock.nowUs() > created.deadlineUs) {
        await expireRunRequest(db.kysely, runRequestId);
        return { kind: 'noAgent', message: 'the agent did not answer in time' };
      }
      await clock
        .sleep(pollMs, AbortSignal.any(answered.signal.aborted ? [signal] : [signal, answered.signal]))
        .catch(() => {});
    }
  };
}

const receivedText = 'no agent checks a device of the Method Push: its job calls the controller';

/** Why no agent runs the check. `old`: those that could but for their version. */
function nobodyText(old: readonly string[]): string {
  return old.length === 0
    ? 'no agent that can check this device is connected now: see its Locations and their agents'
    : `no agent that is connected for this device traces on request. Upgrade one of: ${old.join(', ')}`;
}
