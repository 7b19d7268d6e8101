import { computed } from '@preact/signals';
import { type Cause, causesOf } from '../model/causes.ts';
import { headlineOf } from '../model/headline.ts';
import { counts, type DeviceListRow, locations, results, rows } from './account-state.ts';
import { alertCounts, alertOfDevice, readAlerts, readAlertsOfDevices } from './alerts.ts';

/** The maximum number of causes on the overview and on a wall. */
export const maxCauses = 15;

/** Devices that are Down by themselves, those with the most devices behind them first. */
export const causes = computed<readonly Cause<DeviceListRow>[]>(() => causesOf(rows.value));

/** The state of the account in one sentence. */
export const headline = computed(() =>
  headlineOf({
    counts: counts.value,
    causes: causes.value.length,
    locations: locations.value,
    alerts: alertCounts.value,
  }),
);

/** Why a device is Down: the last result from the stream, or else the result that opened its alert. */
export const whyOf = (id: string): string | undefined =>
  results.value.get(id) ?? alertOfDevice.value.get(id)?.CheckResult ?? undefined;

/** Reads the alerts again, including those of the shown causes. */
export async function refreshAlerts(): Promise<void> {
  await readAlerts();
  await readMissingAlerts();
}

/** Reads the alerts of the shown causes that are not in the list of alerts. */
export const readMissingAlerts = (): Promise<void> =>
  readAlertsOfDevices(causes.value.slice(0, maxCauses).map(({ row }) => row.id));
