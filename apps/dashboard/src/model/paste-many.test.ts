import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mostLines, parsePasted } from './paste-many.ts';

test('each line is an address, with a name and tags where it has them', () => {
  const text =
    '# routers\n192.0.2.1\n\nhttps://www.example.org/health; Shop ;web, berlin/rack-3,web\n192.0.2.1\n';
  const { lines, repeated } = parsePasted(text);
  expect(lines.map(({ guess, name, tags }) => [guess.method, guess.url, name, tags])).toEqual([
    ['PING', '192.0.2.1', '192.0.2.1', []],
    ['HTTP', 'https://www.example.org/health', 'Shop', ['web', 'berlin/rack-3']],
  ]);
  expect(repeated).toBe(1);
});

test('whatever is pasted, no device comes twice, and never more than the bound', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (lines) => {
      const found = parsePasted(lines.join('\n')).lines.map(({ guess }) => `${guess.method} ${guess.url}`);
      expect(new Set(found).size).toBe(found.length);
    }),
  );
  const many = Array.from({ length: mostLines + 5 }, (_, at) => `host-${at}.example`).join('\n');
  expect(parsePasted(many).lines.length).toBe(mostLines);
});
