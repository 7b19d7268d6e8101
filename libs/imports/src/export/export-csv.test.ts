import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { readTable } from '../table/read-table.ts';
import { baseDevice } from '../testing/exported-devices.ts';
import { exportCsv } from './export-csv.ts';
import type { ExportedDevice } from './exported-device.ts';

test('`import csv` reads the same devices from an exported table, whatever their texts are', async () => {
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
        const devices = names.map(
          (name, at): ExportedDevice => ({
            ...baseDevice,
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
        const { file, refused } = await buildApplyFile(readTable(exportCsv(devices).text, 'x.csv'), 'x');
        expect(refused).toEqual([]);
        expect(file.devices).toEqual(
          devices.map(({ ExternalKey: Key, Tags, device_master_id: master, Enabled, Options, ...same }) => ({
            ...same,
            ...(same.FrequencySeconds === null ? { FrequencySeconds: undefined } : { Frequency: undefined }),
            device_id: undefined,
            Key,
            ...(Tags.length > 0 && { Tags: Tags.map(({ Name }) => Name) }),
            ...(master !== null && { device_master_id: devices[0]?.ExternalKey }),
            ...(!Enabled && { Enabled }),
            ...(Object.keys(Options).length > 0 && { Options }),
          })),
        );
      },
    ),
    { numRuns: 100 },
  );
});
