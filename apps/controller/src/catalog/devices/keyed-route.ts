import type { FieldFault } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { validateFields } from '../../rest/http/input.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Reply, type Route, validatingRoute } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog, ChangeTransaction } from '../change.ts';
import { identityQuery } from '../external-key.ts';
import { findByExternalKey } from '../external-key-store.ts';
import { accepted, actorOf } from '../from-rest.ts';
import { deviceCreate, deviceFull, deviceReadOnly, deviceUpdate, type SentSettings } from './fields.ts';
import type { DeviceWriter } from './write.ts';

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
export function keyedDeviceRoute({ db, catalog, writer, read }: KeyedRouteDeps): Route {
  return validatingRoute({
    method: 'PUT',
    path: '/devices',
    level: 'UW',
    tag: 'Devices',
    summary: 'Creates the device with an ExternalKey, or changes the one that has it.',
    description:
      'Where no device of the account has the key, the body is that of POST /devices: Method, URL and ShortName are needed. Else it is that of PUT /devices/{device_id}: what is absent stays. The answer is the whole device. The same request sent again changes nothing; two at one moment create one device.',
    subject: noSubject,
    query: z.object({ ExternalKey: key.describe('The key of the device. The body may hold the same one.') }),
    body: deviceUpdate,
    readOnly: deviceReadOnly,
    response: deviceFull,
    names: { root: 'device', id: 'device_id' },
    handler: async ({ session, query: { ExternalKey }, body, faults }) => {
      const { accountNo } = session;
      const values = { ...body, ExternalKey };
      const sent = { values, faults: [...faults, ...otherKey(body, ExternalKey)] };
      await catalog.change(actorOf(session), async (transaction) => {
        const found = await findByExternalKey(transaction.trx, 'device', accountNo, ExternalKey);
        if (found === undefined) return create(writer, transaction, { accountNo, sent });
        accepted(await writer.update(transaction, { accountNo, deviceNo: found.no, sent }));
      });
      const written = await findByExternalKey(db.kysely, 'device', accountNo, ExternalKey);
      if (written === undefined) throw missing('device'); // somebody deleted it meanwhile
      return read(session, written.no);
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
