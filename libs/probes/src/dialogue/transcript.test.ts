import { expect, test } from 'vitest';
import { createTranscript } from './transcript.ts';

test('a transcript is bounded and printable', () => {
  const transcript = createTranscript();
  for (let i = 0; i < 1000; i += 1) transcript.add('<', `line ${i}\u001b[2J${'x'.repeat(1000)}`);
  const lines = transcript.lines();
  expect(lines).toHaveLength(201);
  expect(lines[100]).toBe('… 800 lines left out …');
  expect(lines[0]).toMatch(/^< line 0\\x1b\[2Jx+…$/);
  expect(lines.join('').length).toBeLessThan(201 * 530);
});
