import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from './api.ts';

export type Mschedule = Schemas['MaintenanceSchedule'];
export type PreviewWindow = Schemas['MaintenanceWindow'];

export const readMschedules = (): Promise<readonly Mschedule[]> => take(api.GET('/mschedules'));

/** The number of devices that have this maintenance schedule, and the first of them. */
export async function readMscheduleUsers(mschedule_id: string) {
  const query = { mschedule_id, Limit: 10 };
  const { data, total } = await takeAnswer(api.GET('/devices', { params: { query } }));
  return {
    total,
    first: data.map(({ device_id, FullName, ShortName }) => ({ id: device_id, name: FullName ?? ShortName })),
  };
}
