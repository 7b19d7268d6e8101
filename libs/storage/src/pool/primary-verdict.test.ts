import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decidePrimary, type PrimaryAnswer, type PrimaryState } from './primary-verdict.ts';

const answering = { isSilent: false, server: 'a' };
const silent = { isSilent: true, server: 'a' };
const [same, other, anew, otherAnew] = (
  [
    ['answered', 'a'],
    ['answered', 'b'],
    ['answered-anew', 'a'],
    ['answered-anew', 'b'],
  ] as const
).map(([kind, server]) => ({ kind, server })) as [PrimaryAnswer, PrimaryAnswer, PrimaryAnswer, PrimaryAnswer];
const busy: PrimaryAnswer = { kind: 'answered', server: undefined };
const refused: PrimaryAnswer = { kind: 'refused' };
const nothing: PrimaryAnswer = { kind: 'silent', reason: 'no answer' };
const [toA, toB] = [answering, { isSilent: false, server: 'b' }];

test.each([
  ['it answers', answering, same, toA, 'none', []],
  ['it answers with an error', answering, busy, toA, 'none', []],
  ['another server has its name', answering, other, toB, 'elsewhere', []],
  ['the open connections lead nowhere', answering, anew, toA, 'older', ['silent', 'answers']],
  ['they lead to the old server', answering, otherAnew, toB, 'older', ['silent', 'answers']],
  ['its host refuses', answering, refused, toA, 'none', []],
  ['the silence begins', answering, nothing, silent, 'older', ['silent']],
  ['the silence lasts', silent, nothing, silent, 'none', []],
  ['the host is back without a server', silent, refused, silent, 'none', []],
  ['the silence ends', silent, same, toA, 'none', ['answers']],
  ['a server that starts ends it', silent, busy, toA, 'none', ['answers']],
  ['another server ends it', silent, otherAnew, toB, 'elsewhere', ['answers']],
  ['the first answer', { isSilent: false, server: undefined }, same, toA, 'none', []],
] as const)('%s', (_, before, answer, state, cut, says) => {
  expect(decidePrimary(before, answer)).toEqual({ state, cut, says });
});

test('property: silences begin and end in turn, and each that begins cuts the connections', () => {
  const answers = fc.array(fc.constantFrom(same, other, anew, otherAnew, busy, refused, nothing), {
    size: 'max',
    maxLength: 200,
  });
  fc.assert(
    fc.property(answers, (all) => {
      let state: PrimaryState = { isSilent: false, server: undefined };
      const said: string[] = [];
      for (const answer of all) {
        const next = decidePrimary(state, answer);
        said.push(...next.says);
        if (next.says.includes('silent')) expect(next.cut).toBe('older');
        if (answer.kind === 'answered' && answer.server === state.server) expect(next.cut).toBe('none');
        state = next.state;
        expect(state.isSilent).toBe(said.at(-1) === 'silent');
      }
      for (const [at, word] of said.entries()) expect(word).toBe(at % 2 === 0 ? 'silent' : 'answers');
    }),
    { numRuns: propertyRuns(200) },
  );
});
