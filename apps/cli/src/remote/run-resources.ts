import { fillPath } from '@vantage/client';
import { isId } from '@vantage/kernel';
import { print, printText, render } from '../output.ts';
import { type Connection, connect } from './connection.ts';
import { bodyOf, queryOf } from './fields.ts';
import { findOne } from './find-one.ts';
import type { ControllerAccess } from './https-fetch.ts';
import { type Resource, resourceNamed } from './resources.ts';
import { type Row, readRows } from './rows.ts';

/** How an answer is printed. */
type Form = 'table' | 'json' | 'jsonl' | 'csv';

/** The context of a command from anywhere. */
export interface Asked {
  readonly access: ControllerAccess;
  readonly resource: Resource;
  readonly form: Form;
}

/** Prints a list, of a `device` where the resource has a list for each; `query` narrows it as the API does. */
export async function runList(
  { access, resource: given, form }: Asked,
  query: readonly string[],
  device?: string,
): Promise<void> {
  using connection = connect(access);
  const path =
    device === undefined
      ? given.path
      : fillPath(given.path, { device_id: await idOf(connection, resourceNamed('devices'), device) });
  const resource = { ...given, path };
  const asked = queryOf(query);
  if (form === 'csv') {
    await printCsv(connection, path, asked);
    return;
  }
  const rows: Row[] = [];
  for await (const row of readRows(connection, resource, asked))
    if (form === 'jsonl') printText(JSON.stringify(row));
    else rows.push(row);
  if (form === 'json') print(rows, true);
  if (form === 'table') printText(tableOf(rows, resource));
}

/** Prints the CSV of all pages of a list, with one header. */
async function printCsv(
  connection: Connection,
  path: string,
  asked: Readonly<Record<string, string>>,
): Promise<void> {
  let query: Readonly<Record<string, string>> | undefined = { ...asked, fmt: 'csv' };
  for (let page = 0; query !== undefined; page += 1) {
    const answer = await connection.call({ method: 'GET', path, query });
    const text = await answer.text();
    process.stdout.write(page === 0 ? text : text.slice(text.indexOf('\n') + 1));
    const next = asked['Limit'] === undefined ? linkedPage(answer) : undefined;
    query = next && { ...next, fmt: 'csv' };
  }
}

/** The query of the next page, which an answer links to. */
function linkedPage(answer: Response): Readonly<Record<string, string>> | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(answer.headers.get('link') ?? '')?.[1];
  return target === undefined
    ? undefined
    : Object.fromEntries(new URL(target, 'https://controller').searchParams);
}

/** Prints one thing. */
export async function runGet({ access, resource, form }: Asked, text: string): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'GET', path }, form);
}

/** Creates a thing from arguments `Name=value`, and prints its id. */
export async function runCreate({ access, resource, form }: Asked, fields: readonly string[]): Promise<void> {
  using connection = connect(access);
  await callAndPrint(connection, { method: 'POST', path: resource.path, body: bodyOf(fields) }, form);
}

/** Changes fields of a thing, and prints it. */
export async function runUpdate(
  { access, resource, form }: Asked,
  text: string,
  fields: readonly string[],
): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'PUT', path, body: bodyOf(fields) }, form);
}

/** Deletes a thing. */
export async function runDelete({ access, resource, form }: Asked, text: string): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'DELETE', path }, form);
}

/** The path of the one that a text names. */
async function pathOf(connection: Connection, resource: Resource, text: string): Promise<string> {
  const { path, one = `${path}/{id}`, isNamedByDevice = false, names } = resource;
  if (names.length === 0) return fillPath(one, { id: text });
  const named = isNamedByDevice ? resourceNamed('devices') : resource;
  return fillPath(one, { id: await idOf(connection, named, text) });
}

/** The id of what a text names; a device is looked for by the API, so that a long list is not read. */
export async function idOf(connection: Connection, resource: Resource, text: string): Promise<string> {
  const rows: Row[] = [];
  if (!isId(text)) {
    const query = resource.name === 'devices' ? { Search: text } : {};
    for await (const row of readRows(connection, resource, query)) rows.push(row);
    if (resource.name === 'devices')
      for await (const row of readRows(connection, resource, { ExternalKey: text }, 1))
        if (!rows.some((each) => each['device_id'] === row['device_id'])) rows.push(row);
  }
  return findOne(resource, rows, text);
}

async function callAndPrint(
  connection: Connection,
  call: Parameters<Connection['call']>[0],
  form: Form,
): Promise<void> {
  const body: unknown = await (await connection.call(call)).json();
  if (form === 'jsonl') printText(JSON.stringify(body));
  else print(body as object, form === 'json');
}

/** The columns that people look for, cut to the width of a terminal. */
function tableOf(rows: readonly Row[], { columns }: Resource): string {
  const shown = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])));
  return fit(render(shown, false), process.stdout);
}

/** Cuts lines to the width of a terminal; a file gets them whole. */
export function fit(
  text: string,
  { isTTY = false, columns = 80 }: { isTTY?: boolean; columns?: number },
): string {
  if (!isTTY) return text;
  return text
    .split('\n')
    .map((line) => (line.length > columns ? `${line.slice(0, Math.max(1, columns - 1))}…` : line))
    .join('\n');
}
