import { expect, test } from 'vitest';
import { isId, newId } from './id.ts';

test('ids are 48 lowercase hex characters, and no two of them are the same', () => {
  const ids = Array.from({ length: 1_000 }, newId);
  expect(ids.every(isId)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).not.toContain('0'.repeat(48));
});
