import { expect, test } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { readGatus } from '../gatus/read-gatus.ts';
import { baseDevice, exportedDevices } from '../testing/exported-devices.ts';
import { withFile } from '../testing/with-file.ts';
import { exportGatus } from './export-gatus.ts';

test('`import gatus` reads the same checks from an exported configuration; settings that are lost are reported', async () => {
  const { text, lost } = exportGatus(exportedDevices);
  const { file, refused } = await withFile(text, (name) => buildApplyFile(readGatus(name), 'g'));
  expect(refused).toEqual([]);
  expect(
    file.devices.map(({ Method, URL, Options, Enabled }) => ({ Method, URL, Options, Enabled })),
  ).toEqual([
    {
      Method: 'HTTP',
      URL: 'https://shop.example.org/',
      Options: exportedDevices[0]?.Options,
      Enabled: undefined,
    },
    { Method: 'PING', URL: '192.0.2.1', Options: { Count: 1 }, Enabled: undefined },
    { Method: 'TCP', URL: 'tcp://192.0.2.2:5432', Options: undefined, Enabled: false },
    {
      Method: 'DNS',
      URL: 'example.org',
      Options: { Server: '192.0.2.53', Type: 'MX', ExpectRcode: 'NOERROR' },
      Enabled: undefined,
    },
  ]);
  expect(lost.map(({ name, text: why }) => `${name}: ${why}`)).toEqual([
    'db: its master',
    'Mail: Method SMTP has no protocol in Gatus',
  ]);
});

test('WebSocket and gRPC keep their scheme, and lose their login', async () => {
  const devices = [
    {
      ...baseDevice,
      Method: 'WebSocket' as const,
      URL: 'wss://me:***@live.example.org/feed',
      Options: { Send: 'hello', ExpectText: 'welcome' },
    },
    {
      ...baseDevice,
      device_id: '2',
      ExternalKey: 'api',
      Method: 'gRPC' as const,
      URL: 'api.example.org:9090',
    },
  ];
  const { text } = exportGatus(devices);
  const { file } = await withFile(text, (name) => buildApplyFile(readGatus(name), 'g'));
  expect(file.devices.map(({ Method, URL, Options }) => ({ Method, URL, Options }))).toEqual([
    {
      Method: 'WebSocket',
      URL: 'wss://live.example.org/feed',
      Options: { Send: 'hello', ExpectText: 'welcome' },
    },
    { Method: 'gRPC', URL: 'grpc://api.example.org:9090', Options: undefined },
  ]);
});
