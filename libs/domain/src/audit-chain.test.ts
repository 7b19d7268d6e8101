import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditEntry, chainLine, emptyChain, followChain, settledEntries } from './audit-chain.ts';

const entries = fc.array(
  fc.record({
    audit_id: fc.string({ minLength: 1 }),
    Actor: fc.string({ unit: anyCharacter }),
    Changes: fc.array(fc.record({ Field: fc.string(), New: fc.jsonValue() })),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The lines of the entries, as an export writes them: the entries come from JSON. */
function linesOf(given: readonly unknown[]): string[] {
  let end = emptyChain;
  return given.map((each) => {
    const entry: AuditEntry = JSON.parse(JSON.stringify(each));
    const made = chainLine(end, entry);
    end = made.end;
    return made.line;
  });
}

test('what was written is followed to its end, in one piece or in several', () => {
  fc.assert(
    fc.property(entries, (given) => {
      const lines = linesOf(given);
      const found = followChain(lines.join(''));
      expect(found).toMatchObject({
        ok: true,
        end: { lines: given.length, auditId: given.at(-1)?.audit_id },
      });
      expect(lines.join('').split('\n')).toHaveLength(given.length + 1);
    }),
  );
});

test('a changed byte, a removed, repeated or exchanged line and a cut end are noticed', () => {
  fc.assert(
    fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 0x7f }), (given, place, change) => {
      const lines = linesOf(given);
      const bytes = Buffer.from(lines.join(''));
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ change;
      expect(followChain(bytes.toString('utf8')).ok).toBe(false);
      const index = place % lines.length;
      expect(followChain(lines.toSpliced(index, 0, lines[index] ?? '').join('')).ok).toBe(false);
      if (index < lines.length - 1) expect(followChain(lines.toSpliced(index, 1).join('')).ok).toBe(false);
      expect(followChain(lines.join('').slice(0, -1))).toEqual({
        ok: false,
        fault: 'its last line is cut off',
      });
    }),
  );
});

test('the fault names the line', () => {
  const lines = linesOf([{ audit_id: 'a' }, { audit_id: 'b' }, { audit_id: 'c' }]);
  const changed = lines.join('').replace('"b"', '"x"');
  expect(followChain(changed)).toEqual({
    ok: false,
    fault: 'line 2 does not continue the lines before it: it, or one before it, was changed',
  });
  expect(followChain(`${lines[0]}{}\n`)).toEqual({ ok: false, fault: 'line 2 is no entry with a Hash' });
});

test('an entry that is too new keeps back all newer ones, also one with an earlier time', () => {
  const at = (second: number) => ({ Timestamp: `2026-01-01T00:00:0${second}Z` });
  const untilMs = Date.parse('2026-01-01T00:00:05Z');
  expect(settledEntries([at(4), at(5), at(3), at(2)], untilMs)).toEqual([at(3), at(2)]);
  expect(settledEntries([at(4), at(3)], untilMs)).toEqual([at(4), at(3)]);
  expect(settledEntries([at(6)], untilMs)).toEqual([]);
});
