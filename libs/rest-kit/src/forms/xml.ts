import { XMLBuilder } from 'fast-xml-parser';

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

const irregular: readonly (readonly [plural: RegExp, singular: string])[] = [
  [/(ss|us|is)$/i, '$1'], // Status
  [/ies$/, 'y'],
  [/(ss|x|ch|sh)es$/, '$1'], // Addresses
  [/s$/, ''],
];

/** The name of one row of a list; `item` where the list's name is no plural. */
function singular(name: string): string {
  const [plural, ending] = irregular.find(([suffix]) => suffix.test(name)) ?? [/$/, ''];
  const row = name.replace(plural, ending);
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
