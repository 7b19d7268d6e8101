import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

/** Reads CSV by RFC 4180, as a spreadsheet does. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  let [cell, isQuoted] = ['', false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === ',' || (letter === '\r' && text[at + 1] === '\n')) {
      rows.at(-1)?.push(cell);
      cell = '';
      if (letter === '\r') {
        rows.push([]);
        at += 1;
      }
    } else cell += letter;
  }
  return rows.slice(0, -1);
}

test('property: each cell is read as it was, and no cell is a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ a: fc.string(), b: fc.string({ unit: 'binary' }) })), (rows) => {
      const [head, ...read] = parse(csvOf(['a', 'b'], rows));
      expect(head).toEqual(['a', 'b']);
      expect(read.map((cells) => cells.map((cell) => cell.replace(/^'/, '')))).toEqual(
        rows.map(({ a, b }) => [a.replace(/^'/, ''), b.replace(/^'/, '')]),
      );
      expect(read.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
    }),
  );
  expect(csvOf(['a', 'b'], [{ a: null, b: [{ x: 1 }] }])).toBe('a,b\r\n,"[{""x"":1}]"\r\n');
});
