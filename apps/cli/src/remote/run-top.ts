import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@vantage/kernel';
import { render } from '../output.ts';
import { whenAskedToEnd } from '../signals.ts';
import { type Connection, connect } from './connection.ts';
import type { ControllerAccess } from './https-fetch.ts';
import type { Row } from './rows.ts';
import { fit } from './run-resources.ts';

const everyMs = 2_000;
const most = 100;
const clear = '\u001b[H\u001b[J';
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;

/**
 * Prints the counts and the devices that need somebody, worst first: once into a file, again every 2 s on a terminal.
 */
export async function runTop(access: ControllerAccess, limit: number): Promise<void> {
  if (!Number.isInteger(limit) || limit < 1 || limit > most)
    throw new Fault('stop', 'settings', `--limit is not accepted; accepted are 1 to ${most}`);
  using connection = connect(access);
  const isLive = process.stdout.isTTY;
  const ending = new AbortController();
  const end = () => ending.abort();
  using _request = whenAskedToEnd(end, end);
  do {
    const text = fit(await read(connection, limit), process.stdout);
    const isColoured = isLive && !process.env['NO_COLOR'];
    const shown = isColoured ? text.replaceAll(/^Down.*$/gm, red) : text;
    process.stdout.write(`${isLive ? clear : ''}${shown}\n`);
    if (isLive) await delay(everyMs, undefined, { signal: ending.signal }).catch(() => {});
  } while (isLive && !ending.signal.aborted);
}

async function read(connection: Connection, limit: number): Promise<string> {
  const get = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    (await connection.call({ method: 'GET', path, query })).json();
  const summary = (await get('/summary')) as { readonly Devices: Readonly<Record<string, number>> };
  const rows: Row[] = [];
  for (const Filter of ['Down', 'Unknown']) {
    if (rows.length >= limit) break;
    const query = { Filter, Sort: '-StatusSince', Limit: String(limit - rows.length) };
    rows.push(...((await get('/devices', query)) as readonly Row[]));
  }
  const counts = Object.entries(summary.Devices).map(([name, count]) => `${name} ${count}`);
  const shown = rows.map(({ Status, ShortName, FullName, StatusSince, LastCheckResult }) => ({
    Status,
    Device: FullName ?? ShortName,
    Since: StatusSince,
    Result: LastCheckResult,
  }));
  return `${counts.join('   ')}\n\n${shown.length === 0 ? 'Nothing is Down or Unknown.' : render(shown, false)}`;
}
