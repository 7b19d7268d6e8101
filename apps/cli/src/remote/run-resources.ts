import { fillPath } from '@vantage/client';
import { isId } from '@vantage/kernel';
import { print, printText, render } from '../print-answer.ts';
import { type ApiConnection, connect } from './api-connection.ts';
import { type ApiResource, resourceNamed } from './api-resources.ts';
import { findOne } from './find-one.ts';
import type { ControllerAccess } from './https-fetch.ts';
import { type ApiRow, readRows } from './read-rows.ts';
import { bodyOf, queryOf } from './request-fields.ts';

type OutputForm = 'table' | 'json' | 'jsonl' | 'csv';

/** The resource and output of a command that uses the API. */
export interface ResourceRequest {
  readonly access: ControllerAccess;
  readonly resource: ApiResource;
  readonly form: OutputForm;
}

/** Prints a list. `filters` are `Name=value` of the API; `device` names the device where the list belongs to one. */
export async function runList(
  { access, resource: listResource, form }: ResourceRequest,
  filters: readonly string[],
  device?: string,
): Promise<void> {
  using connection = connect(access);
  const path =
    device === undefined
      ? listResource.path
      : fillPath(listResource.path, { device_id: await idOf(connection, resourceNamed('devices'), device) });
  const resource = { ...listResource, path };
  const query = queryOf(filters);
  if (form === 'csv') {
    await printCsv(connection, path, query);
    return;
  }
  const rows: ApiRow[] = [];
  for await (const row of readRows(connection, resource, query))
    if (form === 'jsonl') printText(JSON.stringify(row));
    else rows.push(row);
  if (form === 'json') print(rows, true);
  if (form === 'table') printText(tableOf(rows, resource));
}

/** Prints all pages of a list as CSV, with a single header. */
async function printCsv(
  connection: ApiConnection,
  path: string,
  filters: Readonly<Record<string, string>>,
): Promise<void> {
  let query: Readonly<Record<string, string>> | undefined = { ...filters, fmt: 'csv' };
  for (let page = 0; query !== undefined; page += 1) {
    const answer = await connection.call({ method: 'GET', path, query });
    const text = await answer.text();
    process.stdout.write(page === 0 ? text : text.slice(text.indexOf('\n') + 1));
    const next = filters['Limit'] === undefined ? nextPageQuery(answer) : undefined;
    query = next && { ...next, fmt: 'csv' };
  }
}

/** The query of the next page, from the header Link. */
function nextPageQuery(answer: Response): Readonly<Record<string, string>> | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/i.exec(answer.headers.get('link') ?? '')?.[1];
  return target === undefined
    ? undefined
    : Object.fromEntries(new URL(target, 'https://controller').searchParams);
}

export async function runGet({ access, resource, form }: ResourceRequest, text: string): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'GET', path }, form);
}

/** `fields` are `Name=value`. */
export async function runCreate(
  { access, resource, form }: ResourceRequest,
  fields: readonly string[],
): Promise<void> {
  using connection = connect(access);
  await callAndPrint(connection, { method: 'POST', path: resource.path, body: bodyOf(fields) }, form);
}

export async function runUpdate(
  { access, resource, form }: ResourceRequest,
  text: string,
  fields: readonly string[],
): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'PUT', path, body: bodyOf(fields) }, form);
}

export async function runDelete({ access, resource, form }: ResourceRequest, text: string): Promise<void> {
  using connection = connect(access);
  const path = await pathOf(connection, resource, text);
  await callAndPrint(connection, { method: 'DELETE', path }, form);
}

async function pathOf(connection: ApiConnection, resource: ApiResource, text: string): Promise<string> {
  const { path, itemPath = `${path}/{id}`, isNamedByDevice = false, names } = resource;
  if (names.length === 0) return fillPath(itemPath, { id: text });
  const namingResource = isNamedByDevice ? resourceNamed('devices') : resource;
  return fillPath(itemPath, { id: await idOf(connection, namingResource, text) });
}

/** The id of the resource that a text names. The API searches devices, because their list may be long. */
export async function idOf(connection: ApiConnection, resource: ApiResource, text: string): Promise<string> {
  const rows: ApiRow[] = [];
  if (!isId(text)) {
    const query = resource.name === 'devices' ? { Search: text } : {};
    for await (const row of readRows(connection, resource, query)) rows.push(row);
    if (resource.name === 'devices')
      for await (const row of readRows(connection, resource, { ExternalKey: text }, 1))
        if (!rows.some((known) => known['device_id'] === row['device_id'])) rows.push(row);
  }
  return findOne(resource, rows, text);
}

async function callAndPrint(
  connection: ApiConnection,
  call: Parameters<ApiConnection['call']>[0],
  form: OutputForm,
): Promise<void> {
  const body: unknown = await (await connection.call(call)).json();
  if (form === 'jsonl') printText(JSON.stringify(body));
  else print(body as object, form === 'json');
}

function tableOf(rows: readonly ApiRow[], { columns }: ApiResource): string {
  const cells = rows.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null])));
  return fit(render(cells, false), process.stdout);
}

/** Cuts lines to the width of a terminal. A file gets complete lines. */
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
