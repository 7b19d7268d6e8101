import { createHmac, randomBytes } from 'node:crypto';
import { createSealer } from '@vantage/storage/secrets/seal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ActionLink, createLinks, linkActions } from './links.ts';

const [key, older] = [randomBytes(32), randomBytes(32)];
const links = createLinks(createSealer(key).deriveKeys('links'));
const link: ActionLink = {
  action: 'snooze',
  accountNo: 3,
  alertId: 'a'.repeat(48),
  alertNo: 5,
  contactNo: 4,
  expiresUs: 1_000,
};

test('every link is read as it was signed', () => {
  const property = fc.property(
    fc.record({
      action: fc.constantFrom(...linkActions),
      accountNo: fc.nat(2 ** 31 - 1),
      alertId: fc.uint8Array({ minLength: 24, maxLength: 24 }).map((id) => Buffer.from(id).toString('hex')),
      alertNo: fc.nat(2 ** 48 - 1),
      contactNo: fc.nat(2 ** 31 - 1),
      expiresUs: fc.maxSafeNat(),
    }),
    (any) => {
      expect(links.read(links.sign(any), any.expiresUs)).toEqual(any);
    },
  );
  fc.assert(property);
});

test('a link of an older version is read, until it expires; a changed one is not', () => {
  const text = Buffer.from(JSON.stringify(['snooze', 3, link.alertId, 5, 4, 1_000])).toString('base64url');
  const mac = createHmac('sha256', new Uint8Array(32)).update(text).digest('base64url');
  const reader = createLinks([new Uint8Array(32)]);
  expect(reader.read(`${text}.${mac}`, 1_000)).toEqual(link);
  expect(reader.read(`${text}.${mac}`, 1_001)).toBeUndefined();
  expect(reader.read(`${text}.${mac}.`, 0)).toBeUndefined();
  expect(reader.read(`${text}.${mac.slice(1)}A`, 0)).toBeUndefined();
  expect(reader.read(`${text}x.${mac}`, 0)).toBeUndefined();
});

test('a link is read as it was signed, until it expires', () => {
  expect(links.read(links.sign(link), 1_000)).toEqual(link);
  expect(links.read(links.sign(link), 1_001)).toBeUndefined();
  expect(links.sign(link)).toMatch(/^[A-Za-z0-9_-]{84}$/);
});

test('after a change of the sealing key, links of before are read until the older key is gone', () => {
  const signed = createLinks(createSealer(older).deriveKeys('links')).sign(link);
  expect(createLinks(createSealer(key, [older]).deriveKeys('links')).read(signed, 0)).toEqual(link);
  expect(links.read(signed, 0)).toBeUndefined();
  expect(createLinks(createSealer(older).deriveKeys('other')).read(signed, 0)).toBeUndefined();
});

test('a link that differs in one character, and any other text, is refused', () => {
  const signed = links.sign(link);
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  const property = fc.property(
    fc.nat(signed.length - 1),
    fc.constantFrom(...characters.split('')),
    fc.string({ maxLength: 500 }),
    (at, character, other) => {
      const changed = signed.slice(0, at) + character + signed.slice(at + 1);
      if (changed !== signed) expect(links.read(changed, 0)).toBeUndefined();
      expect(links.read(other, 0)).toBeUndefined();
      expect(links.read(signed + other, 0) === undefined || other === '').toBe(true);
    },
  );
  fc.assert(property, { numRuns: 1000 });
});
