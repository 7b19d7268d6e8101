import { expect, test } from 'vitest';
import { eventGroups, typesOf } from '../../model/event-types.ts';
import { hookBody, hookDraft, newSecret } from './hook-draft.ts';

test('an empty secret and the stored one are not sent; no tag and all events are null', () => {
  const draft = { ...hookDraft(undefined), name: ' Warehouse ', address: 'https://example.org/ ' };
  expect(hookBody(draft)).toEqual({
    Name: 'Warehouse',
    Address: 'https://example.org/',
    Events: null,
    Tag: null,
  });
  expect(hookBody({ ...draft, secret: 'whsec_x', types: ['Down'], tag: 'shop' })).toMatchObject({
    Secret: 'whsec_x',
    Events: ['Down'],
    Tag: 'shop',
  });
});

test('a generated secret has 32 bytes in base64', () => {
  const secret = newSecret((bytes) => bytes.fill(255));
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toEqual(Buffer.alloc(32, 255));
  expect(newSecret((bytes) => crypto.getRandomValues(bytes))).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('each type of events is in one group', () => {
  const all = eventGroups.flatMap(typesOf);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toContain('Down');
});
