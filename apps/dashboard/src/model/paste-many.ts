import { guessMethod } from './guess-method.ts';
import { deviceOfRow, type ImportedRow } from './import-row.ts';
import { fieldOfHead, type PastedTable, parseTable } from './import-table.ts';

/** A device to add, from one pasted line, row or entry of a file. */
export interface PastedLine extends ImportedRow {
  /** The line as it was pasted. */
  readonly text: string;
}

/** The devices to add, and what is not taken over. */
export interface Pasted {
  readonly lines: readonly PastedLine[];
  /** The number of lines that repeat an earlier device. */
  readonly repeated: number;
  /** The number of lines after the maximum. */
  readonly unread: number;
  /** Columns that no field of a device has. */
  readonly ignored: readonly string[];
  /** Rows without a device, with the reason. */
  readonly refused: readonly { readonly text: string; readonly reason: string }[];
  /** A text with these lines only, which is read in the same way. */
  readonly textOf: (texts: readonly string[]) => string;
}

/** The maximum number of pasted lines: a person looks through them. */
export const maxLines = 1_000;
/** The maximum number of devices of a file. The API reads as many items of another tool's files. */
const maxEntries = 2_000;

/**
 * Parses a table with a head (from a spreadsheet or a CSV file), the devices of an apply file in JSON, or lines of
 * `address` and `address; name; tag, tag`, where a tab separates like a semicolon. Empty lines and lines that begin
 * with `#` are left out.
 */
export function parsePasted(text: string): Pasted {
  const entries = entriesOfFile(text);
  if (entries !== undefined) return readEntries(entries);
  const table = parseTable(text);
  return table === undefined ? readLines(text) : readTable(table, text);
}

interface Source {
  readonly text: string;
  readonly device: ImportedRow | string;
}

function collect(
  sources: readonly Source[],
  ignored: readonly string[],
  textOf: Pasted['textOf'],
  most: number = maxLines,
): Pasted {
  const lines: PastedLine[] = [];
  const refused: { text: string; reason: string }[] = [];
  const seen = new Set<string>();
  let repeated = 0;
  for (const { text, device } of sources.slice(0, most)) {
    if (typeof device === 'string') {
      refused.push({ text, reason: device });
      continue;
    }
    const { ExternalKey, Method, URL } = device.body;
    const key = typeof ExternalKey === 'string' ? `key ${ExternalKey}` : `${Method} ${URL}`;
    if (seen.has(key)) repeated += 1;
    else lines.push({ ...device, text });
    seen.add(key);
  }
  const unread = Math.max(0, sources.length - most);
  return { lines: mastersFirst(lines), repeated, unread, ignored, refused, textOf };
}

/** A device can only be behind one that exists. Rows in a circle stay where they are; the API refuses them. */
function mastersFirst(lines: readonly PastedLine[]): readonly PastedLine[] {
  const byKey = new Map(lines.map((line) => [`key:${String(line.body['ExternalKey'])}`, line]));
  const ordered = new Set<PastedLine>();
  const add = (line: PastedLine, behind: ReadonlySet<PastedLine>) => {
    const master = byKey.get(String(line.body['device_master_id']));
    if (master !== undefined && !behind.has(master)) add(master, new Set([...behind, line]));
    ordered.add(line);
  };
  for (const line of lines) add(line, new Set());
  return [...ordered];
}

function readLines(text: string): Pasted {
  const sources = text.split(/\r?\n/).flatMap((line): readonly Source[] => {
    const [address = '', name = '', tags = ''] = line.split(/[;\t]/).map((part) => part.trim());
    const guess = address.startsWith('#') ? undefined : guessMethod(address);
    if (guess === undefined) return [];
    const names = tags.split(',').map((tag) => tag.trim());
    const body = {
      Method: guess.method,
      URL: guess.url,
      ShortName: guess.shortName,
      FullName: name === '' ? guess.fullName : name,
      Tags: [...new Set(names.filter((tag) => tag !== ''))],
    };
    return [{ text: line, device: { body, notes: [], guessed: [] } }];
  });
  return collect(sources, [], (texts) => texts.join('\n'));
}

function readTable({ head, rows }: PastedTable, text: string): Pasted {
  const keyAt = head.findIndex((name) => fieldOfHead(name) === 'ExternalKey');
  const keys = new Set(rows.flatMap(({ cells }) => (keyAt < 0 ? [] : (cells[keyAt] ?? []))));
  keys.delete('');
  const ignored = head.filter((name) => name !== '' && fieldOfHead(name) === undefined);
  const [first = ''] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split(/\r?\n/, 1);
  return collect(
    rows.map((row) => ({ text: row.text, device: deviceOfRow(head, row.cells, keys) })),
    ignored,
    (texts) => (texts.length === 0 ? '' : [first, ...texts].join('\n')),
  );
}

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (value: unknown): value is Entry =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The devices of an apply file in JSON; undefined: the text is none. */
function entriesOfFile(text: string): readonly Entry[] | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const devices = isEntry(value) ? value['devices'] : undefined;
    return Array.isArray(devices) ? devices.filter(isEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of an apply file that the API takes as they are. */
const sameFields = [
  'Method',
  'URL',
  'ShortName',
  'FullName',
  'Frequency',
  'FrequencySeconds',
  'Timeout',
  'Attempts',
  'RetryDelay',
  'Severity',
  'Enabled',
  'Locations',
  'Tags',
  'Options',
];

const isText = (value: unknown): value is string => typeof value === 'string';

function readEntries(entries: readonly Entry[]): Pasted {
  const keys = new Set(entries.map(({ Key }) => Key));
  const deviceOf = ({ Key, device_master_id: master, ...fields }: Entry): ImportedRow | string => {
    const { Method, URL, Tags, FullName, ShortName } = fields;
    if (typeof Method !== 'string' || typeof URL !== 'string') return 'has no Method or no URL';
    const others = Object.keys(fields).filter((name) => !sameFields.includes(name));
    const isMasterHere = isText(master) && keys.has(master);
    const notes = [
      ...(others.length === 0 ? [] : [`not taken over: ${others.join(', ')}`]),
      ...(master === undefined || isMasterHere ? [] : ['its master is not in the file']),
    ];
    const body = {
      ...Object.fromEntries(Object.entries(fields).filter(([name]) => sameFields.includes(name))),
      Method,
      URL,
      FullName: [FullName, ShortName].find(isText) ?? URL,
      Tags: Array.isArray(Tags) ? Tags.map(String) : [],
      ...(typeof Key === 'string' ? { ExternalKey: Key } : {}),
      ...(isMasterHere ? { device_master_id: `key:${master}` } : {}),
    };
    const guessed = [
      ...(FullName === undefined ? ['FullName'] : []),
      ...(Tags === undefined ? ['Tags'] : []),
    ];
    return { body, notes, guessed };
  };
  return collect(
    entries.map((entry) => ({ text: JSON.stringify(entry), device: deviceOf(entry) })),
    [],
    (texts) => (texts.length === 0 ? '' : fileText(texts)),
    maxEntries,
  );
}

const fileText = (entries: readonly string[]) => `{"devices": [\n${entries.join(',\n')}\n]}`;

/** An apply file in JSON with a device on each line, as a person reads it; the text itself, if it is none. */
export function lineByLine(text: string): string {
  const entries = entriesOfFile(text);
  return entries === undefined ? text : fileText(entries.map((entry) => JSON.stringify(entry)));
}
