import type { ListedSettings } from './apply-file.ts';
import type { PastedLine } from './paste-many.ts';

/** The effect of a line: a device with its key exists and is changed in these fields, or a new one is added. */
export interface LinePlan {
  readonly line: PastedLine;
  readonly kind: 'new' | 'changed' | 'same';
  readonly fields: readonly string[];
  /** The body of the request: without what was derived, if the device exists. */
  readonly body: Readonly<Record<string, unknown>>;
}

const references = ['ExternalKey', 'device_master_id'];

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(String).sort();
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Compares the lines with the devices that have the same key. */
export function planLines(
  lines: readonly PastedLine[],
  devices: Iterable<ListedSettings>,
): readonly LinePlan[] {
  const byKey = new Map<unknown, ListedSettings>();
  for (const device of devices) if (device.ExternalKey !== null) byKey.set(device.ExternalKey, device);
  return lines.map((line) => {
    const device = line.body['ExternalKey'] === undefined ? undefined : byKey.get(line.body['ExternalKey']);
    if (device === undefined) return { line, kind: 'new', fields: [], body: line.body };
    const stored: Readonly<Record<string, unknown>> = {
      ...device,
      FullName: device.FullName ?? device.ShortName,
      Tags: device.Tags.map(({ Name }) => Name),
    };
    const body = Object.fromEntries(
      Object.entries(line.body).filter(([name]) => !line.guessed.includes(name)),
    );
    const fields = Object.entries(body)
      .filter(([name]) => !references.includes(name))
      .filter(([name, value]) => JSON.stringify(sorted(value)) !== JSON.stringify(sorted(stored[name])))
      .map(([name]) => name);
    // A master is compared by the API.
    const isSame = fields.length === 0 && line.body['device_master_id'] === undefined;
    return { line, kind: isSame ? 'same' : 'changed', fields, body };
  });
}
