import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { sentFault } from '@vantage/kernel';
import { stringify } from 'csv-stringify/sync';
import { XMLBuilder } from 'fast-xml-parser';
import type { Context } from 'koa';
import { z } from 'zod';
import { invalid } from './problem.ts';

/** The forms that `fmt` may ask for. */
export const formats = ['json', 'xml', 'csv'] as const;

export type Format = (typeof formats)[number];

/** The form of the answer that the query asks for. */
export interface Form {
  readonly format: Format;
  /** The file's name to offer it as, as it came. */
  readonly filename: string | undefined;
}

/**
 * Reads `fmt` and `filename`; throws a Problem (1004) for a form that is not among `accepted`. Where `fmt` is absent,
 * the header Accept counts.
 */
export function readForm(query: URLSearchParams, accepted: readonly Format[], accept = ''): Form {
  const asked = query.get('fmt');
  const format = asked === null ? preferredFormat(accept, accepted) : accepted.find((name) => name === asked);
  if (format === undefined)
    throw invalid([
      sentFault(
        'fmt',
        accepted.length === 1 ? `${accepted[0]} here` : `one of ${accepted.join(', ')}`,
        asked,
      ),
    ]);
  return { format, filename: query.get('filename') ?? undefined };
}

/** The media types of the forms (RFC 7303, RFC 4180). */
const mediaTypes: Readonly<Record<Format, readonly string[]>> = {
  json: ['application/json'],
  xml: ['application/xml', 'text/xml'],
  csv: ['text/csv'],
};

/**
 * The form that Accept prefers (RFC 9110, section 12.5.1). JSON where it prefers none of ours, and for browsers: they
 * name XML before anything else only because they can show it.
 */
function preferredFormat(accept: string, accepted: readonly Format[]): Format {
  if (accept === '' || accept === '*/*') return 'json';
  const qualities = headerQualities(accept);
  if (qualities.has('text/html')) return 'json';
  const qualityOf = (format: Format) =>
    Math.max(
      ...mediaTypes[format].map(
        (type) =>
          qualities.get(type) ?? qualities.get(`${type.split('/')[0]}/*`) ?? qualities.get('*/*') ?? 0,
      ),
    );
  const best = Math.max(...accepted.map(qualityOf));
  return best === 0 ? 'json' : (accepted.find((format) => qualityOf(format) === best) ?? 'json');
}

/** The value of a cell. */
type Cell = string | number | boolean | null;

/**
 * Writes RFC 4180: a header row, the row's own id first, nested objects as `Uptime.UpSeconds`, lists joined by `;`. A
 * text that a spreadsheet would run as a formula gets a `'` before it. The columns are those given, whatever the rows
 * hold.
 */
export function toCsv(body: unknown, id: string | undefined, columns: readonly string[]): string {
  const rows: readonly unknown[] = Array.isArray(body) ? body : [body];
  const order = columns.toSorted((a, b) => Number(b === id) - Number(a === id));
  const paths = order.map((name) => name.split('.'));
  return stringify(
    [order.map(defuse), ...rows.map((row) => paths.map((path) => cellText(cellAt(row, path))))],
    // The library quotes what holds its record delimiter; a CR or LF alone is a new row for spreadsheets all the same.
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
}

/**
 * The columns of a list or of one resource by its schema. Of a resource that has several forms, those of all of them.
 */
export function csvColumns(schema: z.ZodType): readonly string[] {
  return [...new Set(columnsOf(schema instanceof z.ZodArray ? schema.element : schema))].map(
    (name) => name || 'Value',
  );
}

/** The names below a value of this schema; `''` for the value itself. */
function columnsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return columnsOf(schema.unwrap());
  if (schema instanceof z.ZodUnion) {
    const all = schema.options.flatMap(columnsOf);
    return all.some((name) => name !== '') ? all.filter((name) => name !== '') : [''];
  }
  if (!(schema instanceof z.ZodObject)) return [''];
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    columnsOf(field).map((inner) => (inner === '' ? name : `${name}.${inner}`)),
  );
}

function cellAt(row: unknown, path: readonly string[]): Cell {
  let value = row;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return name === 'Value' ? scalar(value) : null;
    value = Object.entries(value).find(([own]) => own === name)?.[1];
  }
  if (Array.isArray(value)) return value.map(inList).join(';');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : scalar(value);
}

function scalar(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}

function inList(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'string' ? defuse(cell) : String(cell);
}

/** Spreadsheets run what begins with one of these, also after blanks; the wide forms are folded to them by some. */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]/u;

function defuse(cell: string): string {
  return formula.test(cell) || /^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}

/** The elements' names: of the whole answer and, for a list, of its rows. */
export interface XmlNames {
  readonly root: string;
  readonly row?: string;
}

type XmlNode = { readonly [key: string]: string | XmlNode | readonly XmlNode[] };

const xmlBuilder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  processEntities: true,
  suppressEmptyNode: true,
});

/**
 * Writes XML 1.0. Lists hold one element a row, named in the singular (`Locations` → `Location`); a key that cannot be
 * an element's name becomes `<entry name="…">`. A null is an empty element. Characters that XML 1.0 forbids are
 * removed.
 */
export function toXml(body: unknown, names: XmlNames): string {
  const inner = Array.isArray(body)
    ? { [names.row ?? 'row']: body.map((row) => xmlNode(row)) }
    : xmlNode(body);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${String(xmlBuilder.build({ [names.root]: inner }))}\n`;
}

function xmlNode(value: unknown): string | XmlNode {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return xmlText(value);
  if (typeof value !== 'object') return xmlText(JSON.stringify(value) ?? '');
  const children = Object.entries(value);
  const named = children.filter(([key]) => isElementName(key));
  const others = children.filter(([key]) => !isElementName(key));
  return {
    ...Object.fromEntries(named.map(([key, child]) => [key, xmlElement(key, child)])),
    ...(others.length === 0
      ? {}
      : { entry: others.map(([key, child]) => xmlEntry(key, xmlElement(key, child))) }),
  };
}

function xmlElement(key: string, value: unknown): string | XmlNode {
  if (!Array.isArray(value)) return xmlNode(value);
  return {
    [singular(key)]: value.map((item) => (Array.isArray(item) ? xmlElement('item', item) : xmlNode(item))),
  } as XmlNode;
}

function xmlEntry(name: string, content: string | XmlNode): XmlNode {
  const attribute = { '@name': xmlText(name) };
  return typeof content === 'string' ? { ...attribute, '#text': content } : { ...attribute, ...content };
}

const irregular: readonly (readonly [plural: RegExp, one: string])[] = [
  [/(ss|us|is)$/i, '$1'], // Status
  [/ies$/, 'y'],
  [/(ss|x|ch|sh)es$/, '$1'], // Addresses
  [/s$/, ''],
];

/** The name of one row of a list; `item` where the list's name is no plural. */
function singular(name: string): string {
  const [plural, one] = irregular.find(([ending]) => ending.test(name)) ?? [/$/, ''];
  const row = name.replace(plural, one);
  return name.endsWith('s') && elementName.test(row) ? row : 'item';
}

const elementName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

function isElementName(key: string): boolean {
  return elementName.test(key) && !/^xml/i.test(key) && key !== 'entry';
}

/**
 * Leaves what the production Char of XML 1.0 (section 2.2) allows. A carriage return would be read as a line feed, so
 * it is written as such.
 */
function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\t\n\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
}

/** A form in which an answer is compressed (RFC 9110, section 8.4.1). */
export type Encoding = 'br' | 'gzip';

/** Shorter answers are sent as they are, bytes. */
export const leastCompressedBytes = 1024;

const brotli = promisify(brotliCompress);
const gzipText = promisify(gzip);

/** Compresses a text. */
export function encode(encoding: Encoding, text: string | Buffer): Promise<Buffer> {
  // A middle quality: the default (11) costs a hundred times more for a tenth less.
  return encoding === 'br'
    ? brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : gzipText(text);
}

/** The encoding that the caller prefers (RFC 9110, section 12.5.3); undefined: none of ours. */
export function preferredEncoding(context: Context): Encoding | undefined {
  const qualities = headerQualities(context.get('Accept-Encoding'));
  const qualityOf = (encoding: string, absent: number) =>
    qualities.get(encoding) ?? qualities.get(`x-${encoding}`) ?? qualities.get('*') ?? absent;
  const best = Math.max(qualityOf('br', 0), qualityOf('gzip', 0));
  if (best === 0 || best < (qualities.get('identity') ?? 0)) return undefined;
  return qualityOf('br', 0) === best ? 'br' : 'gzip';
}

/**
 * The names in a header such as Accept or Accept-Encoding, in lower case, each with its quality, 0 to 1 (RFC 9110,
 * section 12.4.2). Other parameters are left out, and a quality that is none counts as 0.
 */
function headerQualities(header: string): ReadonlyMap<string, number> {
  const entries = header.split(',').map((each): [string, number] => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((part) => part.startsWith('q='))?.slice(2);
    const value = quality === undefined ? 1 : Number(quality);
    return [name, value >= 0 && value <= 1 ? value : 0];
  });
  return new Map(entries.filter(([name]) => name !== ''));
}
