import type { Json, Method } from '@vantage/domain';
import { collector, type FoundCheck, type Reading } from '../found.ts';
import { guessMethod, methodOfWord, urlFor } from '../guess-method.ts';
import { jsonObject, spanSeconds, truthOf } from '../values.ts';
import { type Column, type ColumnMeaning, type Columns, findColumns } from './columns.ts';
import { parseTable, type Row } from './parse-table.ts';

/** Reads a table: CSV, TSV, or cells pasted from a spreadsheet. Each row is a check or is refused with its line. */
export function readTable(text: string, file: string): Reading {
  const table = parseTable(text, file);
  const found = findColumns(table.rows, file);
  const minutes = bareIntervals(found);
  const into = collector();
  const guessed = new Map<Method, number>();
  for (const row of found.rows) {
    const read = readRow(row, found, minutes);
    if (typeof read === 'string')
      into.refused.push({ at: `line ${row.line}`, name: nameIn(row, found), text: read });
    else {
      if (read.guessed) guessed.set(read.check.method, (guessed.get(read.check.method) ?? 0) + 1);
      into.checks.push(read.check);
    }
  }
  return {
    ...into,
    things: 'rows',
    shown: [
      `separated by ${showSeparator(table.separator)}, ${found.guessed ? 'without headers: columns guessed by what is in them' : 'with headers'}`,
      ...found.columns.map((column) => showColumn(column, found, minutes)),
      ...[...guessed].map(
        ([method, count]) => `Method ${method} guessed by scheme, port or path: ${count} rows`,
      ),
    ],
  };
}

const separatorNames: Readonly<Record<string, string>> = {
  '\t': 'tabs',
  ',': 'commas',
  ';': 'semicolons',
  '|': 'bars',
};

/** A separator in words. */
function showSeparator(separator: string): string {
  return separatorNames[separator] ?? separator;
}

const wordsFor: Readonly<Record<ColumnMeaning, string>> = {
  address: 'URL',
  port: 'port of the URL',
  method: 'Method',
  name: 'FullName',
  shortName: 'ShortName',
  key: 'Key',
  frequency: 'Frequency',
  interval: 'Frequency',
  timeout: 'Timeout',
  retries: 'Attempts (one more)',
  attempts: 'Attempts (failing checks until Down)',
  retryDelay: 'RetryDelay',
  tags: 'Tags',
  group: 'Tags (one path)',
  master: 'device_master_id',
  enabled: 'Enabled',
  paused: 'Enabled (turned round)',
  severity: 'Severity',
  locations: 'Locations',
  user: 'Options.User',
  password: 'Options.Password',
  keyword: 'Options.ExpectText',
  status: 'Options.ExpectStatus',
  server: 'Options.Server',
  recordType: 'Options.Type',
  options: 'Options (JSON)',
};

/** How a column is read, for the report; `minutes` says how bare intervals count. */
function showColumn(
  { header, meaning, option, at, unitSeconds }: Column,
  { rows }: Columns,
  minutes: boolean,
): string {
  const name = JSON.stringify(header);
  if (meaning === 'option') return `${name} is Options.${option}`;
  if (meaning === undefined)
    return rows.some(({ cells }) => (cells[at] ?? '').trim() !== '')
      ? `${name} is not read`
      : `${name} is not read (and empty)`;
  const unit =
    meaning === 'interval' && unitSeconds === undefined
      ? `, numbers without a unit in ${minutes ? 'minutes' : 'seconds'}`
      : '';
  return `${name} is ${wordsFor[meaning]}${unit}`;
}

/** Whether intervals without a unit are minutes: they are where none is over 60. */
function bareIntervals({ columns, rows }: Columns): boolean {
  const column = columns.find(({ meaning }) => meaning === 'interval');
  if (column === undefined) return false;
  return rows.every(
    ({ cells }) => !/^\d+(\.\d+)?$/.test((cells[column.at] ?? '').trim()) || Number(cells[column.at]) <= 60,
  );
}

function nameIn(row: Row, { columns }: Columns): string {
  const cell = (wanted: ColumnMeaning) => {
    const column = columns.find(({ meaning }) => meaning === wanted);
    return column === undefined ? '' : (row.cells[column.at] ?? '').trim();
  };
  return cell('name') || cell('shortName') || cell('address');
}

/** Reads cells by meaning, and throws the reason for which the row is refused. */
class RowRefusal extends Error {}

function readRow(
  row: Row,
  { columns }: Columns,
  minutes: boolean,
): { readonly check: FoundCheck; readonly guessed: boolean } | string {
  const beyond = row.cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (beyond) return `has ${row.cells.length} cells, but there are ${columns.length} columns`;
  const columnOf = (wanted: ColumnMeaning) => columns.find(({ meaning }) => meaning === wanted);
  const cell = (wanted: ColumnMeaning): string | undefined => {
    const column = columnOf(wanted);
    const text = column === undefined ? '' : (row.cells[column.at] ?? '').trim();
    return text === '' ? undefined : text;
  };
  try {
    return readCells(row, columns, { cell, columnOf, minutes });
  } catch (error) {
    if (error instanceof RowRefusal) return error.message;
    throw error;
  }
}

interface Cells {
  readonly cell: (wanted: ColumnMeaning) => string | undefined;
  readonly columnOf: (wanted: ColumnMeaning) => Column | undefined;
  readonly minutes: boolean;
}

function readCells(
  row: Row,
  columns: readonly Column[],
  cells: Cells,
): { check: FoundCheck; guessed: boolean } {
  const { cell } = cells;
  const address = cell('address');
  if (address === undefined) throw new RowRefusal('has no URL, host or address');
  const port = wholeNumber(cells, 'port', 1, 65_535);
  const word = cell('method');
  const method = word === undefined ? guessMethod(address, port) : methodOfWord(word);
  if (method === undefined)
    throw new RowRefusal(
      `${JSON.stringify(word)} is no Method; accepted are HTTP, PING, SMTP, POP3, MySQL, IMAP4, FTP, TELNET, SSH, NNTP, TCP, DNS, Script`,
    );
  const url = urlFor(method, address, port);
  const lost: string[] = [];
  if (method === 'HTTP' && !/^https?:/i.test(address))
    lost.push(`its scheme is missing: ${url.slice(0, url.indexOf(':'))} was assumed`);
  const severity = severityOf(cell('severity'));
  const group = cell('group');
  const tags = [...(cell('tags')?.split(/[;,|]/) ?? []), ...(group === undefined ? [] : [group])]
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const retries = wholeNumber(cells, 'retries', 0, 1000);
  const attempts =
    wholeNumber(cells, 'attempts', 1, 1000) ?? (retries === undefined ? undefined : retries + 1);
  const check: FoundCheck = {
    at: `line ${row.line}`,
    name: cell('name') ?? cell('shortName') ?? address,
    id: cell('key') ?? cell('name') ?? cell('shortName'),
    method,
    url,
    options: optionsOf(row, columns, cells, method, lost),
    shortName: cell('shortName'),
    intervalSeconds: span(cells, 'frequency', 60) ?? span(cells, 'interval', cells.minutes ? 60 : 1),
    timeoutSeconds: span(cells, 'timeout', 1),
    attempts,
    retryDelaySeconds: span(cells, 'retryDelay', 1),
    tags: tags.length === 0 ? undefined : tags,
    master: cell('master'),
    locations: cell('locations')
      ?.split(/[;,|]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    severity,
    enabled: truth(cells, 'enabled') ?? invert(truth(cells, 'paused')),
    lost,
  };
  return { check, guessed: word === undefined };
}

function invert(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function wholeNumber(
  { cell, columnOf }: Cells,
  wanted: ColumnMeaning,
  least: number,
  most: number,
): number | undefined {
  const text = cell(wanted);
  if (text === undefined) return undefined;
  const number = /^\d{1,9}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new RowRefusal(
    `${columnOf(wanted)?.header} must be a whole number from ${least} to ${most}, but ${JSON.stringify(text.slice(0, 40))} stands there`,
  );
}

function span({ cell, columnOf }: Cells, wanted: ColumnMeaning, bareSeconds: number): number | undefined {
  const text = cell(wanted);
  if (text === undefined) return undefined;
  const column = columnOf(wanted);
  const seconds = spanSeconds(text, column?.unitSeconds ?? bareSeconds);
  if (seconds !== undefined && seconds > 0 && seconds <= 31_536_000) return seconds;
  throw new RowRefusal(
    `${column?.header} must be a span such as 60, 30s or 5m, but ${JSON.stringify(text.slice(0, 40))} stands there`,
  );
}

function truth({ cell, columnOf }: Cells, wanted: ColumnMeaning): boolean | undefined {
  const text = cell(wanted);
  const value = truthOf(text);
  if (text === undefined || value !== undefined) return value;
  throw new RowRefusal(
    `${columnOf(wanted)?.header} must be yes or no, but ${JSON.stringify(text.slice(0, 40))} stands there`,
  );
}

function severityOf(text: string | undefined): FoundCheck['severity'] {
  if (text === undefined) return undefined;
  const plain = text.toLowerCase();
  if (plain === 'info' || plain === 'warning' || plain === 'critical') return plain;
  throw new RowRefusal(
    `Severity must be info, warning or critical, but ${JSON.stringify(text.slice(0, 40))} stands there`,
  );
}

const withLogin: readonly Method[] = [
  'HTTP',
  'SMTP',
  'POP3',
  'MySQL',
  'IMAP4',
  'FTP',
  'TELNET',
  'SSH',
  'NNTP',
];

function optionsOf(
  row: Row,
  columns: readonly Column[],
  { cell }: Cells,
  method: Method,
  lost: string[],
): Readonly<Record<string, Json>> | undefined {
  const options: Record<string, Json> = { ...jsonOptions(cell('options')) };
  const place = (meaning: ColumnMeaning, name: string, fits: boolean, value: (text: string) => Json) => {
    const text = cell(meaning);
    if (text === undefined) return;
    if (fits) options[name] = value(text);
    else lost.push(`Method ${method} has no Options.${name}`);
  };
  place('user', 'User', withLogin.includes(method), String);
  place('password', 'Password', withLogin.includes(method), String);
  place('keyword', 'ExpectText', method === 'HTTP', String);
  place('status', 'ExpectStatus', method === 'HTTP', (text) => text.split(/[;,\s]+/));
  place('server', 'Server', method === 'DNS', String);
  place('recordType', 'Type', method === 'DNS', (text) => text.toUpperCase());
  for (const { meaning, option, at } of columns) {
    const text = (row.cells[at] ?? '').trim();
    if (meaning === 'option' && option !== undefined && text !== '')
      setLeaf(options, option.split('.'), cellValue(text));
  }
  return Object.keys(options).length === 0 ? undefined : options;
}

function jsonOptions(text: string | undefined): Record<string, Json> {
  if (text === undefined) return {};
  try {
    const value = jsonObject(JSON.parse(text));
    if (value !== undefined) return value;
  } catch {
    // refused below
  }
  throw new RowRefusal(
    `Options must be a JSON object such as {"Count": 3}, but ${JSON.stringify(text.slice(0, 40))} stands there`,
  );
}

function cellValue(text: string): Json {
  if (!/^(true|false|-?\d+(\.\d+)?|[[{"].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function setLeaf(options: Record<string, Json>, [head = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    options[head] = value;
    return;
  }
  const next = jsonObject(options[head]) ?? {};
  setLeaf(next, rest, value);
  options[head] = next;
}
