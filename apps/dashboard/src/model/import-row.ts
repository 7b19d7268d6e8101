import { methods } from '@vantage/domain/method';
import { guessMethod } from './guess-method.ts';
import { fieldOfHead, type ImportField } from './import-table.ts';

/** A device that a row describes, as `POST /devices` takes it, with remarks about what was changed or left out. */
export interface ImportedRow {
  readonly body: Readonly<Record<string, unknown>> & {
    readonly Method: string;
    readonly URL: string;
    readonly FullName: string;
    readonly Tags: readonly string[];
  };
  readonly notes: readonly string[];
  /** Fields that were derived from the address. A device that exists keeps its own. */
  readonly guessed: readonly string[];
}

const minutes = [1, 2, 5, 10, 20, 30, 60];
const seconds = [5, 10, 15, 20, 30];
const perMinute = 60;

const nearest = (value: number, allowed: readonly number[]): number =>
  allowed.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));

/** `30s`, `5m`, `1h`; a number without a unit is minutes up to 60, and seconds above. */
function secondsOf(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(s|sec|m|min|h)?/i.exec(text.trim()) ?? [];
  if (digits === '') return undefined;
  const number = Number(digits);
  const kind = unit.toLowerCase()[0] ?? (number <= perMinute ? 'm' : 's');
  return kind === 'h' ? number * 3_600 : kind === 'm' ? number * perMinute : number;
}

function intervalOf(text: string, notes: string[]): object {
  const wanted = secondsOf(text);
  if (wanted === undefined) {
    notes.push(`Interval “${text}” is not a time; every 5 min is taken`);
    return {};
  }
  const isShort = wanted < perMinute;
  const value = isShort ? nearest(wanted, seconds) : nearest(wanted / perMinute, minutes);
  if (value !== (isShort ? wanted : wanted / perMinute))
    notes.push(`Interval “${text}” became ${value} ${isShort ? 's' : 'min'}`);
  return isShort ? { FrequencySeconds: value } : { Frequency: value };
}

const listOf = (text: string) => [
  ...new Set(
    text
      .split(/[;,|]/)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

const numberLimits = { Timeout: [1, 120], Attempts: [1, 11], RetryDelay: [1, 300] } as const;

function numberOf(field: keyof typeof numberLimits, text: string, notes: string[]): object {
  const [least, most] = numberLimits[field];
  const value = Math.round(Number.parseFloat(text));
  if (Number.isNaN(value)) {
    notes.push(`${field} “${text}” is not a number; the default is taken`);
    return {};
  }
  const within = Math.min(most, Math.max(least, value));
  if (within !== value) notes.push(`${field} ${value} became ${within}`);
  return { [field]: within };
}

const truths: Readonly<Record<string, boolean>> = {
  yes: true,
  true: true,
  '1': true,
  no: false,
  false: false,
  '0': false,
};

function optionsOf(text: string, notes: string[]): object {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { Options: value };
  } catch {
    // noted below
  }
  notes.push('Options are not a JSON object, and are left out');
  return {};
}

/** The device of a row, or the reason why there is none. `keys` are those of the whole table. */
export function deviceOfRow(
  head: readonly string[],
  cells: readonly string[],
  keys: ReadonlySet<string>,
): ImportedRow | string {
  const cell = (field: ImportField) =>
    cells[head.findIndex((name) => fieldOfHead(name) === field)]?.trim() ?? '';
  const guess = guessMethod(cell('URL'));
  if (guess === undefined) return 'has no address';
  const word = cell('Method').toLowerCase();
  const method = word === '' ? guess.method : methods.find((each) => each.toLowerCase() === word);
  if (method === undefined) return `“${cell('Method')}” is not a Method`;
  const notes: string[] = [];
  const severity = cell('Severity').toLowerCase();
  const isSeverity = ['critical', 'warning', 'info'].includes(severity);
  if (severity !== '' && !isSeverity) notes.push(`Severity “${severity}” is not known; critical is taken`);
  const enabled = cell('Enabled').toLowerCase();
  if (enabled !== '' && truths[enabled] === undefined) notes.push(`Enabled “${enabled}” is not yes or no`);
  const master = cell('Master');
  if (master !== '' && !keys.has(master)) notes.push(`its master ${master} has no row with this key`);
  const numbers = (Object.keys(numberLimits) as readonly (keyof typeof numberLimits)[])
    .filter((field) => cell(field) !== '')
    .map((field) => numberOf(field, cell(field), notes));
  const body = {
    Method: method,
    // A Method that was named keeps the address as it was written.
    URL: method === guess.method ? guess.url : cell('URL'),
    ShortName: cell('ShortName') || guess.shortName,
    FullName: cell('FullName') || cell('ShortName') || guess.fullName,
    Tags: listOf(cell('Tags')),
    ...(cell('ExternalKey') === '' ? {} : { ExternalKey: cell('ExternalKey') }),
    ...(cell('Interval') === '' ? {} : intervalOf(cell('Interval'), notes)),
    ...Object.assign({}, ...numbers),
    ...(isSeverity ? { Severity: severity } : {}),
    ...(truths[enabled] === undefined ? {} : { Enabled: truths[enabled] }),
    ...(cell('Locations') === '' ? {} : { Locations: listOf(cell('Locations')) }),
    ...(keys.has(master) ? { device_master_id: `key:${master}` } : {}),
    ...(cell('Options') === '' ? {} : optionsOf(cell('Options'), notes)),
  };
  const guessed = [
    ...(cell('ShortName') === '' ? ['ShortName'] : []),
    ...(cell('FullName') === '' ? ['FullName'] : []),
    ...(cell('Tags') === '' ? ['Tags'] : []),
  ];
  return { body, notes, guessed };
}
