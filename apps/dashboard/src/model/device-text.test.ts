import type { Schemas } from '@vantage/client';
import { expect, test } from 'vitest';
import { curlText, deviceSettings, yamlText } from './device-text.ts';

const device = {
  Method: 'HTTP',
  URL: "https://www.example.org/it's",
  ShortName: 'web',
  FullName: 'Web shop: front',
  Frequency: 1,
  FrequencySeconds: 15,
  Timeout: 30,
  Attempts: 5,
  RetryDelay: 1,
  Severity: 'critical',
  Enabled: false,
  nschedule_id: null,
  mschedule_id: null,
  device_master_id: 'a1',
  ExternalKey: 'cmdb-1',
  Source: null,
  Locations: ['Oslo', 'no'],
  Tags: [{ tag_id: 't', Name: 'berlin/rack-3' }],
  Options: { ExpectStatus: ['200'], Headers: { 'X-Api': '***' }, TLS: { Verify: false } },
} as unknown as Schemas['Device'];

test('the settings are those that differ from the defaults', () => {
  expect(Object.keys(deviceSettings(device)).join(' ')).toBe(
    'Method URL ShortName FullName FrequencySeconds Attempts Enabled device_master_id Locations Tags Options',
  );
});

test('a request of a shell', () => {
  const text = curlText({ ...device, Options: {} }, 'https://vantage.example');
  expect(text).toContain("curl --request POST 'https://vantage.example/v1.1/devices' \\\n");
  // A quote in a value does not end the word.
  expect(text).toContain(`"URL": "https://www.example.org/it'\\''s"`);
});

test('an apply file', () => {
  expect(yamlText({ ...device, Source: 'net/berlin' })).toBe(`source: net/berlin
devices:
  - Key: cmdb-1
    Method: HTTP
    URL: "https://www.example.org/it's"
    ShortName: web
    FullName: "Web shop: front"
    FrequencySeconds: 15
    Attempts: 5
    Enabled: false
    device_master_id: a1
    Locations: ["Oslo", "no"]
    Tags: ["berlin/rack-3"]
    Options:
      ExpectStatus: ["200"]
      Headers:
        X-Api: "***"
      TLS:
        Verify: false
`);
});

test('steps of a dialogue in an apply file', () => {
  const Options = { Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }, { Send: 'yes' }] };
  const tcp = { ...device, Method: 'TCP', ShortName: 'y', ExternalKey: null, Options } as Schemas['Device'];
  const text = yamlText(tcp);
  expect(text).toContain('  - Key: "y"\n');
  expect(text).toContain(`      Steps:
        - Send: "PING\\r\\n"
          Expect: "+PONG"
        - Send: "yes"
`);
});
