import { Fault, isId } from '@vantage/kernel';
import { textOf } from '../json-text.ts';
import { print } from '../output.ts';
import { type Connection, connect } from './connection.ts';
import { findOne } from './find-one.ts';
import type { ControllerAccess } from './https-fetch.ts';
import { resourceNamed } from './resources.ts';
import { type Row, readRows } from './rows.ts';
import { idOf } from './run-resources.ts';

/** The context of a verb. */
export interface Opened {
  readonly access: ControllerAccess;
  readonly asJson: boolean;
}

const devices = resourceNamed('devices');
const tags = resourceNamed('tags');

/** Checks a device now and prints the check. False: the check was not good. */
export async function runCheck({ access, asJson }: Opened, text: string): Promise<boolean> {
  using connection = connect(access);
  const id = await idOf(connection, devices, text);
  const answer = await connection.call({ method: 'POST', path: `/devices/${id}/check` });
  const check = (await answer.json()) as Row;
  print(check, asJson);
  return check['ResultCode'] === 1;
}

/** Acknowledges an alert, or the open alerts of a device. */
export async function runAck(
  { access, asJson }: Opened,
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

async function alertsOf(connection: Connection, text: string): Promise<readonly string[]> {
  if (isId(text)) {
    const list = await connection.call({
      method: 'GET',
      path: '/alerts',
      query: { State: 'Open', Limit: '100' },
    });
    const open = (await list.json()) as readonly Row[];
    if (open.some((each) => each['alert_id'] === text)) return [text];
  }
  const Device = await idOf(connection, devices, text);
  const query = { State: 'Open', Device, Limit: '100' };
  const answer = await connection.call({ method: 'GET', path: '/alerts', query });
  return ((await answer.json()) as readonly Row[]).map((each) => textOf(each['alert_id']));
}

/** Starts or ends maintenance of a device or of a tag; `how` undefined ends it. */
export async function runMaintenance(
  { access, asJson }: Opened,
  text: string,
  how: { readonly duration: string; readonly reason: string | undefined } | undefined,
): Promise<void> {
  using connection = connect(access);
  const target = await targetOf(connection, text);
  const verb = how === undefined ? 'stop-maintenance' : 'start-maintenance';
  const body =
    how === undefined ? {} : { body: { Duration: durationOf(how.duration), Reason: how.reason ?? null } };
  const answer = await connection.call({ method: 'PUT', path: `${target}/${verb}`, ...body });
  print((await answer.json()) as object, asJson);
}

/** The path of a tag of this name, else of a device. */
async function targetOf(connection: Connection, text: string): Promise<string> {
  const rows: Row[] = [];
  for await (const row of readRows(connection, tags)) rows.push(row);
  const isTag = rows.some(
    (row) => row['tag_id'] === text || row['Name'] === text || row['ExternalKey'] === text,
  );
  return isTag ? `/tags/${findOne(tags, rows, text)}` : `/devices/${await idOf(connection, devices, text)}`;
}

/** `2h`, `30m` or `01:30` as the API takes it: HH:MM. */
function durationOf(text: string): string {
  if (/^\d{1,2}:[0-5]\d$/.test(text)) return text.padStart(5, '0');
  const [, count = '', unit] = /^(\d{1,4})\s*(h|m|min)$/.exec(text) ?? [];
  const minutes = Number(count) * (unit === 'h' ? 60 : 1);
  if (unit === undefined || minutes === 0 || minutes > 99 * 60 + 59)
    throw new Fault('stop', 'settings', `${text} is no duration; accepted are for example 30m, 2h and 01:30`);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
