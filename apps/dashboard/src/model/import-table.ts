/** A table as it was pasted or read from a file: its head, and the cells of each row. */
export interface PastedTable {
  readonly head: readonly string[];
  readonly rows: readonly { readonly text: string; readonly cells: readonly string[] }[];
}

/** The fields of a device, by the names that people give to columns: lower case, letters and digits only. */
const columnNames = {
  URL: ['url', 'address', 'host', 'hostname', 'target', 'ip', 'ipaddress', 'website', 'endpoint'],
  Method: ['method', 'type', 'protocol', 'monitortype'],
  FullName: ['fullname', 'name', 'friendlyname', 'description', 'title', 'monitor', 'device'],
  ShortName: ['shortname', 'short', 'alias'],
  ExternalKey: ['key', 'externalkey', 'id', 'deviceid', 'monitorid'],
  Interval: ['interval', 'frequency', 'every', 'minutes', 'checkinterval'],
  Timeout: ['timeout', 'timeoutseconds'],
  Attempts: ['attempts', 'maxcheckattempts'],
  RetryDelay: ['retrydelay', 'retryinterval'],
  Severity: ['severity', 'priority'],
  Enabled: ['enabled', 'active'],
  Tags: ['tags', 'tag', 'labels', 'group', 'groups'],
  Locations: ['locations', 'location', 'checkedfrom'],
  Master: ['master', 'parent', 'dependson'],
  Options: ['options'],
} as const;

/** The field that a column has. */
export type ImportField = keyof typeof columnNames;

/** The field of a head; undefined: it is not taken over. */
export function fieldOfHead(head: string): ImportField | undefined {
  const name = head.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  const fields = Object.keys(columnNames) as readonly ImportField[];
  return fields.find((field) => columnNames[field].some((known) => known === name));
}

const separators = ['\t', ',', ';'] as const;

/** The cells of a line. A cell in quotes may hold the separator and doubled quotes. */
function cellsOf(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (letter === '"' && (isQuoted || cell.trim() === '')) {
      if (isQuoted && line[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = !isQuoted;
    } else if (letter === separator && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += letter;
  }
  cells.push(cell);
  // A spreadsheet keeps a text that begins like a formula after an apostrophe.
  return cells.map((each) => each.trim().replace(/^'(?='*[=+@-])/, ''));
}

/** Lines of a table. A cell in quotes may have several lines. */
function recordsOf(text: string): readonly string[] {
  const records: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const last = records.at(-1);
    const isOpen = last !== undefined && (last.split('"').length - 1) % 2 === 1;
    if (isOpen) records[records.length - 1] = `${last}\n${line}`;
    else records.push(line);
  }
  return records.filter((line) => line.trim() !== '');
}

/** Reads a table with a head of at least one address column; undefined: the text has no such head. */
export function parseTable(text: string): PastedTable | undefined {
  const [first = '', ...others] = recordsOf(text);
  const candidates = separators.map((separator) => ({ separator, head: cellsOf(first, separator) }));
  const isHead = ({ head }: { readonly head: readonly string[] }) =>
    head.some((name) => fieldOfHead(name) === 'URL');
  const found = candidates.filter(isHead).sort((a, b) => b.head.length - a.head.length)[0];
  if (found === undefined) return undefined;
  return {
    head: found.head,
    rows: others.map((line) => ({ text: line, cells: cellsOf(line, found.separator) })),
  };
}
