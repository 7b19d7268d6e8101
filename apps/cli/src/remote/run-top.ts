import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@vantage/kernel';
import { onEndRequest } from '../end-request.ts';
import { render } from '../print-answer.ts';
import { type ApiConnection, connect } from './api-connection.ts';
import type { ControllerAccess } from './https-fetch.ts';
import type { ApiRow } from './read-rows.ts';
import { fit } from './run-resources.ts';

const refreshMs = 2_000;
const maxLimit = 100;
const clear = '\u001b[H\u001b[J';
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

/** Prints the counts and the devices that are Down or Unknown. On a terminal the text is refreshed every 2 s. */
export async function runTop(access: ControllerAccess, limit: number): Promise<void> {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new Fault('stop', 'settings', `--limit is not accepted; accepted are 1 to ${maxLimit}`);
  using connection = connect(access);
  const isLive = process.stdout.isTTY;
  const ending = new AbortController();
  const end = () => ending.abort();
  using _request = onEndRequest(end, end);
  do {
    const text = fit(await read(connection, limit), process.stdout);
    const isColoured = isLive && !process.env['NO_COLOR'];
    const coloured = isColoured ? text.replaceAll(/^Down.*$/gm, red) : text;
    process.stdout.write(`${isLive ? clear : ''}${coloured}\n`);
    if (isLive) await delay(refreshMs, undefined, { signal: ending.signal }).catch(() => {});
  } while (isLive && !ending.signal.aborted);
}

async function read(connection: ApiConnection, limit: number): Promise<string> {
  const get = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    (await connection.call({ method: 'GET', path, query })).json();
  const summary = (await get('/summary')) as { readonly Devices: Readonly<Record<string, number>> };
  const rows: ApiRow[] = [];
  for (const Filter of ['Down', 'Unknown']) {
    if (rows.length >= limit) break;
    const query = { Filter, Sort: '-StatusSince', Limit: String(limit - rows.length) };
    rows.push(...((await get('/devices', query)) as readonly ApiRow[]));
  }
  const counts = Object.entries(summary.Devices).map(([name, count]) => `${name} ${count}`);
  const lines = rows.map(({ Status, ShortName, FullName, StatusSince, LastCheckResult }) => ({
    Status,
    Device: FullName ?? ShortName,
    Since: StatusSince,
    Result: LastCheckResult,
  }));
  return `${counts.join('   ')}\n\n${lines.length === 0 ? 'Nothing is Down or Unknown.' : render(lines, false)}`;
}
