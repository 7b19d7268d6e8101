import { computed } from '@preact/signals';
import { type Cause, causesOf } from '../model/causes.ts';
import { headlineOf } from '../model/headline.ts';
import { counts, type DeviceRow, locations, results, rows } from './account-state.ts';
import { alertCounts, alertOfDevice, readAlerts, readAlertsOfDevices } from './alerts.ts';

/** More causes are not shown, on the overview as on a wall. */
export const maxCauses = 15;

/** Devices that are Down of themselves, those with the most devices behind them first. */
export const causes = computed<readonly Cause<DeviceRow>[]>(() => causesOf(rows.value));

/** The sentence that says the state of the account. */
export const headline = computed(() =>
  headlineOf({
    counts: counts.value,
    causes: causes.value.length,
    locations: locations.value,
    alerts: alertCounts.value,
  }),
);

/** Why a device is Down: what the stream said last, else what opened its alert. */
export const whyOf = (id: string): string | undefined =>
  results.value.get(id) ?? alertOfDevice.value.get(id)?.CheckResult ?? undefined;

/** Reads the alerts again, and those of the causes that are shown. */
export async function refreshAlerts(): Promise<void> {
  await readAlerts();
  await readMissingAlerts();
}

/** Reads the alerts of causes that are shown and that the list of alerts does not have. */
export const readMissingAlerts = (): Promise<void> =>
  readAlertsOfDevices(causes.value.slice(0, maxCauses).map(({ row }) => row.id));
