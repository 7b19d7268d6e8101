import type { Span } from '@vantage/domain';
import fc from 'fast-check';
import type { FoldInput, OnlineSpan } from '../observation.ts';
import type { ResultHistory } from './oracle.ts';

const second = 1_000_000;
const length = 400;

const instant = fc.integer({ min: 0, max: length });

const span: fc.Arbitrary<Span> = fc
  .tuple(instant, instant)
  .map(([a, b]) => ({ fromUs: Math.min(a, b) * second, toUs: Math.max(a, b) * second }));

/** Agents 11 and 12 are at Location 1, 21 at 2, 31 at 3. */
const agent = fc.constantFrom(11, 12, 21, 31);

/** Codes with few and with many errors; with many, retry sequences get complete. */
const calm = fc.constantFrom(1, 1, 2, 3, 3, 5, 9, 10);
const stormy = fc.constantFrom(2, 3, 3, 3, 3, 4, 5, 5, 6, 7, 1, 10);

const result = (code: fc.Arbitrary<number>): fc.Arbitrary<FoldInput> =>
  fc
    .record({
      start: fc.integer({ min: 0, max: length - 40 }),
      lasts: fc.integer({ min: 0, max: 30 }),
      agentNo: agent,
      code,
      attempt: fc.constantFrom(0, 0, 1, 2, 3),
      delay: fc.constantFrom(0, 0, 0, 60, 61, 300),
      revision: fc.constantFrom(1, 2, 2, 2),
    })
    .map(({ start, lasts, agentNo, code, attempt, delay, revision }) => ({
      startUs: start * second,
      endUs: (start + lasts) * second,
      arrivedUs: (start + lasts + delay) * second,
      agentNo,
      locationNo: Math.floor(agentNo / 10),
      code,
      attempt,
      retryId: null,
      revision,
      text: `code ${code}`,
      isBehindAnchor: false,
    }));

const watch: fc.Arbitrary<OnlineSpan> = fc
  .tuple(agent, fc.oneof(span, fc.constant({ fromUs: 0, toUs: length * second })))
  .map(([agentNo, s]) => ({ agentNo, locationNo: Math.floor(agentNo / 10), ...s }));

/** Short histories of one device: up to 40 results of four agents, connections, coverage and maintenance windows. */
export const histories: fc.Arbitrary<ResultHistory> = fc.record({
  seconds: fc.constant(length),
  created: fc.integer({ min: 0, max: 20 }),
  results: fc
    .oneof(
      fc.array(result(calm), { maxLength: 40 }),
      fc.array(result(stormy), { minLength: 10, maxLength: 40 }),
    )
    .map((all) => [...new Map(all.map((r) => [`${r.startUs}/${r.agentNo}`, r])).values()]),
  spans: fc.array(watch, { maxLength: 5 }),
  settings: fc.record({
    retries: fc.integer({ min: 0, max: 3 }),
    targetRevision: fc.constantFrom(1, 1, 1, 2),
  }),
  coverage: fc.array(span, { maxLength: 4 }),
  maintenance: fc.array(span, { maxLength: 3 }),
});
