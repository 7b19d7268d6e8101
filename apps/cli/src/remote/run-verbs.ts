import { Fault, isId } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import { print } from '../print-answer.ts';
import { type ApiConnection, connect } from './api-connection.ts';
import { resourceNamed } from './api-resources.ts';
import { findOne } from './find-one.ts';
import type { ControllerAccess } from './https-fetch.ts';
import { type ApiRow, readRows } from './read-rows.ts';
import { idOf } from './run-resources.ts';

export interface VerbContext {
  readonly access: ControllerAccess;
  readonly asJson: boolean;
}

const devices = resourceNamed('devices');
const tags = resourceNamed('tags');

/** Checks a device now and prints the check. Returns false where its result is not good. */
export async function runCheck({ access, asJson }: VerbContext, text: string): Promise<boolean> {
  using connection = connect(access);
  const id = await idOf(connection, devices, text);
  const answer = await connection.call({ method: 'POST', path: `/devices/${id}/check` });
  const check = (await answer.json()) as ApiRow;
  print(check, asJson);
  return check['ResultCode'] === 1;
}

/** Acknowledges an alert, or the open alerts of a device. */
export async function runAck(
  { access, asJson }: VerbContext,
  text: string,
  note: string | undefined,
): Promise<void> {
  using connection = connect(access);
  const Alerts = await alertsOf(connection, text);
  if (Alerts.length === 0) throw new Fault('stop', 'missing', `${text} has no open alert`);
  const body = { Alerts: [...Alerts], Note: note ?? null };
  const answer = await connection.call({ method: 'PUT', path: '/alerts/acknowledge', body });
  print((await answer.json()) as object, asJson);
}

async function alertsOf(connection: ApiConnection, text: string): Promise<readonly string[]> {
  if (isId(text)) {
    const list = await connection.call({
      method: 'GET',
      path: '/alerts',
      query: { State: 'Open', Limit: '100' },
    });
    const open = (await list.json()) as readonly ApiRow[];
    if (open.some((alert) => alert['alert_id'] === text)) return [text];
  }
  const Device = await idOf(connection, devices, text);
  const query = { State: 'Open', Device, Limit: '100' };
  const answer = await connection.call({ method: 'GET', path: '/alerts', query });
  return ((await answer.json()) as readonly ApiRow[]).map((alert) => textOf(alert['alert_id']));
}

/** Starts maintenance of a device or tag; without `period` ends it. */
export async function runMaintenance(
  { access, asJson }: VerbContext,
  text: string,
  period: { readonly duration: string; readonly reason: string | undefined } | undefined,
): Promise<void> {
  using connection = connect(access);
  const target = await targetOf(connection, text);
  const verb = period === undefined ? 'stop-maintenance' : 'start-maintenance';
  const body =
    period === undefined
      ? {}
      : { body: { Duration: durationOf(period.duration), Reason: period.reason ?? null } };
  const answer = await connection.call({ method: 'PUT', path: `${target}/${verb}`, ...body });
  print((await answer.json()) as object, asJson);
}

/** The path of the tag with this name, else of the device. */
async function targetOf(connection: ApiConnection, text: string): Promise<string> {
  const rows: ApiRow[] = [];
  for await (const row of readRows(connection, tags)) rows.push(row);
  const isTag = rows.some(
    (row) => row['tag_id'] === text || row['Name'] === text || row['ExternalKey'] === text,
  );
  return isTag ? `/tags/${findOne(tags, rows, text)}` : `/devices/${await idOf(connection, devices, text)}`;
}

/** Converts `2h`, `30m` or `01:30` to the API's form HH:MM. */
function durationOf(text: string): string {
  if (/^\d{1,2}:[0-5]\d$/.test(text)) return text.padStart(5, '0');
  const [, count = '', unit] = /^(\d{1,4})\s*(h|m|min)$/.exec(text) ?? [];
  const minutes = Number(count) * (unit === 'h' ? 60 : 1);
  if (unit === undefined || minutes === 0 || minutes > 99 * 60 + 59)
    throw new Fault(
      'stop',
      'settings',
      `${text} is not a duration; accepted are for example 30m, 2h and 01:30`,
    );
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
