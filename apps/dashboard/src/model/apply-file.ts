import { settingDefaults } from '@vantage/domain/setting-defaults';

/** Settings of a device, as the API lists them. */
export interface ListedSettings {
  readonly URL: string;
  readonly Method: string;
  readonly ShortName: string;
  readonly FullName: string | null;
  readonly ExternalKey: string | null;
  readonly Frequency: number;
  readonly FrequencySeconds: number | null;
  readonly Timeout: number;
  readonly Attempts: number;
  readonly RetryDelay: number;
  readonly Severity: string;
  readonly Enabled: boolean;
  /** Absent in rows of lists. */
  readonly ExpiryWarningDays?: readonly number[] | null;
  readonly nschedule_id: string | null;
  readonly mschedule_id: string | null;
  readonly device_master_id: string | null;
  readonly Locations: readonly string[] | null;
  readonly Options: Readonly<Record<string, unknown>>;
  readonly Tags: readonly { readonly Name: string }[];
}

const defaults: Readonly<Record<string, unknown>> = settingDefaults;

/**
 * A file of `apply` (JSON, which is YAML too) with these devices. Defaults are left out. A device without an
 * ExternalKey gets its ShortName as its Key, which `apply --adopt` writes. Schedules are named by their names.
 */
export function applyFile(
  devices: ReadonlyMap<string, ListedSettings>,
  scheduleName: (id: string) => string | undefined,
): string {
  const keys = new Map<string, string>();
  const used = new Set([...devices.values()].flatMap(({ ExternalKey }) => ExternalKey ?? []));
  for (const [id, { ExternalKey, ShortName }] of devices) {
    let key = ExternalKey ?? ShortName;
    for (let count = 2; ExternalKey === null && used.has(key); count += 1) key = `${ShortName}-${count}`;
    used.add(key);
    keys.set(id, key);
  }
  const entries = [...devices].map(([id, settings]) => {
    const entry: Record<string, unknown> = { Key: keys.get(id), Method: settings.Method, URL: settings.URL };
    const add = (name: string, value: unknown) => {
      const isEmpty = value === null || value === undefined || value === defaults[name];
      if (!isEmpty && JSON.stringify(value) !== '{}' && JSON.stringify(value) !== '[]') entry[name] = value;
    };
    add('ShortName', settings.ShortName);
    add('FullName', settings.FullName);
    if (settings.FrequencySeconds === null) entry['Frequency'] = settings.Frequency;
    else add('FrequencySeconds', settings.FrequencySeconds);
    for (const name of ['Timeout', 'Attempts', 'RetryDelay', 'Severity', 'Enabled'] as const)
      add(name, settings[name]);
    const { nschedule_id: notification, mschedule_id: maintenance, device_master_id: master } = settings;
    add('nschedule_id', notification === null ? null : (scheduleName(notification) ?? notification));
    add('mschedule_id', maintenance === null ? null : (scheduleName(maintenance) ?? maintenance));
    add('device_master_id', master === null ? null : (keys.get(master) ?? master));
    // An empty list means no warning, which differs from the days of the account.
    if (settings.ExpiryWarningDays) entry['ExpiryWarningDays'] = settings.ExpiryWarningDays;
    // An empty list means no Location, which differs from the default ones.
    if (settings.Locations !== null) entry['Locations'] = settings.Locations;
    add('Tags', settings.Tags.map(({ Name }) => Name).sort());
    add('Options', settings.Options);
    return entry;
  });
  return `${JSON.stringify({ devices: entries }, null, 2)}\n`;
}
