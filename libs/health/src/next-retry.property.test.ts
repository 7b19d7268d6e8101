import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from './fold.ts';
import { newState } from './fold-state.ts';
import { nextRetry, type RequestedRetry, type RetryCandidate, type RetryQuestion } from './next-retry.ts';
import { type FoldInput, toObservations } from './observation.ts';

const second = 1_000_000;
/** A longer search for rare cases, on request. */
const runs = propertyRuns(300);

/** Up to three Locations of up to three agents each; the first agent of each has the device. */
const places = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }).map((sizes) =>
  sizes.flatMap((size, i) =>
    Array.from({ length: size }, (_, j): RetryCandidate => {
      const locationNo = i + 1;
      return { agentNo: locationNo * 10 + j + 1, locationNo, isAssigned: j === 0 };
    }),
  ),
);

const game = fc.record({
  candidates: places,
  retries: fc.integer({ min: 0, max: 10 }),
  retryDelayS: fc.integer({ min: 1, max: 300 }),
  timeoutS: fc.integer({ min: 1, max: 120 }),
  /** How long each answer takes, as a share of Timeout. */
  takes: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 11, maxLength: 11 }),
});

/**
 * Plays a retry sequence of a device that is dead for everybody who answers; returns who was asked for which k, and the
 * end of it.
 */
function play({
  candidates,
  retries,
  retryDelayS,
  timeoutS,
  takes,
}: typeof game extends fc.Arbitrary<infer T> ? T : never) {
  const spans = candidates
    .filter((one) => one.isAssigned)
    .map(({ agentNo, locationNo }) => ({ agentNo, locationNo, fromUs: 0, toUs: Number.POSITIVE_INFINITY }));
  const [first] = candidates;
  const results: FoldInput[] = [];
  const requested: (RequestedRetry & {
    readonly question: RetryQuestion;
    readonly candidate: RetryCandidate;
    readonly startUs: number;
  })[] = [];
  const answer = ({ agentNo, locationNo }: RetryCandidate, startUs: number, attempt: number) => {
    const endUs = startUs + Math.round((takes[results.length % takes.length] ?? 0) * timeoutS * second);
    const rest = { arrivedUs: endUs, code: 3, retryId: null, revision: 1, text: '', isBehindAnchor: false };
    results.push({ startUs, endUs, agentNo, locationNo, attempt, ...rest });
    return fold(newState(0), toObservations(results, spans), { retries, targetRevision: 1 }).state;
  };
  if (first === undefined) throw new Error('nobody to look');
  let state = answer(first, 100 * second, 0);
  while (state.retrySequence !== null && requested.length < 100) {
    const { retrySequence } = state;
    const question = {
      retrySequence,
      retries,
      candidates,
      requested,
      nowUs: retrySequence.lastEndUs,
      retryDelayUs: retryDelayS * second,
      timeoutUs: timeoutS * second,
      graceUs: 5 * second,
      agentRetriesLocally: false,
    };
    const decision = nextRetry(question);
    if (decision.kind === 'leave') break;
    const { attempt, candidate, notBeforeUs } = decision;
    requested.push({
      attempt,
      agentNo: candidate.agentNo,
      state: 'ended',
      candidate,
      startUs: notBeforeUs,
      question: { ...question, requested: [...requested] },
    });
    state = answer(candidate, notBeforeUs, attempt);
  }
  return { state, requested, results };
}

test('each retry comes from another Location where there is one, else from a second agent of it, else from the same agent', () => {
  fc.assert(
    fc.property(game, (one) => {
      for (const { question, candidate, startUs } of play(one).requested) {
        const { retrySequence, candidates } = question;
        const elsewhere = candidates.some(({ locationNo }) => locationNo !== retrySequence.lastLocationNo);
        const beside = candidates.some(({ agentNo }) => agentNo !== retrySequence.lastAgentNo);
        if (elsewhere) {
          expect(candidate.locationNo).not.toBe(retrySequence.lastLocationNo);
          expect(candidate.isAssigned).toBe(true);
        } else if (beside) expect(candidate.agentNo).not.toBe(retrySequence.lastAgentNo);
        else expect(candidate.agentNo).toBe(retrySequence.lastAgentNo);
        expect(startUs).toBe(retrySequence.lastEndUs + question.retryDelayUs);
      }
    }),
    { numRuns: runs },
  );
});

test('a dead device is Down after exactly its retries and within their time, since its first error', () => {
  fc.assert(
    fc.property(game, (one) => {
      const { state, requested, results } = play(one);
      // Without retries another Location must agree, where there is one.
      const hasOther = one.candidates.some(({ locationNo }) => locationNo !== 1);
      const asked = Math.max(one.retries, hasOther ? 1 : 0);
      expect(requested.map(({ attempt }) => attempt)).toEqual(Array.from({ length: asked }, (_, k) => k + 1));
      expect(state).toMatchObject({ status: 'Down', retrySequence: null, sinceUs: results[0]?.endUs });
      const tookUs = (results.at(-1)?.endUs ?? 0) - (results[0]?.endUs ?? 0);
      expect(tookUs).toBeLessThanOrEqual(asked * (one.retryDelayS + one.timeoutS) * second);
    }),
    { numRuns: runs },
  );
});
