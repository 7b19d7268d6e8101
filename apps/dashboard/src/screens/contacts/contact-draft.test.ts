import { expect, test } from 'vitest';
import { contactBody, contactDraft, makeSecret, newContactDraft } from './contact-draft.ts';

const webhook = {
  Type: 'webhook' as const,
  Address: 'https://hooks.example.org/vantage',
  Secret: { Required: true, Signs: true, Hint: '' },
  Options: [],
};
const sms = {
  ...webhook,
  Type: 'sms' as const,
  Options: [
    { Name: 'To' as const, Required: true },
    { Name: 'Body' as const, Required: false },
  ],
};

test('an empty Secret is not sent, so the stored one is kept', () => {
  expect(contactBody(newContactDraft(), webhook)).not.toHaveProperty('Secret');
  expect(contactBody({ ...newContactDraft(), secret: 'whsec_x' }, webhook)).toMatchObject({
    Secret: 'whsec_x',
  });
  expect(
    contactBody({ ...newContactDraft(), secret: 'whsec_x' }, { ...webhook, Secret: null }),
  ).not.toHaveProperty('Secret');
});

test('only the options of the Type are sent, and none as null', () => {
  const options = { To: '+4712345678', Body: '', ContentType: '', SecretHeader: 'X-Api-Key' };
  expect(contactBody({ ...newContactDraft(), options }, sms).Options).toEqual({ To: '+4712345678' });
  expect(contactBody({ ...newContactDraft(), options }, webhook).Options).toBeNull();
});

test('an unchanged contact is sent back as it was read', () => {
  const stored = {
    contact_id: 'c',
    Name: 'Ops',
    Type: 'sms' as const,
    Address: 'https://sms.example.org/***',
    Options: { To: '+4712345678' },
    Notify: ['device.down' as const],
    Shadow: true,
    ExternalKey: null,
    Source: null,
    PreviousSecretUntil: null,
    UpdatedAt: '2026-02-25T23:38:03+01:00',
    CreatedAt: '2026-02-25T23:38:03+01:00',
  };
  expect(contactBody(contactDraft(stored), sms)).toEqual({
    Name: 'Ops',
    Address: 'https://sms.example.org/***',
    Options: { To: '+4712345678' },
    Notify: ['device.down'],
    Shadow: true,
  });
});

test('a made secret is whsec_ and the base64 of its bytes', () => {
  expect(makeSecret(new Uint8Array([1, 2, 255]))).toBe('whsec_AQL/');
});
