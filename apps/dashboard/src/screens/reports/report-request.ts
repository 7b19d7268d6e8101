import {
  type Moments,
  parseObjective,
  parseSpan,
  type ReportSpan,
  spanAround,
  spanText,
} from '@vantage/domain/report';
import { fits, onlyTag } from '../../model/device-filter.ts';
import { parseFilter } from '../../model/filter-text.ts';
import type { DeviceListRow } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { today } from '../../store/clock.ts';
import { filterableSettings } from '../../store/device-settings.ts';
import type { ReportData } from '../../store/read-report.ts';

/** The report that an address requests. */
export interface ReportRequest {
  /** undefined: the address names no valid span. */
  readonly span: ReportSpan | undefined;
  /** A filter like that of the devices; '': all. */
  readonly filter: string;
  /** Ids of chosen devices; undefined: the filter applies. */
  readonly devices: readonly string[] | undefined;
  readonly objective: number | undefined;
  readonly objectiveText: string;
}

/** Reads the address. The default span is the present month. */
export function readReportRequest(): ReportRequest {
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

/** Goes to another report. Its address names the span, so that a link later shows the same report. */
export function showReport(
  request: ReportRequest,
  change: Partial<ReportRequest>,
  { replace = false } = {},
): void {
  go(addressOf({ ...request, ...change }), { replace });
}

/** The address of a report. */
export function addressOf({ span, filter, devices, objectiveText }: ReportRequest): string {
  const query = new URLSearchParams();
  if (span !== undefined) query.set('span', spanText(span));
  if (devices !== undefined) query.set('devices', devices.join(','));
  else if (filter !== '') query.set('q', filter);
  if (objectiveText !== '') query.set('objective', objectiveText);
  return `/reports?${query}`;
}

/** The devices of a report. */
export function chosenRows(
  rows: readonly DeviceListRow[],
  { filter, devices }: ReportRequest,
): readonly DeviceListRow[] {
  if (devices !== undefined) {
    const chosen = new Set(devices);
    return rows.filter(({ id }) => chosen.has(id));
  }
  const parsed = parseFilter(filter);
  const facts = { settings: filterableSettings.value };
  return rows.filter((row) => fits(parsed, row, facts));
}

/** The tag path below which a report has its groups; '': all tags. */
export function baseOf({ filter, devices }: ReportRequest): string {
  const tag = onlyTag(parseFilter(filter));
  return devices === undefined && tag !== undefined ? tag.replace(/\/\*$/, '') : '';
}

/** The subject of a report. */
export function reportSubject(
  request: ReportRequest,
  chosen: readonly DeviceListRow[],
): { readonly kind: 'all' | 'tag' | 'device' | 'some'; readonly name: string } {
  const [first] = chosen;
  if (request.devices === undefined && request.filter.trim() === '') return { kind: 'all', name: '' };
  if (chosen.length === 1 && first !== undefined) return { kind: 'device', name: first.name };
  const base = baseOf(request);
  return base === '' ? { kind: 'some', name: '' } : { kind: 'tag', name: base };
}

/** A report that was read. */
export interface ReadReport {
  readonly request: ReportRequest;
  readonly span: ReportSpan;
  readonly chosen: readonly DeviceListRow[];
  /** The whole span. `data` ends now if the span still runs. */
  readonly moments: Moments;
  readonly data: ReportData;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly before: { readonly span: ReportSpan; readonly uptimes: ReportData['uptimes'] } | undefined;
}
