import { secondUs } from '@vantage/domain';
import { cronTimes, everyTimes, type HeartbeatSettings } from '@vantage/health';
import { push } from '@vantage/probes';

/** A Push device as the database stores it. */
export interface HeartbeatDevice {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly createdUs: number;
  readonly revision: number;
  readonly isEnabled: boolean;
  readonly frequencyMin: number;
  readonly frequencyS: number | null;
  /** The Options of the Method, which hold no secrets. */
  readonly options: unknown;
  /** The account's time zone. */
  readonly zone: string;
}

/** The settings of a Push device for the engine, and the zone in which its texts show times. */
export type ZonedSettings = HeartbeatSettings & { readonly zone: string };

const minuteS = 60;

/** Reads the settings of a Push device. Options that were stored by a later version have the defaults. Pure. */
export function heartbeatSettings(device: HeartbeatDevice): ZonedSettings {
  const parsed = push.options.safeParse(device.options);
  const { Cron, Timezone, GraceSeconds, MaxRunSeconds } = parsed.success
    ? parsed.data
    : push.options.parse({});
  const graceUs = GraceSeconds * secondUs;
  const zone = Timezone ?? device.zone;
  const everyUs = (device.frequencyS ?? device.frequencyMin * minuteS) * secondUs;
  return {
    due: Cron === undefined ? everyTimes(everyUs) : cronTimes(Cron, zone, graceUs),
    graceUs,
    maxRunUs: (MaxRunSeconds ?? GraceSeconds) * secondUs,
    isEnabled: device.isEnabled,
    zone,
  };
}
