import { api, take } from './api.ts';
import { deviceSettings, readSettings } from './device-settings.ts';
import { readAllStates } from './read-states.ts';

/** The devices of a window. */
export type QuietedFilter =
  | { readonly Tag: readonly string[] }
  | { readonly mschedule_id: string }
  | { readonly ids: readonly string[] };

/** The maximum number of notification schedules whose preview is requested. */
const maxSchedules = 20;

/**
 * The contacts that would be notified if one of the devices failed at the start of a window and stayed Down until its
 * end, as sentences of the server.
 */
export async function readQuieted(
  filter: QuietedFilter,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly string[]> {
  const [account, ids] = await Promise.all([
    take(api.GET('/account')),
    'ids' in filter ? schedulesOfDevices(filter.ids) : schedulesOf(filter),
  ]);
  const used = [...new Set(ids.map((scheduleId) => scheduleId ?? account.nschedule_id))].filter(
    (scheduleId) => scheduleId !== null,
  );
  const sentences = await Promise.all(
    used.slice(0, maxSchedules).map(async (nschedule_id) => {
      const schedule = await take(
        api.GET('/nschedules/{nschedule_id}', { params: { path: { nschedule_id } } }),
      );
      const messages = await take(
        api.POST('/nschedules/preview', {
          body: {
            Steps: schedule.Steps,
            Timezone: schedule.Timezone,
            At: new Date(fromMs).toISOString(),
            Severity: 'critical',
            Kind: 'device.down',
          },
        }),
      );
      return messages
        .filter(({ Timestamp, Repeat }) => !Repeat && Date.parse(Timestamp) < toMs)
        .map(({ Text }) => `${schedule.Name}: ${Text}`);
    }),
  );
  return sentences.flat();
}

/** The notification schedules of devices; null: the one of the account. */
async function schedulesOfDevices(ids: readonly string[]): Promise<readonly (string | null)[]> {
  const [device_id] = ids;
  if (device_id !== undefined && ids.length === 1)
    return [(await take(api.GET('/devices/{device_id}', { params: { path: { device_id } } }))).nschedule_id];
  await readSettings();
  return ids.map((id) => deviceSettings.value?.get(id)?.nschedule_id ?? null);
}

async function schedulesOf(
  filter: Exclude<QuietedFilter, { readonly ids: readonly string[] }>,
): Promise<readonly (string | null)[]> {
  const rows = await readAllStates({ ...filter, With: ['Settings'] });
  return rows.map(({ Settings }) => Settings?.nschedule_id ?? null);
}
