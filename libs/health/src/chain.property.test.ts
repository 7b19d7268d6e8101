import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Asked, nextRetry, type RetryQuestion, type Vantage } from './chain.ts';
import { fold } from './fold.ts';
import { type Result, withObservers } from './result.ts';
import { newState } from './state.ts';

const second = 1_000_000;
/** More of them on request, to look for what is rare. */
const runs = Number(process.env['PROPERTY_RUNS'] ?? 1000);

/** Up to three Locations of up to three agents each; the first agent of each has the device. */
const places = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }).map((sizes) =>
  sizes.flatMap((size, i) =>
    Array.from({ length: size }, (_, j): Vantage => {
      const locationNo = i + 1;
      return { agentNo: locationNo * 10 + j + 1, locationNo, holds: j === 0 };
    }),
  ),
);

const game = fc.record({
  vantages: places,
  retries: fc.integer({ min: 2, max: 10 }),
  retryDelayS: fc.integer({ min: 1, max: 300 }),
  timeoutS: fc.integer({ min: 1, max: 120 }),
  /** How long each answer takes, as a share of Timeout. */
  takes: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 11, maxLength: 11 }),
});

/** Plays a chain of a device that is dead for everybody who answers; returns who was asked for which k, and the end of it. */
function play({
  vantages,
  retries,
  retryDelayS,
  timeoutS,
  takes,
}: typeof game extends fc.Arbitrary<infer T> ? T : never) {
  const spans = vantages
    .filter((one) => one.holds)
    .map(({ agentNo, locationNo }) => ({ agentNo, locationNo, fromUs: 0, toUs: Number.POSITIVE_INFINITY }));
  const [first] = vantages;
  const results: Result[] = [];
  const asked: (Asked & {
    readonly question: RetryQuestion;
    readonly vantage: Vantage;
    readonly startUs: number;
  })[] = [];
  const answer = ({ agentNo, locationNo }: Vantage, startUs: number, attempt: number) => {
    const endUs = startUs + Math.round((takes[results.length % takes.length] ?? 0) * timeoutS * second);
    const told = { arrivedUs: endUs, code: 3, chainId: null, revision: 1, text: '' };
    results.push({ startUs, endUs, agentNo, locationNo, attempt, ...told });
    return fold(newState(0), withObservers(results, spans), { retries, targetRevision: 1 }).state;
  };
  if (first === undefined) throw new Error('nobody to look');
  let state = answer(first, 100 * second, 0);
  while (state.chain !== null && asked.length < 100) {
    const { chain } = state;
    const question = {
      ...{ chain, retries, vantages, asked, nowUs: chain.lastEndUs },
      retryDelayUs: retryDelayS * second,
      timeoutUs: timeoutS * second,
      graceUs: 5 * second,
      agentGoesOn: false,
    };
    const decision = nextRetry(question);
    if (decision.kind === 'leave') break;
    const { attempt, vantage, notBeforeUs } = decision;
    asked.push({
      ...{ attempt, agentNo: vantage.agentNo, state: 'ended', vantage, startUs: notBeforeUs },
      question: { ...question, asked: [...asked] },
    });
    state = answer(vantage, notBeforeUs, attempt);
  }
  return { state, asked, results };
}

test('each retry comes from another Location where there is one, else from a second agent of it, else from the same agent', () => {
  fc.assert(
    fc.property(game, (one) => {
      for (const { question, vantage, startUs } of play(one).asked) {
        const { chain, vantages } = question;
        const elsewhere = vantages.some(({ locationNo }) => locationNo !== chain.lastLocationNo);
        const beside = vantages.some(({ agentNo }) => agentNo !== chain.lastAgentNo);
        if (elsewhere) {
          expect(vantage.locationNo).not.toBe(chain.lastLocationNo);
          expect(vantage.holds).toBe(true);
        } else if (beside) expect(vantage.agentNo).not.toBe(chain.lastAgentNo);
        else expect(vantage.agentNo).toBe(chain.lastAgentNo);
        expect(startUs).toBe(chain.lastEndUs + question.retryDelayUs);
      }
    }),
    { numRuns: runs },
  );
});

test('a dead device is Down after exactly its retries and within their time, since its first error', () => {
  fc.assert(
    fc.property(game, (one) => {
      const { state, asked, results } = play(one);
      expect(asked.map(({ attempt }) => attempt)).toEqual(
        Array.from({ length: one.retries }, (_, k) => k + 1),
      );
      expect(state).toMatchObject({ status: 'Down', chain: null, sinceUs: results[0]?.endUs });
      const tookUs = (results.at(-1)?.endUs ?? 0) - (results[0]?.endUs ?? 0);
      expect(tookUs).toBeLessThanOrEqual(one.retries * (one.retryDelayS + one.timeoutS) * second);
    }),
    { numRuns: runs },
  );
});
