import { type Clock, createCoalescer, type FieldFault, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { flagQuery, idField, validateFields } from '../../rest/http/field.ts';
import { cutCursor } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Reply, type Route, route, validatingRoute } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { Catalog, ChangeTransaction } from '../change.ts';
import { actorOf } from '../change.ts';
import { findByExternalKey, identityQuery, identityTable } from '../external-key.ts';
import { findMaintenance } from '../maintenance/maintenance.ts';
import { accepted } from '../refusal.ts';
import {
  deviceCreate,
  deviceEntry,
  deviceFull,
  deviceReadOnly,
  deviceUpdate,
  type SentSettings,
} from './fields.ts';
import type { DeviceListAsk } from './list-ask.ts';
import { deviceListQuery, isPagedById, readDeviceList } from './list-query.ts';
import { listDevices } from './list-store.ts';
import { findDeviceNo } from './references.ts';
import { currentWarnings } from './settings.ts';
import {
  type CheckedRow,
  completeResults,
  type DeviceRow,
  findDevice,
  keepDevice,
  keptDevice,
} from './store.ts';
import { showDevice, showEntry } from './to-rest.ts';
import { createDeviceWriter, type DeviceWriter, type DeviceWriterDeps } from './write.ts';

const tag = 'Devices';
const names = { root: 'device' } as const;
const deviceList = z.array(deviceEntry);
const idAnswer = z.strictObject({ device_id: idField });

/** Finds the device that a path names. */
export function deviceSubject(db: Db) {
  return {
    what: 'device' as const,
    find: async ({ accountNo }: Session, { device_id: id = '' }: Readonly<Record<string, string>>) => {
      if (!isId(id)) return undefined;
      const kept = keptDevice(db.whole(), (row) => row.device_id === id && row.account_no === accountNo);
      return kept ?? findDeviceNo(db.kysely, accountNo, id);
    },
  };
}

/** Reads one device as its GET shows it; 1003 when somebody deleted it meanwhile. */
export function createDeviceReader({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
  return async (
    session: Session,
    deviceNo: number,
    withConfig: boolean,
  ): Promise<Reply<z.input<typeof deviceFull>>> => {
    const nowUs = clock.nowUs();
    const row = await findDevice(db.kysely, { deviceNo }, nowUs);
    if (row === undefined) throw missing('device');
    return showFound(db, session, row, { nowUs, withConfig });
  };
}

async function showFound(
  db: Db,
  { accountNo, zone }: Session,
  row: DeviceRow & CheckedRow,
  { nowUs, withConfig }: { readonly nowUs: number; readonly withConfig: boolean },
): Promise<Reply<z.input<typeof deviceFull>>> {
  const [resultOf, maintenance] = await Promise.all([
    completeResults(db, [row], nowUs),
    row.has_maintenance ? findMaintenance(db, { accountNo, nowUs, deviceNos: [row.device_no] }) : [],
  ]);
  return {
    body: showDevice(row, resultOf(row), zone, { withConfig, maintenance }),
    warnings: currentWarnings(row),
  };
}

/** The parts that the routes of devices need. */
export interface DeviceRouteDeps extends DeviceWriterDeps {
  readonly db: Db;
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
      db: deps.db,
      catalog: deps.catalog,
      writer,
      read: (session, deviceNo) => read(session, deviceNo, false),
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
    level: 'UW',
    tag,
    summary: 'Creates a device. It is checked within 5 seconds.',
    subject: noSubject,
    body: deviceCreate,
    readOnly: deviceReadOnly,
    response: idAnswer,
    names,
    handler: async ({ session, body, faults }) => {
      const device = { accountNo: session.accountNo, sent: { values: body, faults } };
      const { deviceId, warnings } = accepted(
        await catalog.add(actorOf(session), (transaction) => writer.create(transaction, device)),
      );
      return { body: { device_id: deviceId }, warnings };
    },
  });
}

function listRoute(deps: Pick<DeviceRouteDeps, 'db' | 'clock'>): Route {
  const { db } = deps;
  // Programs and screens that show the same list ask for it at one moment.
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
    handler: async ({ session: { accountNo, zone }, query }) => {
      const asked = await readDeviceList(db, accountNo, query);
      const read = () => readPage(deps, asked, zone);
      // Inside a transaction, the caller reads what nobody else may read yet.
      return db.isInTransaction() ? read() : readings.run(JSON.stringify([zone.name, asked]), read);
    },
  });
}

async function readPage(
  { db, clock }: Pick<DeviceRouteDeps, 'db' | 'clock'>,
  asked: Omit<DeviceListAsk, 'nowUs'>,
  zone: Zone,
): Promise<Reply<z.input<typeof deviceList>>> {
  const nowUs = clock.nowUs();
  const found = await listDevices(db, { ...asked, nowUs });
  const { rows, next } = cutCursor(found.rows, asked.limit, 'after', ({ device_id }) => device_id);
  const resultOf = await completeResults(db, rows, nowUs);
  const { limit, offset } = asked;
  return {
    body: rows.map((row) => showEntry(row, resultOf(row), zone)),
    ...(found.total === undefined ? {} : { total: found.total }),
    next: next === undefined || isPagedById(asked) ? next : { limit, offset: offset + limit },
  };
}

function readRoute({ db, clock }: DeviceRouteDeps): Route {
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
      ) => {
        const nowUs = clock.nowUs();
        const row = isId(deviceId) ? await findDevice(db.kysely, { accountNo, deviceId }, nowUs) : undefined;
        if (row !== undefined) keepDevice(db.whole(), row);
        return row && { row, nowUs };
      },
    },
    query: withConfig,
    response: deviceFull,
    names: { ...names, id: 'device_id' },
    handler: ({ session, subject: { row, nowUs }, query }) =>
      showFound(db, session, row, { nowUs, withConfig: query.WithConfig === true }),
  });
}

function updateRoute(deps: DeviceRouteDeps, writer: DeviceWriter): Route {
  const read = createDeviceReader(deps);
  return validatingRoute({
    method: 'PUT',
    path: '/devices/{device_id}',
    level: 'UW',
    tag,
    summary: 'Changes settings: what is absent stays, null clears an optional one. Method cannot be changed.',
    subject: deviceSubject(deps.db),
    query: withConfig,
    body: deviceUpdate,
    readOnly: deviceReadOnly,
    response: deviceFull,
    names: { ...names, id: 'device_id' },
    handler: async ({ session, subject: { device_no: deviceNo }, body, faults, query }) => {
      const device = { accountNo: session.accountNo, deviceNo, sent: { values: body, faults } };
      const { changed } = accepted(
        await deps.catalog.change(actorOf(session), (transaction) => writer.update(transaction, device)),
      );
      const withConfig = query.WithConfig === true;
      if (changed === undefined) return read(session, deviceNo, withConfig);
      return showFound(deps.db, session, changed.row, { nowUs: changed.nowUs, withConfig });
    },
  });
}

function deleteRoute({ db, catalog }: DeviceRouteDeps, writer: DeviceWriter): Route {
  const subject = deviceSubject(db);
  return route({
    method: 'DELETE',
    path: '/devices/{device_id}',
    level: 'UW',
    tag,
    summary: 'Deletes a device. Refused while it is the master of others.',
    subject: {
      what: 'device' as const,
      find: async (session: Session, params: Readonly<Record<string, string>>) => {
        const device = await subject.find(session, params);
        return device && { deviceNo: device.device_no, deviceId: params['device_id'] ?? '' };
      },
    },
    response: idAnswer,
    names: { ...names, id: 'device_id' },
    handler: async ({ session, subject: device }) => {
      const { accountNo } = session;
      accepted(
        await catalog.change(actorOf(session), (transaction) =>
          writer.remove(transaction, { accountNo, ...device }),
        ),
      );
      return { body: { device_id: device.deviceId } };
    },
  });
}

const key = identityQuery.ExternalKey.unwrap();

/** The parts that the route needs. */
interface KeyedRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly writer: DeviceWriter;
  /** Reads the device as its GET shows it. */
  readonly read: (session: Session, deviceNo: number) => Promise<Reply<z.input<typeof deviceFull>>>;
}

/** Creates the device with an ExternalKey, or changes the one that has it: the same request may be sent again. */
function keyedDeviceRoute({ db, catalog, writer, read }: KeyedRouteDeps): Route {
  return validatingRoute({
    method: 'PUT',
    path: '/devices',
    level: 'UW',
    tag: 'Devices',
    summary: 'Creates the device with an ExternalKey, or changes the one that has it.',
    description:
      'Where no device of the account has the key, the body is that of POST /devices: Method, URL and ShortName are needed. Else it is that of PUT /devices/{device_id}: what is absent stays. The answer is the whole device. The same request sent again changes nothing; two at one moment create one device. The header Vantage-Created says which it was.',
    subject: noSubject,
    query: z.object({
      ExternalKey: key.meta({
        description: 'The key of the device. The body may hold the same one.',
        example: identityTable.ExternalKey.example,
        whenMissing: 'is required in the query, for example ?ExternalKey=shop%2Fweb-1',
      }),
    }),
    body: deviceUpdate,
    readOnly: deviceReadOnly,
    response: deviceFull,
    names: { root: 'device', id: 'device_id' },
    handler: async ({ session, query: { ExternalKey }, body, faults }) => {
      const { accountNo } = session;
      const values = { ...body, ExternalKey };
      const sent = { values, faults: [...faults, ...otherKey(body, ExternalKey)] };
      const created = await catalog.change(actorOf(session), async (transaction) => {
        const found = await findByExternalKey(transaction.trx, 'device', accountNo, ExternalKey);
        if (found === undefined) await create(writer, transaction, { accountNo, sent });
        else accepted(await writer.update(transaction, { accountNo, deviceNo: found.no, sent }));
        return found === undefined;
      });
      const written = await findByExternalKey(db.kysely, 'device', accountNo, ExternalKey);
      if (written === undefined) throw missing('device'); // somebody deleted it meanwhile
      return { ...(await read(session, written.no)), created };
    },
  });
}

type Sent = { readonly values: SentSettings; readonly faults: readonly FieldFault[] };

/** Throws a Problem (1004, 1005) where the writer refuses, which rolls the transaction back. */
async function create(
  writer: DeviceWriter,
  transaction: ChangeTransaction,
  { accountNo, sent: { values, faults } }: { readonly accountNo: number; readonly sent: Sent },
): Promise<void> {
  const known = new Set(faults.map(({ field }) => field.split('.')[0]));
  // What only a new device needs.
  const more = validateFields(deviceCreate, values, deviceReadOnly).faults;
  const sent = { values, faults: [...faults, ...more.filter(({ field }) => !known.has(field))] };
  if (sent.faults.some(({ field }) => field === 'Method'))
    accepted({ kind: 'invalid', faults: sent.faults } as const);
  accepted(await writer.create(transaction, { accountNo, sent }));
}

function otherKey({ ExternalKey: sent }: SentSettings, ExternalKey: string): readonly FieldFault[] {
  if (sent === undefined || sent === ExternalKey) return [];
  return [{ field: 'ExternalKey', message: 'must be that of the query, or be left out' }];
}
