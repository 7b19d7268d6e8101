import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnchorAnswer, afterRound, newAnchorState } from './anchor-state.ts';

const answers = { a: 'answered', s: 'silent', u: 'unchecked' } as const;
type AnswerLetter = keyof typeof answers;
const isLetter = (text: string): text is AnswerLetter => Object.hasOwn(answers, text);

/** Plays rounds, one letter each, for each anchor; round n begins at n × 1000. Returns the states after each round. */
function play(...sequences: readonly string[]) {
  const length = Math.max(...sequences.map((one) => one.length));
  let states: readonly ReturnType<typeof newAnchorState>[] = sequences.map(() => newAnchorState(0));
  return Array.from({ length }, (_, i) => {
    const checks = sequences.map((letters) => {
      const letter = letters[i] ?? '';
      const answer: AnchorAnswer = isLetter(letter) ? answers[letter] : 'unchecked';
      return { answer, startMs: (i + 1) * 1000, text: letter };
    });
    states = afterRound(states, checks);
    return states;
  });
}

test.each([
  // rounds of one anchor, its state after each, since when the last one lasts
  ['a', ['answers'], 1000],
  ['s', ['new'], 0],
  ['ss', ['new', 'silent'], 1000],
  ['u', ['unchecked'], 1000],
  ['asa', ['answers', 'answers', 'answers'], 1000],
  ['asass', ['answers', 'answers', 'answers', 'answers', 'silent'], 4000],
  ['assa', ['answers', 'answers', 'silent', 'silent'], 2000],
  ['assaa', ['answers', 'answers', 'silent', 'silent', 'answers'], 4000],
  ['assasa', ['answers', 'answers', 'silent', 'silent', 'silent', 'silent'], 2000],
  ['assu', ['answers', 'answers', 'silent', 'silent'], 2000],
  ['assuu', ['answers', 'answers', 'silent', 'silent', 'unchecked'], 4000],
  ['au', ['answers', 'unchecked'], 2000],
  ['uss', ['unchecked', 'unchecked', 'silent'], 2000],
] as const)('rounds %s: %j', (letters, kinds, sinceMs) => {
  const states = play(letters).flat();
  expect(states.map(({ kind }) => kind)).toEqual(kinds);
  expect(states.at(-1)).toMatchObject({ sinceMs, text: letters.at(-1) });
});

test('a far anchor is not silent before the nearer one that fails with it', () => {
  const kinds = play('aass', 'asss').map((states) => states.map(({ kind }) => kind));
  expect(kinds).toEqual([
    ['answers', 'answers'],
    ['answers', 'answers'],
    ['answers', 'answers'],
    ['silent', 'silent'],
  ]);
});

/** The simplest reading of the table: looks back over all rounds. */
function oracle(letters: readonly AnswerLetter[]): string {
  let kind = 'new';
  let from = 0;
  for (let i = 0; i < letters.length; i += 1) {
    const [now, before] = [letters[i], i > from ? letters[i - 1] : undefined];
    const isNow = (letter: AnswerLetter | undefined) =>
      ({ new: '', answers: 'a', silent: 's', unchecked: 'u' })[kind] === letter;
    if (isNow(now)) continue;
    const twice = before !== undefined && !isNow(before);
    if ((now === 's' || kind === 'silent') && !twice) continue;
    kind = now === undefined ? kind : { a: 'answers', s: 'silent', u: 'unchecked' }[now];
    from = i + 1;
  }
  return kind;
}

test('after any rounds one anchor is as the table says, and of several silent ones the nearest was silent first', () => {
  const letter = fc.constantFrom<AnswerLetter>('a', 's', 'u');
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 15 }), (letters) => {
      const last = play(letters.join('')).at(-1)?.[0]?.kind ?? 'new';
      expect(last).toBe(oracle(letters));
    }),
  );
  // A line that breaks behind anchor k - 1 in some round and stays broken: packets of farther anchors may be lost a
  // round earlier.
  const cut = fc.record({
    anchors: fc.integer({ min: 1, max: 8 }),
    round: fc.integer({ min: 0, max: 5 }),
    early: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  });
  fc.assert(
    fc.property(cut, fc.integer({ min: 0, max: 7 }), ({ anchors, round, early }, place) => {
      const first = Math.min(place, anchors - 1);
      const sequences = Array.from({ length: anchors }, (_, i) => {
        const from = round + (i > first && early[i] ? 0 : 1);
        return Array.from({ length: 12 }, (_, n) => (i >= first && n >= from ? 's' : 'a')).join('');
      });
      for (const states of play(...sequences)) {
        const nearest = states.findIndex(({ kind }) => kind === 'silent');
        expect([-1, first]).toContain(nearest);
      }
      const end = play(...sequences)
        .at(-1)
        ?.map(({ kind }) => kind === 'silent');
      expect(end).toEqual(Array.from({ length: anchors }, (_, i) => i >= first));
    }),
  );
});
