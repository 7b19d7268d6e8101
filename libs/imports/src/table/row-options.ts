import type { Json, Method } from '@vantage/domain';
import { jsonObject } from '../values/unknown-values.ts';
import type { ColumnMeaning } from './column-meanings.ts';
import { type RowCells, wrongCell } from './row-cells.ts';

const methodsWithLogin: readonly Method[] = [
  'HTTP',
  'SMTP',
  'POP3',
  'MySQL',
  'IMAP4',
  'FTP',
  'TELNET',
  'SSH',
  'NNTP',
  'Redis',
  'PostgreSQL',
  'MQTT',
  'WebSocket',
];

/** The Options of a row. An option that the Method does not have is noted in `lost`. */
export function optionsOf(
  cells: RowCells,
  method: Method,
  lost: string[],
): Readonly<Record<string, Json>> | undefined {
  const options: Record<string, Json> = { ...jsonOptions(cells.text('options')) };
  const add = (meaning: ColumnMeaning, name: string, isSupported: boolean, parse: (text: string) => Json) => {
    const text = cells.text(meaning);
    if (text === undefined) return;
    if (isSupported) options[name] = parse(text);
    else lost.push(`Method ${method} has no Options.${name}`);
  };
  add('user', 'User', methodsWithLogin.includes(method), String);
  add('password', 'Password', methodsWithLogin.includes(method), String);
  add('keyword', 'ExpectText', method === 'HTTP', String);
  add('status', 'ExpectStatus', method === 'HTTP', (text) => text.split(/[;,\s]+/));
  add('server', 'Server', method === 'DNS', String);
  add('recordType', 'Type', method === 'DNS', (text) => text.toUpperCase());
  for (const { path, text } of cells.options()) setOption(options, path, optionValue(text));
  return Object.keys(options).length === 0 ? undefined : options;
}

function jsonOptions(text: string | undefined): Record<string, Json> {
  if (text === undefined) return {};
  try {
    const value = jsonObject(JSON.parse(text));
    if (value !== undefined) return value;
  } catch {
    // rejected below
  }
  throw wrongCell('Options', 'a JSON object such as {"Count": 3}', text);
}

/** A cell that is JSON by its first character has that value; others are text. */
function optionValue(text: string): Json {
  if (!/^(true|false|-?\d+(\.\d+)?|[[{"].*)$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function setOption(
  options: Record<string, Json>,
  [head = '', ...rest]: readonly string[],
  value: Json,
): void {
  if (rest.length === 0) {
    options[head] = value;
    return;
  }
  const next = jsonObject(options[head]) ?? {};
  setOption(next, rest, value);
  options[head] = next;
}
