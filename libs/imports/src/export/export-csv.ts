import type { ExportedDevice, ForeignFile } from './exported-device.ts';

const columns = [
  'Key',
  'Method',
  'URL',
  'ShortName',
  'FullName',
  'Frequency',
  'Timeout',
  'Attempts',
  'RetryDelay',
  'Enabled',
  'Severity',
  'Master',
  'Tags',
  'Options',
];

/** Writes a table (RFC 4180) that `vantage import csv` reads without loss. Masters are named by Key. */
export function exportCsv(devices: readonly ExportedDevice[]): ForeignFile {
  const keys = new Map(devices.map((device) => [device.device_id, keyOf(device)]));
  const rows = devices.map((device) => [
    keyOf(device),
    device.Method,
    device.URL,
    device.ShortName,
    device.FullName ?? '',
    device.FrequencySeconds === null ? String(device.Frequency) : `${device.FrequencySeconds}s`,
    String(device.Timeout),
    String(device.Attempts),
    String(device.RetryDelay),
    device.Enabled ? 'yes' : 'no',
    device.Severity,
    keys.get(device.device_master_id ?? '') ?? '',
    device.Tags.map(({ Name }) => Name).join(';'),
    Object.keys(device.Options).length === 0 ? '' : JSON.stringify(device.Options),
  ]);
  const lost = devices
    .filter(({ device_master_id: master }) => master !== null && !keys.has(master))
    .map((device) => ({ at: device.device_id, name: keyOf(device), text: 'its master is not in the file' }));
  return { text: [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join(''), lost };
}

function keyOf(device: ExportedDevice): string {
  return device.ExternalKey ?? device.device_id;
}

/** A cell that a spreadsheet would run as a formula gets an apostrophe, which the import removes. */
function cell(value: string): string {
  const text = /^'*[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n;\t|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
