import type { Clock } from '@vantage/kernel';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { idField, isId } from '../../http/field.ts';
import { nextPage, pagingQuery } from '../../http/paging.ts';
import { invalid, missing } from '../../http/problem.ts';
import { noSubject, type Reply, type Route, route, validatingRoute } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import type { Sealer } from '../../secrets/seal.ts';
import { findTag } from '../tags/store.ts';
import { deviceCreate, deviceEntry, deviceFull, deviceReadOnly, deviceUpdate } from './fields.ts';
import { currentWarnings } from './settings.ts';
import { showDevice, showEntry } from './show.ts';
import { type DeviceFilter, findDeviceNo, lastResults, listDevices, readDevice } from './store.ts';
import { createDeviceWriter, type DeleteRollUps, type RecordDeviceEvents } from './write.ts';

const tag = 'Devices';
const names = { root: 'device' } as const;
const idAnswer = z.strictObject({ device_id: idField });

/** Finds the device that a path names. */
export function deviceSubject(db: Db) {
  return {
    what: 'device',
    find: async ({ accountNo }: Session, { device_id = '' }: Readonly<Record<string, string>>) =>
      isId(device_id) ? findDeviceNo(db.kysely, accountNo, device_id) : undefined,
  };
}

/** Reads one device as its GET shows it; 1003 when it is gone meanwhile. */
export function createDeviceReader({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
  return async (
    session: Session,
    deviceNo: number,
    withConfig: boolean,
  ): Promise<Reply<z.input<typeof deviceFull>>> => {
    const nowUs = clock.nowUs();
    const [row, results] = await Promise.all([
      readDevice(db.kysely, deviceNo, nowUs),
      lastResults(db, [deviceNo], nowUs),
    ]);
    if (row === undefined) throw missing('device');
    return {
      body: showDevice(row, results.get(deviceNo), session.zone, withConfig),
      warnings: currentWarnings(row),
    };
  };
}

/** The parts that the routes of devices need. */
export interface DeviceRouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly recordEvents: RecordDeviceEvents;
  readonly deleteRollUps: DeleteRollUps;
}

/** Creating, listing, reading, changing and deleting devices. */
export function deviceRoutes(deps: DeviceRouteDeps): Route[] {
  const { db, clock } = deps;
  const writer = createDeviceWriter(deps);
  const read = createDeviceReader(deps);
  const subject = deviceSubject(db);
  const withConfig = z.object({
    WithConfig: z.enum(['Y', 'N']).default('N').describe('Y: HostData is part of the answer.'),
  });

  return [
    validatingRoute({
      method: 'POST',
      path: '/devices',
      level: 'UW',
      tag,
      summary: 'Creates a device. It is checked within 5 seconds.',
      subject: noSubject,
      body: deviceCreate,
      readOnly: deviceReadOnly,
      response: idAnswer,
      names,
      handler: async ({ session, body, faults }) => {
        const { deviceId, warnings } = await writer.create(session, { values: body, faults });
        return { body: { device_id: deviceId }, warnings };
      },
    }),
    route({
      method: 'GET',
      path: '/devices',
      level: 'UR',
      tag,
      summary: 'Lists devices in the order of their creation.',
      subject: noSubject,
      query: z.object({
        Filter: boundedText(100).default('All').describe('All, Ok (Up), Down, Maint, Unknown, or a tag_id.'),
        ...pagingQuery,
      }),
      response: z.array(deviceEntry),
      names: { root: 'devices', row: 'device', id: 'device_id' },
      handler: async ({ session, query: { Filter, Limit, Offset } }) => {
        const filter = await readFilter(db, session, Filter);
        const nowUs = clock.nowUs();
        const ask = { accountNo: session.accountNo, filter, limit: Limit, offset: Offset, nowUs };
        const { rows, total } = await listDevices(db, ask);
        const results = await lastResults(
          db,
          rows.map(({ device_no }) => device_no),
          nowUs,
        );
        return {
          body: rows.map((row) => showEntry(row, results.get(row.device_no), session.zone)),
          total,
          next: nextPage(total, { Limit, Offset }),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/devices/{device_id}',
      level: 'UR',
      tag,
      summary: "A device's settings and state.",
      subject,
      query: withConfig,
      response: deviceFull,
      names: { ...names, id: 'device_id' },
      handler: ({ session, subject: device, query }) =>
        read(session, device.device_no, query.WithConfig === 'Y'),
    }),
    validatingRoute({
      method: 'PUT',
      path: '/devices/{device_id}',
      level: 'UW',
      tag,
      summary:
        'Changes settings: what is absent stays, null clears an optional one. Method cannot be changed.',
      subject,
      query: withConfig,
      body: deviceUpdate,
      readOnly: deviceReadOnly,
      response: deviceFull,
      names: { ...names, id: 'device_id' },
      handler: async ({ session, subject: device, body, faults, query }) => {
        await writer.update(session, device.device_no, { values: body, faults });
        return read(session, device.device_no, query.WithConfig === 'Y');
      },
    }),
    route({
      method: 'DELETE',
      path: '/devices/{device_id}',
      level: 'UW',
      tag,
      summary: 'Deletes a device. Refused while it is the master of others.',
      subject: {
        what: 'device',
        find: async (session: Session, params: Readonly<Record<string, string>>) => {
          const device = await subject.find(session, params);
          return device && { ...device, device_id: params['device_id'] ?? '' };
        },
      },
      response: idAnswer,
      names: { ...names, id: 'device_id' },
      handler: async ({ session, subject: device }) => {
        await writer.remove(session, device.device_no);
        return { body: { device_id: device.device_id } };
      },
    }),
  ];
}

async function readFilter(db: Db, session: Session, text: string): Promise<DeviceFilter> {
  switch (text) {
    case 'All':
      return { kind: 'all' };
    case 'Ok':
      return { kind: 'status', status: 'Up' };
    case 'Down':
    case 'Maint':
    case 'Unknown':
      return { kind: 'status', status: text };
    default: {
      if (!isId(text))
        throw invalid([{ field: 'Filter', message: 'must be All, Ok, Down, Maint, Unknown or a tag_id' }]);
      const found = await findTag(db, session.accountNo, text);
      if (found === undefined) throw missing('tag');
      return { kind: 'tag', tagNo: found.tag_no };
    }
  }
}
