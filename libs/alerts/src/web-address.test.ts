import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillWebAddress, receiverOf, showWebAddress } from './web-address.ts';

const plain = { hidesLastPart: false };
const hidden = { hidesLastPart: true };
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const address = fc
  .record({ user: word, password: word, host: word, path: word, token: word, page: word })
  .map(
    ({ user, password, host, path, token, page }) =>
      `https://${user}:${password}@${host}.example/a/${path}?token=${token}&page=${page}`,
  );

test('an address that is sent back as it is shown is the kept one, whatever is masked', () => {
  // An earlier version took addresses that are none for this one.
  const old = word.map((token) => `https://a.example:99999/hook?token=${token}`);
  fc.assert(
    fc.property(fc.oneof(address, old), fc.boolean(), (kept, hidesLastPart) => {
      const kind = { hidesLastPart };
      const shown = showWebAddress(kept, kind);
      expect(shown).toContain('***');
      expect(fillWebAddress(shown, kept, kind)).toBe(kept);
      expect(fillWebAddress(kept, kept, kind)).toBe(kept);
    }),
  );
});

test('a changed address keeps its credentials where its receiver is the same, and needs them again elsewhere', () => {
  const kept = 'https://me:geheim@a.example/hook?token=t1&page=1';
  const fill = (text: string) => fillWebAddress(text, kept, plain);
  expect(fill('https://me:***@a.example/other?token=***&page=2')).toBe(
    'https://me:geheim@a.example/other?token=t1&page=2',
  );
  expect(fill('https://me:new@a.example/hook?token=***&page=1')).toBe(
    'https://me:new@a.example/hook?token=t1&page=1',
  );
  for (const other of ['http://me:***@a.example/', 'https://me:***@b.example/', 'https://you:***@a.example/'])
    expect(fill(other)).toBeUndefined();
  expect(fill('https://b.example/free')).toBe('https://b.example/free');
  expect(fillWebAddress('https://me:***@a.example/', undefined, plain)).toBeUndefined();
  expect(fillWebAddress('no address ***', kept, plain)).toBe('no address ***');
});

test('the last part is a credential of some kinds only', () => {
  const kept = 'https://hooks.example/services/T1/geheim';
  expect(showWebAddress(kept, hidden)).toBe('https://hooks.example/services/T1/***');
  expect(showWebAddress(kept, plain)).toBe(kept);
  expect(fillWebAddress('https://hooks.example/services/T2/***', kept, hidden)).toBe(
    'https://hooks.example/services/T2/geheim',
  );
});

test('scheme, host, port and user are the receiver; password, path and query are not', () => {
  const same = ['https://me:a@x.example/', 'https://me:b@x.example:443/p?q=1'].map(receiverOf);
  expect(new Set(same).size).toBe(1);
  const others = [
    'http://me@x.example',
    'https://x.example',
    'https://me@x.example:1',
    'https://me@y.example',
  ];
  expect(new Set([...same, ...others.map(receiverOf)]).size).toBe(5);
});
