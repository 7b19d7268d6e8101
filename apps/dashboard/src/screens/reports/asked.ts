import {
  type Moments,
  parseObjective,
  parseSpan,
  type ReportSpan,
  spanAround,
  spanText,
} from '@vantage/domain/report';
import { type DeviceFilter, fits, parseFilter } from '../../model/device-filter.ts';
import type { DeviceRow } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { today } from '../../store/clock.ts';
import type { ReportData } from '../../store/read-report.ts';

/** A report as its address asks for it. */
export interface AskedReport {
  /** undefined: the address names none that exists. */
  readonly span: ReportSpan | undefined;
  /** A filter as that of the devices; '': all. */
  readonly filter: string;
  /** Ids of chosen devices; undefined: the filter chooses. */
  readonly devices: readonly string[] | undefined;
  readonly objective: number | undefined;
  readonly objectiveText: string;
}

/** Reads the address. Without a span it is the month of today. */
export function readAsked(): AskedReport {
  const { query } = address.value;
  const text = query.get('span');
  const devices = query.get('devices') ?? '';
  const objectiveText = query.get('objective') ?? '';
  return {
    span: text === null ? spanAround('month', today.value) : parseSpan(text),
    filter: query.get('q') ?? '',
    devices: devices === '' ? undefined : devices.split(','),
    objective: parseObjective(objectiveText),
    objectiveText,
  };
}

/** Goes to another report. The address names its span, so that a link shows the same later. */
export function askFor(asked: AskedReport, change: Partial<AskedReport>, { replace = false } = {}): void {
  go(addressOf({ ...asked, ...change }), { replace });
}

/** The address of a report. */
export function addressOf({ span, filter, devices, objectiveText }: AskedReport): string {
  const query = new URLSearchParams();
  if (span !== undefined) query.set('span', spanText(span));
  if (devices !== undefined) query.set('devices', devices.join(','));
  else if (filter !== '') query.set('q', filter);
  if (objectiveText !== '') query.set('objective', objectiveText);
  return `/reports?${query}`;
}

/** The devices of a report. */
export function chosenRows(
  rows: readonly DeviceRow[],
  { filter, devices }: AskedReport,
): readonly DeviceRow[] {
  if (devices !== undefined) {
    const wanted = new Set(devices);
    return rows.filter(({ id }) => wanted.has(id));
  }
  const parsed = parseFilter(filter);
  return rows.filter((row) => fits(parsed, row));
}

/** The tag path under which a report makes its groups; '': all tags. */
export function baseOf({ filter, devices }: AskedReport): string {
  const tag = onlyTag(filter);
  return devices === undefined && tag !== undefined ? tag.replace(/\/\*$/, '') : '';
}

/** The tag of a filter that consists of one tag only. */
function onlyTag(text: string): string | undefined {
  const filter: DeviceFilter = parseFilter(text);
  const others = [filter.states, filter.methods, filter.locations, filter.words, filter.unknown];
  return filter.tags.length === 1 && others.every(({ length }) => length === 0) ? filter.tags[0] : undefined;
}

/** The name of what a report is about, and whether it is many. */
export function subjectOf(
  asked: AskedReport,
  chosen: readonly DeviceRow[],
): { readonly kind: 'all' | 'tag' | 'device' | 'some'; readonly name: string } {
  const [first] = chosen;
  if (asked.devices === undefined && asked.filter.trim() === '') return { kind: 'all', name: '' };
  if (chosen.length === 1 && first !== undefined) return { kind: 'device', name: first.name };
  const base = baseOf(asked);
  return base === '' ? { kind: 'some', name: '' } : { kind: 'tag', name: base };
}

/** A report as it was read. */
export interface ReadReport {
  readonly asked: AskedReport;
  readonly span: ReportSpan;
  readonly chosen: readonly DeviceRow[];
  /** The whole span, of which `data` ends now where the span still runs. */
  readonly moments: Moments;
  readonly data: ReportData;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly before: { readonly span: ReportSpan; readonly uptimes: ReportData['uptimes'] } | undefined;
}
