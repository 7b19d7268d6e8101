import { computed } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { type ExpectedChange, withExpectations } from '../model/expectations.ts';
import type { AlertCounts } from '../model/headline.ts';
import { api, take, takeAnswer } from './api.ts';
import { inOrder } from './in-order.ts';
import { accountSignal } from './present-sign-in.ts';

export type Alert = Schemas['Alert'];
type AlertState = Alert['State'];

/** The alerts that are not closed, as read from the API. */
interface OpenAlerts {
  /** All alerts that are not suppressed, acknowledged or snoozed ones, and the newest of the suppressed ones. */
  readonly list: readonly Alert[];
  readonly suppressed: ReadonlySet<string>;
  /** Whether the list lacks alerts that are not suppressed. */
  readonly isCut: boolean;
  /** The counts of the server; undefined: the list is complete. */
  readonly counted: Schemas['AlertCounts'] | undefined;
}

const pageSize = 100;
/** More alerts would fill the browser's memory; the server counts them. */
const maxAlerts = 10_000;

const stored = accountSignal<OpenAlerts>({
  list: [],
  suppressed: new Set(),
  isCut: false,
  counted: undefined,
});
/** The alerts of the shown causes that are not in the list. */
const ofCauses = accountSignal<readonly Alert[]>([]);
/** The expected effects of running changes. */
export const expectedAlerts = accountSignal<readonly ExpectedChange<Alert>[]>([]);

/** Open, acknowledged and snoozed alerts, newest first. */
export const alerts = computed(() =>
  withExpectations(stored.value.list, ({ alert_id }) => alert_id, expectedAlerts.value),
);

/** Whether an alert is only a symptom: its messages are suppressed, because its master has an alert. */
export const isSuppressed = ({ alert_id }: Alert): boolean => stored.value.suppressed.has(alert_id);

/** The counts of alerts that are not closed. */
export const alertCounts = computed<AlertCounts>(() => {
  const { counted, isCut } = stored.value;
  const inState = (state: Alert['State']) => alerts.value.filter(({ State }) => State === state);
  const suppressed = inState('Open').filter(isSuppressed).length;
  const listed = {
    open: inState('Open').length - suppressed,
    snoozed: inState('Snoozed').length,
    suppressed,
    acknowledged: inState('Acknowledged').length,
  };
  if (counted === undefined) return listed;
  if (!isCut) return { ...listed, suppressed: Math.max(suppressed, counted.Suppressed) };
  const { Open, Snoozed, Suppressed, Acknowledged } = counted;
  return { open: Open - Suppressed, snoozed: Snoozed, suppressed: Suppressed, acknowledged: Acknowledged };
});

const byDevice = (list: readonly Alert[]) =>
  list.flatMap((alert) =>
    alert.Kind === 'device.down' && alert.device_id !== null ? [[alert.device_id, alert] as const] : [],
  );
const listed = computed<ReadonlyMap<string, Alert>>(() => new Map(byDevice(alerts.value)));

/** The alerts of devices that are Down, by device. */
export const alertOfDevice = computed<ReadonlyMap<string, Alert>>(() => {
  const others = withExpectations(ofCauses.value, ({ alert_id }) => alert_id, expectedAlerts.value);
  return new Map([...byDevice(others), ...listed.value]);
});

const notClosed: readonly AlertState[] = ['Open', 'Acknowledged', 'Snoozed'];

/** Reads the alerts that are not closed. */
export const readAlerts = inOrder(readOpen, (read) => {
  stored.value = read;
});

/** Reads the alerts of Down devices that are not in the list. `ids` are at most one page of devices. */
export const readAlertsOfDevices = inOrder(
  async (ids: readonly string[]) => {
    const missing = ids.filter((id) => !listed.value.has(id));
    if (missing.length === 0) return [];
    const query = {
      State: [...notClosed],
      Kind: ['device.down' as const],
      Device: missing,
      Limit: pageSize,
    };
    return take(api.GET('/alerts', { params: { query } }));
  },
  (read) => {
    ofCauses.value = read;
  },
);

async function readOpen(): Promise<OpenAlerts> {
  const [free, suppressed] = await Promise.all([
    readPages({ State: notClosed, Suppressed: 'false' }, maxAlerts),
    readPages({ State: notClosed, Suppressed: 'true' }, pageSize),
  ]);
  const handled = suppressed.isWhole
    ? []
    : (await readPages({ State: ['Acknowledged', 'Snoozed'], Suppressed: 'true' }, maxAlerts)).list;
  const isWhole = free.isWhole && suppressed.isWhole;
  const counted = isWhole ? undefined : (await take(api.GET('/summary'))).Alerts;
  const symptoms = [...suppressed.list, ...handled];
  const all = new Map([...symptoms, ...free.list].map((alert) => [alert.alert_id, alert]));
  const freeIds = new Set(free.list.map(({ alert_id }) => alert_id));
  return {
    list: [...all.values()].sort((a, b) => Date.parse(b.Opened) - Date.parse(a.Opened)),
    // An alert whose suppression ended while the lists were read is in both.
    suppressed: new Set(symptoms.flatMap(({ alert_id }) => (freeIds.has(alert_id) ? [] : [alert_id]))),
    isCut: !free.isWhole,
    counted,
  };
}

/** Reads the alerts that match a filter, newest first, until there are `maxCount` of them. */
async function readPages(
  filter: { readonly State: readonly AlertState[]; readonly Suppressed: 'true' | 'false' },
  maxCount: number,
): Promise<{ readonly list: readonly Alert[]; readonly isWhole: boolean }> {
  const list: Alert[] = [];
  for (;;) {
    const last = list.at(-1);
    const query = {
      ...filter,
      State: [...filter.State],
      Limit: pageSize,
      ...(last === undefined ? {} : { Before: last.alert_id }),
    };
    const { data, hasMore } = await takeAnswer(api.GET('/alerts', { params: { query } }));
    list.push(...data);
    if (!hasMore || data.length === 0) return { list, isWhole: true };
    if (list.length >= maxCount) return { list, isWhole: false };
  }
}
