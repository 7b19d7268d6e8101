import { createCoalescer, isId } from '@vantage/kernel';
import { flagQuery, idField } from '@vantage/rest-kit/field';
import { cutCursor } from '@vantage/rest-kit/paging';
import type { Reply, Route } from '@vantage/rest-kit/route';
import { noSubject, route, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Db, Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { accepted } from '../../resources/refusal.ts';
import type { DeviceWriterDeps } from './device-follow-ups.ts';
import { deviceFull } from './device-full.ts';
import { deviceListQuery, isPagedById, readDeviceList } from './device-list-query.ts';
import type { DeviceListRequest } from './device-list-request.ts';
import { listDevices } from './device-list-store.ts';
import { createDeviceReader, showFound } from './device-reader.ts';
import { completeResults, findDevice } from './device-store.ts';
import { createDeviceWriter, type DeviceWriter } from './device-write.ts';
import { findDeviceNo } from './find-device-no.ts';
import { keyedDeviceRoute } from './keyed-device-route.ts';
import { deviceCreate, deviceUpdate } from './sent-device.ts';
import { deviceEntry, deviceReadOnly } from './shown-device.ts';
import { showEntry } from './to-rest.ts';

const tag = 'Devices';

const names = { root: 'device' } as const;

const deviceList = z.array(deviceEntry);

const idAnswer = z.strictObject({ device_id: idField });

const created = z.strictObject({
  device_id: idField,
  PushURL: z
    .string()
    .optional()
    .describe('Method Push: the address that the job calls. No later answer shows it.')
    .meta({ example: 'https://vantage.example/push/0f9c2a7be1d54c6f8a3b5d7e9c1f2a4b' }),
});

/** Finds the device that a path names. */
export const deviceSubject = {
  what: 'device' as const,
  find: async (
    { accountNo }: Session,
    { device_id: id = '' }: Readonly<Record<string, string>>,
    { kysely }: Reader,
  ) => (isId(id) ? findDeviceNo(kysely, accountNo, id) : undefined),
};

/** The parts that the routes of devices need. */
export interface DeviceRouteDeps extends DeviceWriterDeps {
  readonly catalog: Catalog;
}

const withConfig = z.object({
  WithConfig: flagQuery('Y: HostData, an older name of Options.Headers, is part of the answer.'),
});

/** Creating, listing, reading, changing and deleting devices. */
export function deviceRoutes(deps: DeviceRouteDeps): Route[] {
  const writer = createDeviceWriter(deps);
  const read = createDeviceReader(deps);
  return [
    createRoute(deps.catalog, writer),
    keyedDeviceRoute({
      catalog: deps.catalog,
      writer,
      read: (db, session, deviceNo) => read(db, session, deviceNo, false),
    }),
    listRoute(deps),
    readRoute(deps),
    updateRoute(deps, writer),
    deleteRoute(deps, writer),
  ];
}

function createRoute(catalog: Catalog, writer: DeviceWriter): Route {
  return validatingRoute({
    method: 'POST',
    path: '/devices',
    limitedCallers: 'permitted',
    level: 'UW',
    tag,
    summary: 'Creates a device. It is checked within 5 seconds.',
    subject: noSubject,
    body: deviceCreate,
    readOnly: deviceReadOnly,
    response: created,
    names,
    handler: async ({ db, session, body, faults }) => {
      const device = { accountNo: session.accountNo, sent: { values: body, faults } };
      const { deviceId, pushUrl, warnings } = accepted(
        await catalog.add(db, actorOf(session), (transaction) => writer.create(transaction, device)),
      );
      return { body: { device_id: deviceId, ...(pushUrl !== undefined && { PushURL: pushUrl }) }, warnings };
    },
  });
}

function listRoute(deps: Pick<DeviceRouteDeps, 'clock'>): Route {
  // Programs and screens that show the same list read it at the same time.
  const readings = createCoalescer<Reply<z.input<typeof deviceList>>>(deps);
  return route({
    method: 'GET',
    path: '/devices',
    level: 'UR',
    tag,
    summary: 'Lists devices, in the order of their creation unless Sort names another one.',
    subject: noSubject,
    query: deviceListQuery,
    response: deviceList,
    names: { root: 'devices', row: 'device', id: 'device_id' },
    handler: async ({ db, session: { accountNo, zone }, query }) => {
      const asked = await readDeviceList(db, accountNo, query);
      const read = () => readPage(db, deps, asked, zone);
      // Inside a transaction the caller reads its own uncommitted rows.
      return db.isInTransaction() ? read() : readings.run(JSON.stringify([zone.name, asked]), read);
    },
  });
}

async function readPage(
  db: Db,
  { clock }: Pick<DeviceRouteDeps, 'clock'>,
  asked: Omit<DeviceListRequest, 'nowUs'>,
  zone: Zone,
): Promise<Reply<z.input<typeof deviceList>>> {
  const nowUs = clock.nowUs();
  const found = await listDevices(db, { ...asked, nowUs });
  const { rows, next } = cutCursor(found.rows, asked.limit, 'after', ({ device_id }) => device_id);
  const resultOf = await completeResults(db, rows, nowUs);
  const { limit, offset } = asked;
  return {
    body: rows.map((row) => showEntry(row, resultOf(row), zone)),
    isShared: true,
    ...(found.total === undefined ? {} : { total: found.total }),
    next: next === undefined || isPagedById(asked) ? next : { limit, offset: offset + limit },
  };
}

function readRoute({ clock }: Pick<DeviceRouteDeps, 'clock'>): Route {
  return route({
    method: 'GET',
    path: '/devices/{device_id}',
    level: 'UR',
    tag,
    summary: "A device's settings and state.",
    subject: {
      what: 'device' as const,
      // Everything in one statement, because most requests read a device.
      find: async (
        { accountNo }: Session,
        { device_id: deviceId = '' }: Readonly<Record<string, string>>,
        db: Db,
      ) => {
        const nowUs = clock.nowUs();
        const row = isId(deviceId) ? await findDevice(db.kysely, { accountNo, deviceId }, nowUs) : undefined;
        return row && { row, nowUs };
      },
    },
    query: withConfig,
    response: deviceFull,
    names: { ...names, id: 'device_id' },
    handler: ({ db, session, subject: { row, nowUs }, query }) =>
      showFound(db, session, row, { nowUs, withConfig: query.WithConfig === true }),
  });
}

function updateRoute(deps: DeviceRouteDeps, writer: DeviceWriter): Route {
  const read = createDeviceReader(deps);
  return validatingRoute({
    method: 'PUT',
    path: '/devices/{device_id}',
    limitedCallers: 'permitted',
    level: 'UW',
    tag,
    summary: 'Changes settings: what is absent stays, null clears an optional one. Method cannot be changed.',
    subject: deviceSubject,
    query: withConfig,
    body: deviceUpdate,
    readOnly: deviceReadOnly,
    response: deviceFull,
    names: { ...names, id: 'device_id' },
    handler: async ({ db, session, subject: { device_no: deviceNo }, body, faults, query }) => {
      const device = { accountNo: session.accountNo, deviceNo, sent: { values: body, faults } };
      const { changed } = accepted(
        await deps.catalog.change(db, actorOf(session), (transaction) => writer.update(transaction, device)),
      );
      const withConfig = query.WithConfig === true;
      if (changed === undefined) return read(db, session, deviceNo, withConfig);
      return showFound(db, session, changed.row, { nowUs: changed.nowUs, withConfig });
    },
  });
}

function deleteRoute({ catalog }: Pick<DeviceRouteDeps, 'catalog'>, writer: DeviceWriter): Route {
  return route({
    method: 'DELETE',
    path: '/devices/{device_id}',
    limitedCallers: 'permitted',
    level: 'UW',
    tag,
    summary: 'Deletes a device. Refused while it is the master of others.',
    subject: {
      what: 'device' as const,
      find: async (session: Session, params: Readonly<Record<string, string>>, db: Db) => {
        const device = await deviceSubject.find(session, params, db);
        return device && { deviceNo: device.device_no, deviceId: params['device_id'] ?? '' };
      },
    },
    response: idAnswer,
    names: { ...names, id: 'device_id' },
    handler: async ({ db, session, subject: device }) => {
      const { accountNo } = session;
      accepted(
        await catalog.change(db, actorOf(session), (transaction) =>
          writer.remove(transaction, { accountNo, ...device }),
        ),
      );
      return { body: { device_id: device.deviceId } };
    },
  });
}
