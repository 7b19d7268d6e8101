import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGatus } from '../gatus/read-gatus.ts';
import { readPrometheus } from '../prometheus/read-prometheus.ts';
import { settle } from '../settle.ts';
import { readTable } from '../table/read-table.ts';
import { withFile } from '../testing/with-file.ts';
import { exportCsv } from './csv.ts';
import type { ExportedDevice } from './exported-device.ts';
import { exportGatus } from './gatus.ts';
import { exportFileSd } from './prometheus-file-sd.ts';

const base: ExportedDevice = {
  device_id: '1',
  Method: 'HTTP',
  URL: 'https://shop.example.org/',
  ShortName: 'shop',
  FullName: 'Shop',
  ExternalKey: 'shop',
  Frequency: 5,
  FrequencySeconds: null,
  Timeout: 30,
  Attempts: 3,
  RetryDelay: 1,
  Enabled: true,
  Severity: 'critical',
  device_master_id: null,
  Tags: [],
  Options: {},
};
const devices: readonly ExportedDevice[] = [
  {
    ...base,
    Tags: [{ Name: 'core' }],
    Options: {
      ExpectStatus: ['200'],
      ExpectText: 'Welcome',
      MaxTimeMs: 300,
      TLS: { Verify: false, MinDaysLeft: 3 },
      MaxRedirects: 0,
    },
  },
  {
    ...base,
    device_id: '2',
    ExternalKey: 'router',
    ShortName: 'router',
    FullName: 'Router',
    Method: 'PING',
    URL: '192.0.2.1',
    Options: { Count: 1 },
  },
  {
    ...base,
    device_id: '3',
    ExternalKey: null,
    ShortName: 'db',
    FullName: null,
    Method: 'TCP',
    URL: 'tcp://192.0.2.2:5432',
    device_master_id: '2',
    Enabled: false,
  },
  {
    ...base,
    device_id: '4',
    ExternalKey: 'mx',
    ShortName: 'mx',
    FullName: 'MX',
    Method: 'DNS',
    URL: 'example.org',
    Options: { Server: '192.0.2.53', Type: 'MX' },
  },
  {
    ...base,
    device_id: '5',
    ExternalKey: 'mail',
    ShortName: 'mail',
    FullName: 'Mail',
    Method: 'SMTP',
    URL: 'smtps://user:***@mail.example.org',
  },
];

describe('the way back', () => {
  it('a table leads to the same devices again, whatever their texts are', async () => {
    const line = fc.stringMatching(/^[=+@'a-zA-Zäß",;|' -]{0,20}x$/).map((text) => text.trim());
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(line, {
          minLength: 1,
          maxLength: 8,
          selector: (text) => text.toLowerCase().replaceAll(/\s+/g, ' '),
        }),
        fc.nat(),
        async (names, seed) => {
          const given = names.map(
            (name, at): ExportedDevice => ({
              ...base,
              device_id: `${at}`,
              ExternalKey: `key ${name}`,
              FullName: name,
              ShortName: `d-${at}`,
              ...(seed % 3 === 0
                ? { Frequency: 1, FrequencySeconds: [5, 10, 15, 20, 30][seed % 5] ?? 5 }
                : { Frequency: [1, 2, 5, 10, 20, 30, 60][seed % 7] ?? 5, FrequencySeconds: null }),
              Attempts: 1 + (seed % 11),
              device_master_id: at > 0 && seed % 2 === 0 ? '0' : null,
              Tags: seed % 3 === 0 ? [{ Name: 'berlin/rack 1' }, { Name: 'prod' }] : [],
              Options: seed % 5 === 0 ? { ExpectText: `"${name}"` } : {},
              Enabled: seed % 4 !== 0,
            }),
          );
          const { file, refused } = await settle(readTable(exportCsv(given).text, 'x.csv'), 'x');
          expect(refused).toEqual([]);
          expect(file.devices).toEqual(
            given.map(({ ExternalKey: Key, Tags, device_master_id: master, Enabled, Options, ...same }) => ({
              ...same,
              ...(same.FrequencySeconds === null
                ? { FrequencySeconds: undefined }
                : { Frequency: undefined }),
              device_id: undefined,
              Key,
              ...(Tags.length > 0 && { Tags: Tags.map(({ Name }) => Name) }),
              ...(master !== null && { device_master_id: given[0]?.ExternalKey }),
              ...(!Enabled && { Enabled }),
              ...(Object.keys(Options).length > 0 && { Options }),
            })),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it("Gatus' configuration leads to the same checks again; what has no place is named", async () => {
    const { text, lost } = exportGatus(devices);
    const { file, refused } = await withFile(text, (name) => settle(readGatus(name), 'g'));
    expect(refused).toEqual([]);
    expect(
      file.devices.map(({ Method, URL, Options, Enabled }) => ({ Method, URL, Options, Enabled })),
    ).toEqual([
      { Method: 'HTTP', URL: 'https://shop.example.org/', Options: devices[0]?.Options, Enabled: undefined },
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

  it('a file of file_sd leads to the same targets again', async () => {
    const { text, lost } = exportFileSd(devices);
    const { file, refused } = await withFile(text, (name) => settle(readPrometheus(name, {}), 'p'));
    expect(refused).toEqual([]);
    expect(file.devices.map(({ Method, URL, FullName }) => [Method, URL, FullName])).toEqual([
      ['HTTP', 'https://shop.example.org/', 'Shop'],
      ['PING', '192.0.2.1', 'Router'],
      ['TCP', 'tcp://mail.example.org:465', 'Mail'],
    ]);
    expect(lost.map(({ name }) => name)).toEqual(['Shop', 'Router', 'db', 'MX']);
  });
});
