import { dayMs } from '@vantage/domain/units';
import { dayBegin, dayEnd, isDay, isId, isName, isOneOf, type ListFilter } from './list-filter.ts';
import { instantOf } from './zoned.ts';

/** The spans of the list in days, up to now. */
export const outageSpans = ['1', '7', '30', '90', '365'] as const;
export const usualSpan = '7';

export const outageRules = {
  span: isOneOf(outageSpans),
  from: isDay,
  to: isDay,
  tag: isName,
  location: isName,
  device: isId,
  open: isOneOf(['yes']),
};

export type OutageFilter = ListFilter<keyof typeof outageRules>;

/** The moments of a span, milliseconds since 1970. Days are those of the account's zone, and take precedence. */
export function spanOf(
  { span, from, to }: OutageFilter,
  { zone, nowMs }: { readonly zone: string; readonly nowMs: number },
): { readonly from: number; readonly to: number } {
  const endMs = to === '' ? nowMs : Math.min(nowMs, instantOf(zone, `${to}T23:59`) + 60_000);
  const days = Number(span === '' ? usualSpan : span);
  const beginMs = from === '' ? endMs - days * dayMs : instantOf(zone, `${from}T00:00`);
  // A span that ends before it begins has a moment, so that the axis has a length.
  return { from: beginMs, to: Math.max(endMs, beginMs + 1_000) };
}

/** The parameters of the API for these filters, without the cursor. `fromMs`: where the span begins. */
export function outageQuery(
  { from, to, tag, location, device, open }: OutageFilter,
  fromMs: number,
): Readonly<Record<string, string>> {
  return {
    Timestamp1: from === '' ? new Date(fromMs).toISOString() : dayBegin(from),
    ...(to === '' ? {} : { Timestamp2: dayEnd(to) }),
    ...(tag === '' ? {} : { Tag: tag }),
    ...(location === '' ? {} : { Location: location }),
    ...(device === '' ? {} : { Device: device }),
    ...(open === '' ? {} : { Open: 'true' }),
  };
}
