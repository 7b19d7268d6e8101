import { methodOfWord } from '../guess-method.ts';
import { unreadable } from '../input.ts';
import type { Row } from './parse-table.ts';

/** The meaning of a column. */
export type ColumnMeaning =
  | 'address'
  | 'port'
  | 'method'
  | 'name'
  | 'shortName'
  | 'key'
  | 'frequency'
  | 'interval'
  | 'timeout'
  | 'retries'
  | 'attempts'
  | 'retryDelay'
  | 'tags'
  | 'group'
  | 'master'
  | 'enabled'
  | 'paused'
  | 'severity'
  | 'locations'
  | 'user'
  | 'password'
  | 'keyword'
  | 'status'
  | 'server'
  | 'recordType'
  | 'options';

/** Headers as people write them, in lower case without blanks and signs. */
const headers: Readonly<Record<ColumnMeaning, readonly string[]>> = {
  address: [
    'url',
    'address',
    'host',
    'hostname',
    'target',
    'ip',
    'ipaddress',
    'website',
    'endpoint',
    'adresse',
    'fqdn',
    'uri',
    'link',
  ],
  port: ['port', 'tcpport'],
  method: [
    'method',
    'type',
    'protocol',
    'check',
    'checktype',
    'monitortype',
    'protokoll',
    'typ',
    'kind',
    'service',
  ],
  name: [
    'fullname',
    'name',
    'friendlyname',
    'description',
    'title',
    'label',
    'device',
    'monitor',
    'bezeichnung',
    'displayname',
  ],
  shortName: ['shortname', 'short', 'alias', 'code', 'abbreviation'],
  key: ['key', 'externalkey', 'id', 'uuid', 'deviceid', 'monitorid', 'assettag', 'inventory'],
  frequency: [
    'frequency',
    'minutes',
    'everyminutes',
    'intervalminutes',
    'intervalmin',
    'frequencyminutes',
    'frequencymin',
  ],
  interval: ['interval', 'checkinterval', 'every', 'intervall', 'period'],
  timeout: ['timeout', 'timeouts', 'timeoutseconds'],
  retries: ['retries', 'retry', 'maxretries'],
  attempts: ['attempts', 'maxcheckattempts', 'failuresuntildown'],
  retryDelay: ['retrydelay', 'retryinterval'],
  tags: ['tags', 'tag', 'labels', 'categories'],
  group: ['group', 'groups', 'folder', 'site', 'location', 'standort', 'category', 'gruppe'],
  master: ['master', 'parent', 'parents', 'dependson', 'devicemasterid', 'gateway', 'upstream'],
  enabled: ['enabled', 'active', 'aktiv', 'monitored'],
  paused: ['paused', 'disabled', 'inactive'],
  severity: ['severity', 'priority'],
  locations: ['locations', 'checkedfrom', 'agents'],
  user: ['user', 'username', 'login', 'httpusername'],
  password: ['password', 'pass', 'passwort', 'httppassword'],
  keyword: ['keyword', 'expecttext', 'expectedtext', 'keywordvalue', 'contains'],
  status: [
    'expectstatus',
    'expectedstatus',
    'statuscode',
    'statuscodes',
    'expectedstatuscode',
    'expectedcode',
  ],
  server: ['dnsserver', 'nameserver', 'resolver'],
  recordType: ['recordtype', 'dnstype', 'rrtype'],
  options: ['options'],
};

/** A column of the table and what it is read as. */
export interface Column {
  readonly header: string;
  readonly at: number;
  /** Undefined: it is not read. `option`: one of the Method's Options, by `option`. */
  readonly meaning: ColumnMeaning | 'option' | undefined;
  readonly option?: string;
  /** Seconds of one unit where the header names a unit: `Interval (min)`. */
  readonly unitSeconds?: number;
}

/** The columns and the rows below them. */
export interface Columns {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The table has no header; meanings come from what its cells look like. */
  readonly guessed: boolean;
}

/** Finds what each column means: by its header, or by its cells where the first row is data already. */
export function findColumns(rows: readonly Row[], file: string): Columns {
  const [first, ...rest] = rows;
  if (first === undefined) throw unreadable(`${file} has no rows; accepted is a table with a row of headers`);
  const named = headerColumns(first.cells);
  if (named.some(({ meaning }) => meaning === 'address'))
    return { columns: named, rows: rest, guessed: false };
  const guessed = named.every(({ meaning }) => meaning === undefined) ? guessColumns(rows) : undefined;
  if (guessed !== undefined) return { columns: guessed, rows, guessed: true };
  throw unreadable(
    `${file}:${first.line} has no column for what is checked: its headers are ${first.cells
      .slice(0, 20)
      .map((cell) => JSON.stringify(cell.trim()))
      .join(', ')}; accepted is one of URL, Address, Host, Hostname, Target, IP`,
  );
}

/** The first header of a meaning counts; a later one stays unread and is shown so. */
function headerColumns(cells: readonly string[]): Column[] {
  const taken = new Set<string>();
  const exact = new Set(cells.map((cell) => plain(cell)));
  return cells.map((cell, at) => {
    const header = cell.trim();
    const option = /^options[.\s]+([A-Za-z][A-Za-z0-9.-]*)$/i.exec(header)?.[1];
    if (option !== undefined) return { header, at, meaning: 'option', option };
    const unit = /[([]\s*(?:in\s+)?(s|secs?|seconds?|m|mins?|minutes?|h|hours?|ms)\s*[)\]]\s*$/i.exec(
      header,
    )?.[1];
    const base = plain(header.replace(/[([][^)\]]*[)\]]\s*$/, ''));
    const meaning = meaningOf(base, exact);
    if (meaning === undefined || taken.has(meaning)) return { header, at, meaning: undefined };
    taken.add(meaning);
    return { header, at, meaning, ...(unit !== undefined && { unitSeconds: secondsOfUnit(unit) }) };
  });
}

function meaningOf(base: string, present: ReadonlySet<string>): ColumnMeaning | undefined {
  // Beside FullName or Name, a description is not the name.
  if (base === 'description' && ['fullname', 'name', 'friendlyname'].some((name) => present.has(name)))
    return undefined;
  if (base === 'name' && present.has('fullname')) return undefined;
  if (base === 'host' && ['url', 'address', 'ip', 'ipaddress', 'target'].some((name) => present.has(name)))
    return ['name', 'fullname', 'friendlyname', 'description'].some((name) => present.has(name))
      ? undefined
      : 'name';
  for (const [meaning, names] of Object.entries(headers))
    if (names.includes(base)) return isMeaning(meaning) ? meaning : undefined;
  return undefined;
}

function isMeaning(text: string): text is ColumnMeaning {
  return Object.hasOwn(headers, text);
}

function plain(header: string): string {
  return header
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]/g, '');
}

function secondsOfUnit(unit: string): number {
  const [letter = 's'] = unit.toLowerCase();
  if (unit.toLowerCase() === 'ms') return 0.001;
  return letter === 's' ? 1 : letter === 'm' ? 60 : 3600;
}

const looksLikeAddress =
  /^(?:[a-z][a-z0-9+.-]*:\/\/\S+|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|[0-9a-f]*:[0-9a-f:.]+|(?:[a-z0-9_-]+\.)+[a-z]{2,}(?::\d+)?(?:\/\S*)?)$/i;

/**
 * Columns of a table without headers: most cells of the address column look like addresses. Undefined where none does.
 */
function guessColumns(rows: readonly Row[]): Column[] | undefined {
  const width = Math.max(...rows.map(({ cells }) => cells.length));
  const share = (at: number, test: (cell: string) => boolean) =>
    rows.filter(({ cells }) => test(cells[at]?.trim() ?? '')).length / rows.length;
  const places = Array.from({ length: width }, (_, at) => at);
  const best = (test: (cell: string) => boolean, among: readonly number[]) =>
    among
      .map((at) => ({ at, share: share(at, test) }))
      .reduce((a, b) => (b.share > a.share ? b : a), { at: -1, share: 0 });
  const address = best((cell) => looksLikeAddress.test(cell), places);
  if (address.share < 0.5) return undefined;
  const others = places.filter((at) => at !== address.at);
  const method = best((cell) => methodOfWord(cell) !== undefined, others);
  const methodAt = method.share >= 0.8 ? method.at : -1;
  const name = best(
    (cell) => /\p{L}/u.test(cell) && !looksLikeAddress.test(cell),
    others.filter((at) => at !== methodAt),
  );
  return places.map((at) => {
    const header = `column ${at + 1}`;
    if (at === address.at) return { header, at, meaning: 'address' };
    if (at === methodAt) return { header, at, meaning: 'method' };
    return { header, at, meaning: at === name.at && name.share >= 0.5 ? 'name' : undefined };
  });
}
