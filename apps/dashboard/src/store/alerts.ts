import { computed } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { type Expectation, withExpectations } from '../model/expectations.ts';
import type { AlertCounts } from '../model/headline.ts';
import { api, take, takeAnswer } from './api.ts';
import { inOrder } from './in-order.ts';
import { accountSignal } from './present-sign-in.ts';

export type Alert = Schemas['Alert'];
type AlertState = Alert['State'];

/** The alerts that are not closed, as they were read. */
interface OpenAlerts {
  /** All that are not suppressed, all acknowledged or snoozed ones, and the newest suppressed ones. */
  readonly list: readonly Alert[];
  readonly suppressed: ReadonlySet<string>;
  /** Whether there are more that are not suppressed. */
  readonly isCut: boolean;
  /** The counts of the server; undefined: the list has all. */
  readonly counted: Schemas['AlertCounts'] | undefined;
}

const pageSize = 100;
/** More alerts than these would fill the memory of a browser; they are counted by the server. */
const maxAlerts = 10_000;

const stored = accountSignal<OpenAlerts>({
  list: [],
  suppressed: new Set(),
  isCut: false,
  counted: undefined,
});
/** Of the causes that are shown: alerts that are suppressed and not among the newest ones. */
const ofCauses = accountSignal<readonly Alert[]>([]);
/** The effects of changes that are under way. */
export const expectedAlerts = accountSignal<readonly Expectation<Alert>[]>([]);

/** Open, acknowledged and snoozed ones, newest first. */
export const alerts = computed(() =>
  withExpectations(stored.value.list, ({ alert_id }) => alert_id, expectedAlerts.value),
);

/** Whether an alert is only a symptom: its messages are held back, because a master has an alert of its own. */
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

/** Reads the alerts that are not closed again. */
export const readAlerts = inOrder(readOpen, (read) => {
  stored.value = read;
});

/** Reads the alerts of devices that are Down, as far as they are not listed. `ids` are at most a page of devices. */
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
  const [own, behind] = await Promise.all([
    readPages({ State: notClosed, Suppressed: 'false' }, maxAlerts),
    readPages({ State: notClosed, Suppressed: 'true' }, pageSize),
  ]);
  const handled = behind.isWhole
    ? []
    : (await readPages({ State: ['Acknowledged', 'Snoozed'], Suppressed: 'true' }, maxAlerts)).list;
  const isWhole = own.isWhole && behind.isWhole;
  const counted = isWhole ? undefined : (await take(api.GET('/summary'))).Alerts;
  const suppressed = [...behind.list, ...handled];
  const all = new Map([...suppressed, ...own.list].map((alert) => [alert.alert_id, alert]));
  const free = new Set(own.list.map(({ alert_id }) => alert_id));
  return {
    list: [...all.values()].sort((a, b) => Date.parse(b.Opened) - Date.parse(a.Opened)),
    // One whose suppression ended while the lists were read is in both.
    suppressed: new Set(suppressed.flatMap(({ alert_id }) => (free.has(alert_id) ? [] : [alert_id]))),
    isCut: !own.isWhole,
    counted,
  };
}

/** Reads the alerts that a filter leaves, newest first, until there are `most` of them. */
async function readPages(
  filter: { readonly State: readonly AlertState[]; readonly Suppressed: 'true' | 'false' },
  most: number,
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
    if (list.length >= most) return { list, isWhole: false };
  }
}
