import { randomBytes } from 'node:crypto';
import type { NewNotification } from '@vantage/alerts';
import { createLog, type Logger, newId, systemClock } from '@vantage/kernel';
import { createDb, type Database } from '@vantage/storage';
import { createSealer, type Sealer, sealKeyBytes } from '@vantage/storage/secrets/seal';
import { sealContact } from '@vantage/storage/secrets/sealed-contact';
import { createTestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { setUp } from '@vantage/testing/set-up';
import { createTimeScale } from '../../../config/time-scale.ts';
import { createChannels } from '../../channels/channel-registry.ts';
import { createDeliveries, type Deliveries, type DeliveriesDeps } from '../deliveries.ts';
import { enqueue } from '../enqueue.ts';
import type { FailedNotification } from '../record-attempt.ts';
import { sampleNotification } from './sample.ts';

/** A signing secret of a test. */
const sampleSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A database with an account, and workers that deliver its notifications. */
export interface DeliveryFixture extends AsyncDisposable {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly accountNo: number;
  readonly log: Logger;
  /** Of the database. */
  readonly url: string;
  /** The sealing key. */
  readonly key: Buffer;
  /** Notifications that the workers reported as failed. */
  readonly failed: readonly FailedNotification[];
  webhook(url: string): Promise<number>;
  email(address: string): Promise<number>;
  /** Stores notifications: each has a contact, an order key, and a text that its message repeats. */
  add(...rows: readonly (readonly [contactNo: number, orderKey: string, text: string])[]): Promise<void>;
  /** Runs workers until the result is disposed. */
  work(deps?: Partial<DeliveriesDeps>): Deliveries & AsyncDisposable;
  states(): Promise<readonly { state: string; attempts: number; answer: string | null; text: string }[]>;
}

/** Creates one. Waits of the rules pass `scale` times faster. */
export async function createDeliveryFixture({
  scale = 1,
  log = createLog('test', 'silent'),
}: {
  readonly scale?: number;
  readonly log?: Logger;
} = {}): Promise<DeliveryFixture> {
  const database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  const fixtures = createFixtures(db.kysely);
  const accountNo = await fixtures.account();
  const key = randomBytes(sealKeyBytes);
  const sealer = createSealer(key);
  const failed: FailedNotification[] = [];
  return {
    db,
    sealer,
    accountNo,
    failed,
    log,
    key,
    url: database.url,
    async webhook(url) {
      const contactId = newId();
      const sealed = sealContact(sealer, contactId, {
        address: url,
        secret: sampleSecret,
        previousSecret: null,
      });
      return fixtures.contact(accountNo, { contact_id: contactId, type: 'webhook', address: url, sealed });
    },
    async email(address) {
      const contactId = newId();
      const sealed = sealContact(sealer, contactId, { address, secret: null, previousSecret: null });
      return fixtures.contact(accountNo, { contact_id: contactId, type: 'email', address, sealed });
    },
    async add(...rows) {
      const notifications = rows.map(([contactNo, orderKey, text]): NewNotification => {
        const data = { ...sampleNotification.data, ShortName: text };
        return { ...sampleNotification, accountNo, contactNo, orderKey, data };
      });
      await setUp(db.kysely, (connection) =>
        connection.transaction().execute((trx) => enqueue(trx, notifications, systemClock.nowUs())),
      );
    },
    work(deps = {}) {
      const ending = new AbortController();
      const deliveries = createDeliveries({
        db,
        clock: systemClock,
        log,
        sealer,
        newToken: newId,
        linkOf: ({ action, alertId }) => `https://vantage.example/links/${action}/${alertId}`,
        channels: createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'vantage@example.org' }),
        timeScale: createTimeScale(scale),
        readDay: async () => null,
        onFailed: async (_trx, one) => void failed.push(one),
        ...deps,
      });
      const done = deliveries.run(ending.signal);
      return Object.assign(deliveries, {
        async [Symbol.asyncDispose]() {
          ending.abort(new Error('the test ends'));
          await done;
        },
      });
    },
    async states() {
      const rows = await db.kysely
        .selectFrom('notifications')
        .select(['state', 'attempts', 'answer', 'data'])
        .orderBy('notification_no')
        .execute();
      return rows.map(({ data, ...row }) => ({ ...row, text: JSON.parse(JSON.stringify(data)).ShortName }));
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
