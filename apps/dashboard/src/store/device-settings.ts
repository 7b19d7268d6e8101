import { computed, signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { useEffect } from 'preact/hooks';
import type { FilterableSettings } from '../model/device-filter.ts';
import { devices } from './account-state.ts';
import { ApiProblem } from './api.ts';
import { minute } from './clock.ts';
import { inOrder } from './in-order.ts';
import { readMschedules } from './maintenance-schedules.ts';
import { readNschedules } from './notification-schedules.ts';
import { accountSignal, onSignInEnd } from './present-sign-in.ts';
import { readSettingsSince, type SettingsChanges } from './read-states.ts';

type DeviceSettings = Schemas['DeviceSettings'];

/** The settings of all devices, with the names of schedules by id. */
interface KnownSettings {
  readonly byDevice: ReadonlyMap<string, DeviceSettings>;
  readonly scheduleNames: ReadonlyMap<string, string>;
  readonly revision: string | undefined;
}

/** undefined: not read. Lists do not contain settings, because most screens need none. */
const known = accountSignal<KnownSettings | undefined>(undefined);
/** Why the settings could not be read. */
export const settingsProblem = accountSignal<unknown>(undefined);
/** Changes when settings are requested again. */
const requests = signal(0);
onSignInEnd(() => {
  requests.value += 1;
});

export const deviceSettings = computed(() => known.value?.byDevice);
export const scheduleNames = computed(() => known.value?.scheduleNames ?? new Map<string, string>());

/** The settings as the filter compares them; undefined: not read. */
export const filterableSettings = computed<ReadonlyMap<string, FilterableSettings> | undefined>(() => {
  const all = known.value;
  if (all === undefined) return undefined;
  const nameOf = (id: string | null) => {
    const name = id === null ? undefined : all.scheduleNames.get(id);
    return name === undefined ? [] : [name.toLowerCase()];
  };
  return new Map(
    [...all.byDevice].map(([id, { URL, Source, ExternalKey, ...settings }]) => {
      const { device_master_id: masterId, Frequency, FrequencySeconds } = settings;
      const master = masterId === null ? undefined : devices.value.get(masterId);
      return [
        id,
        {
          url: URL.toLowerCase(),
          source: (Source ?? '').toLowerCase(),
          key: (ExternalKey ?? '').toLowerCase(),
          master:
            masterId === null
              ? []
              : [master?.shortName ?? masterId, master?.name ?? masterId].map((name) => name.toLowerCase()),
          schedule: [...nameOf(settings.nschedule_id), ...nameOf(settings.mschedule_id)],
          frequency: FrequencySeconds === null ? `${Frequency}min` : `${FrequencySeconds}s`,
        },
      ];
    }),
  );
});

const refused = 1004;

/** Reads the settings of all devices, or what changed since they were read. */
export const readSettings = inOrder(
  async () => {
    const before = known.peek();
    const [changes, notification, maintenance] = await Promise.all([
      readSince(before?.revision),
      readNschedules(),
      readMschedules(),
    ]);
    const names = [
      ...notification.map(({ nschedule_id, Name }) => [nschedule_id, Name] as const),
      ...maintenance.map(({ mschedule_id, Name }) => [mschedule_id, Name] as const),
    ];
    return { changes, names: new Map(names) };
  },
  ({ changes, names }) => {
    const byDevice = new Map(changes.isWhole ? [] : known.peek()?.byDevice);
    for (const [id, settings] of changes.settings)
      if (settings === undefined) byDevice.delete(id);
      else byDevice.set(id, settings);
    settingsProblem.value = undefined;
    known.value = { byDevice, scheduleNames: names, revision: changes.revision };
  },
);

async function readSince(
  revision: string | undefined,
): Promise<SettingsChanges & { readonly isWhole: boolean }> {
  if (revision !== undefined)
    try {
      return { ...(await readSettingsSince(revision)), isWhole: false };
    } catch (error) {
      // The revision is too old: everything is read again.
      if (!(error instanceof ApiProblem) || error.code !== refused) throw error;
    }
  return { ...(await readSettingsSince(undefined)), isWhole: true };
}

/** Reads the settings while a screen needs them, and again each minute. */
export function useDeviceSettings(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    readSettings().catch((problem: unknown) => {
      settingsProblem.value = problem;
    });
  }, [isNeeded, minute.value, requests.value]);
}
