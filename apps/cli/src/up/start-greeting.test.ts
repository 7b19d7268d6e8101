import { expect, test } from 'vitest';
import { greeting } from './start-greeting.ts';

const ready = { base_url: 'https://localhost:8443/v1.1', ca_file: "/d'ata/tls/ca.pem" };
const keys = { api_key_uw: 'a'.repeat(64), api_key_ur: 'b'.repeat(64) };

test('new keys are shown, with a curl line that works as printed', () => {
  const text = greeting(ready, { ...keys, isFresh: true }, '/data');
  expect(text).toContain(`Key (UW)     ${keys.api_key_uw}`);
  expect(text).toContain(`Key (UR)     ${keys.api_key_ur}`);
  expect(text).toContain(
    `curl --cacert '/d'\\''ata/tls/ca.pem' -H 'Service-API-Key: ${keys.api_key_uw}' https:`,
  );
});

test('the fingerprint of the certificate is shown with the reason for the warning of the browser', () => {
  const text = greeting({ ...ready, fingerprint: 'AB:CD' }, { ...keys, isFresh: false }, '/data');
  expect(text).toContain('Your browser will warn about the certificate');
  expect(text).toContain('\n  AB:CD\n');
  expect(greeting(ready, { ...keys, isFresh: false }, '/data')).not.toContain('certificate');
});

test('the key of an administrator is shown where there is one', () => {
  const text = greeting(ready, { ...keys, api_key_ua: 'c'.repeat(64), isFresh: true }, '/data');
  expect(text).toContain(
    `\n  Key (UA)     ${'c'.repeat(64)}   also invites people and makes keys\n  Key (UW)`,
  );
});

test('a later start shows no key and names the file with the keys', () => {
  const text = greeting(ready, { ...keys, api_key_ua: 'c'.repeat(64), isFresh: false }, '/data');
  expect(text).not.toMatch(/[abc]{64}/);
  expect(text).toContain('/data/first-run.json');
});
