import { expect, test } from 'vitest';
import { buildApplyFile } from '../apply-file/build-apply-file.ts';
import { readPrometheus } from '../prometheus/read-prometheus.ts';
import { exportedDevices } from '../testing/exported-devices.ts';
import { withFile } from '../testing/with-file.ts';
import { exportFileSd } from './export-file-sd.ts';

test('`import prometheus` reads the same targets from an exported file of file_sd', async () => {
  const { text, lost } = exportFileSd(exportedDevices);
  const { file, refused } = await withFile(text, (name) => buildApplyFile(readPrometheus(name, {}), 'p'));
  expect(refused).toEqual([]);
  expect(file.devices.map(({ Method, URL, FullName }) => [Method, URL, FullName])).toEqual([
    ['HTTP', 'https://shop.example.org/', 'Shop'],
    ['PING', '192.0.2.1', 'Router'],
    ['TCP', 'tcp://mail.example.org:465', 'Mail'],
  ]);
  expect(lost.map(({ name }) => name)).toEqual(['Shop', 'Router', 'db', 'MX']);
});
