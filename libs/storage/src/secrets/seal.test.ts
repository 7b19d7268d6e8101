import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer } from './seal.ts';

describe('a sealer', () => {
  const key = randomBytes(32);
  const value = { url: 'https://user:hunter2@example.org/', options: { Headers: { Cookie: 'a=b' } } };

  it('opens what it sealed in the same context', () => {
    const sealer = createSealer(key);
    expect(sealer.open(sealer.seal(value, 'device:1'), 'device:1')).toEqual(value);
  });

  it('seals the same value differently each time and never in clear', () => {
    const sealer = createSealer(key);
    const [a, b] = [sealer.seal(value, 'x'), sealer.seal(value, 'x')];
    expect(a.equals(b)).toBe(false);
    expect(a.includes('hunter2')).toBe(false);
  });

  it('refuses another context, changed bytes, a cut value and another key', () => {
    const sealer = createSealer(key);
    const sealed = sealer.seal(value, 'device:1');
    expect(() => sealer.open(sealed, 'device:2')).toThrow(/key file/);
    for (const at of [0, 1, 13, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(changed, 'device:1')).toThrow(/key file/);
    }
    for (const length of [0, 1, 28, sealed.length - 1])
      expect(() => sealer.open(sealed.subarray(0, length), 'device:1')).toThrow(/key file/);
    expect(() => createSealer(randomBytes(32)).open(sealed, 'device:1')).toThrow(/key file/);
  });

  it('opens values of an older key after a change of keys', () => {
    const sealed = createSealer(key).seal(value, 'c');
    expect(createSealer(randomBytes(32), [key]).open(sealed, 'c')).toEqual(value);
  });

  it('knows what the current key sealed, and takes no two keys that look alike', () => {
    const other = randomBytes(32);
    const sealed = createSealer(key).seal(value, 'c');
    if (createSealer(other).seal('', 'c')[0] !== sealed[0]) {
      expect(createSealer(other, [key]).isCurrent(sealed)).toBe(false);
    }
    expect(createSealer(key).isCurrent(sealed)).toBe(true);
    expect(() => createSealer(key, [key])).toThrow(/start with the same byte/);
  });

  it('takes keys of 32 bytes only', () => {
    expect(() => createSealer(randomBytes(16))).toThrow(/32 bytes/);
  });
});
