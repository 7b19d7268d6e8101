import type { Schemas } from '@vantage/client';
import { dayBegin, dayEnd, isDay, isId, isName, isOneOf, type ListFilter } from './list-filter.ts';

type Alert = Schemas['Alert'];

export const severities = ['critical', 'warning', 'info'] as const;
export const alertViews = ['open', 'snoozed', 'closed'] as const;
/** A view of the list of alerts. */
export type AlertView = (typeof alertViews)[number];

const yesOrNo = isOneOf(['yes', 'no']);

export const alertRules = {
  state: isOneOf(alertViews.slice(1)),
  severity: isOneOf(severities),
  kind: isName,
  tag: isName,
  location: isName,
  device: isId,
  suppressed: yesOrNo,
  shadow: yesOrNo,
  from: isDay,
  to: isDay,
};

export type AlertFilter = ListFilter<keyof typeof alertRules>;

const statesOf: Readonly<Record<AlertView, string>> = {
  open: 'Open,Acknowledged',
  snoozed: 'Snoozed',
  closed: 'Closed',
};

/** The view in an address. */
export const viewOf = ({ state }: AlertFilter): AlertView =>
  alertViews.find((view) => view === state) ?? 'open';

/** Whether the list has a filter besides its view. */
export const isNarrowed = (filter: AlertFilter): boolean =>
  Object.entries(filter).some(([name, text]) => name !== 'state' && text !== '');

/** The parameters of the API for these filters, without the cursor. */
export function alertQuery(filter: AlertFilter): Readonly<Record<string, string>> {
  const { severity, kind, tag, location, device, suppressed, shadow, from, to } = filter;
  return {
    State: statesOf[viewOf(filter)],
    ...(severity === '' ? {} : { Severity: severity }),
    ...(kind === '' ? {} : { Kind: kind }),
    ...(tag === '' ? {} : { Tag: tag }),
    ...(location === '' ? {} : { Location: location }),
    ...(device === '' ? {} : { Device: device }),
    ...(suppressed === '' ? {} : { Suppressed: suppressed === 'yes' ? 'true' : 'false' }),
    ...(shadow === '' ? {} : { Shadow: shadow === 'yes' ? 'true' : 'false' }),
    ...(from === '' ? {} : { Timestamp1: dayBegin(from) }),
    ...(to === '' ? {} : { Timestamp2: dayEnd(to) }),
  };
}

/**
 * The filter of a change of many alerts: open alerts only, so that no acknowledgement is replaced. Undefined: the API
 * cannot choose alerts by all of these filters.
 */
export function changeFilter(filter: AlertFilter): Schemas['AlertFilter'] | undefined {
  const { severity, kind, tag, location, device, suppressed, shadow, from, to } = filter;
  if (viewOf(filter) !== 'open' || [suppressed, shadow, from, to].some((text) => text !== ''))
    return undefined;
  return {
    State: 'Open',
    ...(severity === '' ? {} : { Severity: severity }),
    ...(kind === '' ? {} : { Kind: kind }),
    ...(tag === '' ? {} : { Tag: tag }),
    ...(location === '' ? {} : { Location: location }),
    ...(device === '' ? {} : { Device: device }),
  };
}

/** An alert with its symptoms: the devices that are Down because of its device. */
export interface AlertCause<Row> {
  readonly alert: Alert;
  readonly behind: readonly Row[];
}

/**
 * Puts suppressed alerts below the alert of their cause. `rest` are those whose cause has no alert in the list, for
 * example because their master is in maintenance.
 */
export function foldSymptoms<Row extends { readonly id: string }>(
  free: readonly Alert[],
  suppressed: readonly Alert[],
  causes: readonly { readonly row: Row; readonly behind: readonly Row[] }[],
): { readonly causes: readonly AlertCause<Row>[]; readonly rest: readonly Alert[] } {
  const behindOf = new Map(causes.map(({ row, behind }) => [row.id, behind]));
  const folded = new Set<string>();
  const found = free.map((alert) => {
    const isCause = alert.Kind === 'device.down' && alert.device_id !== null;
    const behind = (isCause ? behindOf.get(alert.device_id ?? '') : undefined) ?? [];
    for (const { id } of behind) folded.add(id);
    return { alert, behind };
  });
  return { causes: found, rest: suppressed.filter(({ device_id }) => !folded.has(device_id ?? '')) };
}
