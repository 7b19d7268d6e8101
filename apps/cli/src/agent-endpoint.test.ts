import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkEndpoint, defaultEndpoint } from './agent-endpoint.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-endpoint-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each([
  [{}, 'https://localhost:8444'],
  [{ VANTAGE_AGENT_PORT: '9444' }, 'https://localhost:9444'],
  [{ VANTAGE_LISTEN: '0.0.0.0' }, 'https://localhost:8444'],
  [{ VANTAGE_LISTEN: '192.0.2.7', VANTAGE_AGENT_PORT: '9' }, 'https://192.0.2.7:9'],
  [{ VANTAGE_LISTEN: '2001:db8::7' }, 'https://[2001:db8::7]:8444'],
])('with %o an agent is invited to %s', (settings, expected) => {
  expect(defaultEndpoint({ ...settings, VANTAGE_DATA: dir })).toBe(expected);
});

test('the port of a running system takes precedence over the settings', () => {
  writeFileSync(path.join(dir, 'quickstart.json'), '{"agent_endpoint": "https://localhost:40123"}');
  expect(defaultEndpoint({ VANTAGE_DATA: dir, VANTAGE_AGENT_PORT: '8444' })).toBe('https://localhost:40123');
});

test("an endpoint must have a name of the controller's certificate, where the certificate can be read", () => {
  const settings = { VANTAGE_DATA: dir, VANTAGE_TLS_NAMES: 'vantage.example' };
  expect(() => checkEndpoint('https://elsewhere.example:8444', settings)).not.toThrow();
  const tls = path.join(dir, 'tls');
  mkdirSync(tls);
  const names = ['localhost', 'vantage.example', '127.0.0.1'];
  writeFileSync(path.join(tls, 'server.pem'), makeCertificate({ names }).cert);
  for (const good of ['vantage.example', 'localhost', '127.0.0.1'])
    expect(() => checkEndpoint(`https://${good}:8444`, settings)).not.toThrow();
  expect(() => checkEndpoint('https://elsewhere.example:8444', settings)).toThrow(
    'VANTAGE_TLS_NAMES=vantage.example,elsewhere.example',
  );
  expect(() => checkEndpoint('https://192.0.2.1:8444', { VANTAGE_DATA: dir })).toThrow(
    'VANTAGE_TLS_NAMES=192.0.2.1 ',
  );
});
