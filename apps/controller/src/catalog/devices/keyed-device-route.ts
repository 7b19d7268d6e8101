import type { FieldFault } from '@vantage/kernel';
import { validateFields } from '@vantage/rest-kit/field';
import { missing } from '@vantage/rest-kit/problem';
import type { Reply, Route } from '@vantage/rest-kit/route';
import { noSubject, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog, ChangeTransaction } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { findByExternalKey, identityQuery, identityTable } from '../../resources/external-key.ts';
import { accepted } from '../../resources/refusal.ts';
import { deviceFull } from './device-full.ts';
import type { DeviceWriter } from './device-write.ts';
import { deviceCreate, deviceUpdate, type SentSettings } from './sent-device.ts';
import { deviceReadOnly } from './shown-device.ts';

const key = identityQuery.ExternalKey.unwrap();

/** The parts that the route needs. */
interface KeyedRouteDeps {
  readonly catalog: Catalog;
  readonly writer: DeviceWriter;
  /** Reads the device as its GET shows it. */
  readonly read: (
    db: Reader,
    session: Session,
    deviceNo: number,
  ) => Promise<Reply<z.input<typeof deviceFull>>>;
}

/** Creates the device with an ExternalKey, or changes the one that has it: the same request may be sent again. */
export function keyedDeviceRoute({ catalog, writer, read }: KeyedRouteDeps): Route {
  return validatingRoute({
    method: 'PUT',
    path: '/devices',
    limitedCallers: 'permitted',
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
    handler: async ({ db, session, query: { ExternalKey }, body, faults }) => {
      const { accountNo } = session;
      // The key may be that of a device that the batch collected.
      await db.batch?.flush();
      const values = { ...body, ExternalKey };
      const sent = { values, faults: [...faults, ...otherKey(body, ExternalKey)] };
      const created = await catalog.change(db, actorOf(session), async (transaction) => {
        const found = await findByExternalKey(transaction.trx, 'device', accountNo, ExternalKey);
        if (found === undefined) await create(writer, transaction, { accountNo, sent });
        else accepted(await writer.update(transaction, { accountNo, deviceNo: found.no, sent }));
        return found === undefined;
      });
      await db.batch?.flush();
      const written = await findByExternalKey(db.kysely, 'device', accountNo, ExternalKey);
      if (written === undefined) throw missing('device'); // somebody deleted it meanwhile
      return { ...(await read(db, session, written.no)), created };
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
  // Fields of a new device only.
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
