import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowsDigest } from './rows-digest.ts';

/** Lines of PostgreSQL's text format: a line break within a value is written as two characters. */
const rowsOf = fc.array(
  fc.string().map((text) => text.replaceAll('\n', '\\n')),
  { minLength: 1, maxLength: 40 },
);

/** The digest of rows that come in pieces of `size`. */
function digestOf(rows: readonly string[], size = rows.length): string {
  const digest = createRowsDigest();
  for (let from = 0; from < rows.length; from += size)
    digest.add(
      Buffer.from(
        rows
          .slice(from, from + size)
          .map((row) => `${row}\n`)
          .join(''),
      ),
    );
  return digest.read();
}

test('neither the order of rows nor their pieces change the digest', () => {
  fc.assert(
    fc.property(
      rowsOf.chain((rows) =>
        fc.record({
          rows: fc.constant(rows),
          mixed: fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
          size: fc.integer({ min: 1, max: rows.length }),
        }),
      ),
      ({ rows, mixed, size }) => {
        expect(digestOf(mixed, size)).toBe(digestOf(rows));
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

test('one row that changed, is missing, came in addition or stands for another one changes the digest', () => {
  fc.assert(
    fc.property(rowsOf, fc.nat(), fc.nat(), fc.string({ minLength: 1 }), (rows, a, b, more) => {
      const [at, other] = [a % rows.length, b % rows.length];
      const same = digestOf(rows);
      const row = rows[at] ?? '';
      expect(digestOf(rows.with(at, row + more.replaceAll('\n', ' ')))).not.toBe(same);
      expect(digestOf(rows.toSpliced(at, 1))).not.toBe(same);
      expect(digestOf([...rows, row])).not.toBe(same);
      expect(digestOf([...rows, row, row])).not.toBe(same);
      if (rows[other] !== row) expect(digestOf(rows.with(other, row))).not.toBe(same);
    }),
    { numRuns: propertyRuns(200) },
  );
});
