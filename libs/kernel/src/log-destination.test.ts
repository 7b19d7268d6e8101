import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogDestination } from './log-destination.ts';

/** A descriptor: each write takes so many bytes, or throws the code. */
type WriteAnswer = number | 'ENOSPC' | 'EIO' | 'EAGAIN';

function scene(answers: readonly WriteAnswer[]) {
  let at = 0;
  let text = '';
  let waitedMs = 0;
  const destination = createLogDestination({
    put(bytes) {
      const answer = answers[at] ?? bytes.length;
      at += 1;
      if (typeof answer !== 'number') throw Object.assign(new Error(answer), { code: answer });
      const taken = Math.min(answer, bytes.length);
      text += Buffer.from(bytes.subarray(0, taken)).toString('latin1');
      return taken;
    },
    wait(ms) {
      waitedMs += ms;
    },
    onLost: (lost, reason) => destination.write(`lost ${lost} ${reason}\n`),
  });
  return { destination, text: () => text, waitedMs: () => waitedMs };
}

test('lines that the disk refuses are counted, and told before the next one', () => {
  const { destination, text } = scene(['ENOSPC', 'ENOSPC', 'EIO']);
  for (const line of ['a\n', 'b\n', 'c\n', 'd\n']) destination.write(line);
  // a is refused; before b the note is refused, and b; before c the note is written
  expect(text()).toBe('lost 2 EIO\nc\nd\n');
});

test('a line that the disk cut does not run into the next one, and slow output is waited for', () => {
  const { destination, text } = scene([2, 'ENOSPC', 'EAGAIN']);
  destination.write('first\n');
  destination.write('second\n');
  expect(text()).toBe('fi\nlost 1 ENOSPC\nsecond\n');
});

test('a reader that stopped is waited for half a second in all; its lines are counted, and told when it goes on', () => {
  const { destination, text, waitedMs } = scene([3, ...Array.from({ length: 35 }, () => 'EAGAIN' as const)]);
  for (const line of ['first\n', 'second\n', 'third\n', 'fourth\n']) destination.write(line);
  expect(waitedMs()).toBe(500);
  expect(text()).toBe('fir');
  for (let n = 0; n < 10; n += 1) destination.write(`line-${n}\n`);
  expect(waitedMs()).toBe(500);
  // Line 1 is the first that the reader takes; the next one tells what was lost.
  const after = Array.from({ length: 8 }, (_, n) => `line-${n + 2}\n`).join('');
  expect(text()).toBe(`fir\nline-1\nlost 5 EAGAIN\n${after}`);
});

test('whatever a disk takes, each line is out whole or counted as lost', () => {
  const answer = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom<WriteAnswer>('ENOSPC', 'EIO'));
  fc.assert(
    fc.property(
      fc.array(answer, { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 12 }),
      (answers, count) => {
        const { destination, text } = scene(answers);
        for (let n = 0; n < count; n += 1) destination.write(`line-${n}\n`);
        // The disk works again for a line of its own, so that all that was lost is told.
        for (let n = 0; n <= answers.length; n += 1) destination.write(`end-${n}\n`);
        const lines = text().split('\n');
        const whole = new Set(lines.filter((line) => /^(line|end)-\d+$/.test(line)));
        const lost = lines.flatMap((line) => /^lost (\d+) (ENOSPC|EIO)$/.exec(line)?.[1] ?? []).map(Number);
        const sum = lost.reduce((all, n) => all + n, 0);
        expect(sum + whole.size).toBeGreaterThanOrEqual(count + answers.length + 1);
      },
    ),
  );
});
