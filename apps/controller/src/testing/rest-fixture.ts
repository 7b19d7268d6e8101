import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type AccountLimits, defaultLimits } from '@vantage/domain';
import { type Clock, createLog, type Logger, newId } from '@vantage/kernel';
import { createFakeClock, type FakeClock } from '@vantage/kernel/testing';
import type { OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { Route } from '@vantage/rest-kit/route';
import type { Site } from '@vantage/rest-kit/serve-site';
import type { Level } from '@vantage/rest-kit/session';
import { createDb, type Database } from '@vantage/storage';
import { createSealer, type Sealer } from '@vantage/storage/secrets/seal';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { runRequests } from '../agents/run-requests/index.ts';
import { insertRollout, rolloutStage } from '../agents/upgrades/index.ts';
import { notificationsOf } from '../alerts/deliver/delivery-store.ts';
import { insertAddressMail } from '../alerts/deliver/mails/insert-mails.ts';
import { createRoutes, type RouteDeps } from '../api/all-routes.ts';
import { createHttpApi, type HttpApi, type HttpSettings } from '../api/api.ts';
import type { EnvironmentSettings } from '../catalog/installation/installation-settings.ts';
import { openLiveSettings } from '../catalog/installation/live-settings.ts';
import { createChangeRecorder } from '../observe/audit/record-changes.ts';
import type { Tracing } from '../observe/tracing/index.ts';
import type { CheckDeviceNow } from '../reading/history/check-routes.ts';
import { createEventFeed } from '../reading/history/event-feed.ts';
import { createCatalog, type RecordedChanges } from '../resources/change.ts';
import { recordEvents } from '../results/events/record-events.ts';
import { createPushAddresses } from '../results/heartbeats/push-addresses.ts';
import { rollUps } from '../results/roll-up/index.ts';
import { createPauseDevices, insertStates } from '../results/status/index.ts';
import { hashCheaply } from './hash-cheaply.ts';
import { createHttpClient, type Reply } from './http-client.ts';

const deleteHistory = [rollUps.deleteRollUps];

/** A request of a test. */
export interface Send {
  readonly key?: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The REST API on a database of its own, reached as behind a trusted proxy that speaks HTTPS. */
export interface RestFixture extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Database;
  readonly clock: FakeClock;
  readonly sealer: Sealer;
  readonly routes: readonly Route[];
  readonly api: HttpApi;
  readonly baseUrl: string;
  /** Changes of the catalog, as their transactions recorded them. */
  readonly recorded: RecordedChanges[];
  /** Takes the database away. */
  dropDatabase(): Promise<void>;
  send(method: string, path: string, send?: Send): Promise<Reply>;
  /** Creates an account with the Location `local`. */
  account(name: string, timezone?: string): Promise<{ accountNo: number; locationNo: number }>;
  key(
    accountNo: number,
    level: Level,
    basic?: { user: string; password: string },
  ): Promise<{ key: string; keyNo: number; keyId: string }>;
}

/** Dependencies that a test provides. */
interface RestFixtureDeps {
  /** Limits of an account; those of the controller unless given. */
  readonly limits?: Partial<AccountLimits>;
  readonly planInvitation?: Parameters<typeof createHttpApi>[0]['planInvitation'];
  readonly sendTest?: RouteDeps['sendTest'];
  /** The signed parcels of the controller; version 0.3.0 unless given. */
  readonly signedParcels?: RouteDeps['upgrades']['signedParcels'];
  checkNow?: CheckDeviceNow;
  runTrial?: RouteDeps['runTrial'];
  settings?: Partial<HttpSettings>;
  /** The environment's settings of messages. */
  environment?: Partial<EnvironmentSettings>;
  testMail?: RouteDeps['testMail'];
  health?: (db: Database, clock: Clock) => RouteDeps['health'];
  /** Another controller with the database, the clock and the sealing key of this one; it ends first. */
  beside?: Pick<RestFixture, 'database' | 'clock' | 'sealer'>;
  tracing?: Tracing;
  /** A replica of the database. */
  replica?: Parameters<typeof createDb>[0]['connection']['replica'];
  /** Silent unless given. */
  log?: Logger;
  pages?: readonly OuterRoute[] | ((db: Database, clock: FakeClock) => readonly OuterRoute[]);
  subscriptions?: (db: Database) => ReturnType<Parameters<typeof createHttpApi>[0]['subscriptions']>;
  site?: Site;
}

const noEnvironment: EnvironmentSettings = {
  smtpUrl: undefined,
  mailFrom: undefined,
  allowPrivateWebhooks: undefined,
  telegramUrl: undefined,
};

/** Agents can come in, by these lines. */
const planInvitation = async () => ({
  kind: 'ready' as const,
  urls: ['https://vantage.test:8444'],
  warnings: [],
  linesFor: (token: string) => ({ command: `curl ${token}`, commandWget: `wget ${token}` }),
});

/** A controller with the parcel of a version. */
const signedParcels = async () => [{ version: '0.3.0', arch: 'amd64' }];

const noTrial: RouteDeps['runTrial'] = async () => ({ kind: 'noAgent', message: 'No agent tries it.' });

/** An agent's answer to a trial. */
export const triedWell: RouteDeps['runTrial'] = async () => ({
  kind: 'done',
  result: {
    startUs: 1_790_000_000_000_000,
    code: 1,
    text: 'ok',
    blockMs: 0,
    dnsMs: 1,
    connectMs: 2,
    sslMs: 3,
    ttfbMs: 4,
    ttlbMs: 5,
    dataSize: 6,
    slow: false,
    extended: '{"Address":"192.0.2.80"}',
  },
});

/** Starts the API. Maintenance does nothing and uptime is empty unless `deps` brings the real ones. */
export async function createRestFixture(deps: RestFixtureDeps = {}): Promise<RestFixture> {
  const { beside, tracing, replica } = deps;
  const database = beside?.database ?? (await createTestDatabase());
  const clock = beside?.clock ?? createFakeClock(1_790_000_000_000_000);
  const log = deps.log ?? createLog('rest-test', 'silent');
  const connection = { url: database.url, replica };
  const db = await createDb({ connection, log, onStatement: tracing?.onStatement });
  const sealer = beside?.sealer ?? createSealer(randomBytes(32));
  const health = deps.health?.(db, clock) ?? quietHealth;
  const checkNow: CheckDeviceNow =
    deps.checkNow ?? (async () => ({ kind: 'noAgent', message: 'No agent checks it.' }));
  const recorded: RecordedChanges[] = [];
  const catalog = createCatalog({
    limits: { ...defaultLimits, ...deps.limits },
    recordChanges: (trx, changes) => {
      recorded.push(changes);
      return createChangeRecorder({ clock })(trx, changes);
    },
  });
  const feed = createEventFeed({ db, clock, log });
  const pause = createPauseDevices({ log, recordEvents, withdrawRetries: runRequests.withdrawRetries });
  const mailPerson: ReturnType<RouteDeps['mailPerson']> = (trx, mail) =>
    insertAddressMail(trx, { ...mail, nowUs: clock.nowUs() });
  const installation = await openLiveSettings({
    db,
    sealer,
    log,
    environment: { ...noEnvironment, ...deps.environment },
  });
  const shared = {
    db,
    installation,
    onMailServer: async () => {},
    testMail: deps.testMail ?? (async () => []),
    catalog,
    clock,
    sealer,
    health,
    checkNow,
    recordEvents,
    rollUps,
    feed,
    insertStates,
    pushAddresses: createPushAddresses(() => 'https://vantage.test'),
    pause,
    runTrial: deps.runTrial ?? noTrial,
    deleteHistory,
    notificationsOf,
    baseUrl: () => 'https://vantage.test',
    planInvitation: deps.planInvitation ?? planInvitation,
    upgrades: {
      signedParcels: deps.signedParcels ?? signedParcels,
      startRollout: insertRollout,
      rolloutStage,
    },
    mailPerson: () => mailPerson,
    sendTest: deps.sendTest ?? (async () => ({ isDelivered: true, answer: '200 OK' })),
  };
  const subscriptions = deps.subscriptions?.(db);
  const api = createHttpApi({
    ...shared,
    log,
    onRoute: tracing?.nameRoute,
    pages: typeof deps.pages === 'function' ? deps.pages(db, clock) : (deps.pages ?? []),
    subscriptions: () => subscriptions,
    ...(deps.site === undefined ? {} : { site: deps.site }),
    settings: {
      apiKeyHeaders: ['X-Old-Key'],
      trustedProxies: ['127.0.0.1'],
      retentionDays: 30,
      ...deps.settings,
    },
  });
  const server = createServer(tracing?.traceRequests(api.handler) ?? api.handler);
  server.keepAliveTimeout = 300_000; // a test that works between two requests finds its connection open
  server.on('clientError', api.clientError);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1.1`;

  const client = createHttpClient();
  return {
    database,
    db,
    clock,
    sealer,
    api,
    baseUrl,
    recorded,
    routes: createRoutes({
      ...shared,
      retentionDays: 30,
      version: 'test',
      ...ofOtherServer,
    }),
    dropDatabase: async () => database[Symbol.asyncDispose](),
    async send(method, path, { key, body, raw, headers = {} } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      return client.send(`${baseUrl}${path}`, {
        method,
        headers: {
          'X-Forwarded-Proto': 'https',
          ...(key === undefined ? {} : { 'Service-API-Key': key }),
          ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        payload,
      });
    },
    async account(name, timezone = 'UTC') {
      const { account_no } = await db.kysely
        .insertInto('accounts')
        .values({ account_id: newId(), name, timezone })
        .returning('account_no')
        .executeTakeFirstOrThrow();
      const { location_no } = await db.kysely
        .insertInto('locations')
        .values({ location_id: newId(), account_no, name: 'local' })
        .returning('location_no')
        .executeTakeFirstOrThrow();
      return { accountNo: account_no, locationNo: location_no };
    },
    async key(accountNo, level, basic) {
      const key = randomBytes(32).toString('hex');
      const { key_no, key_id } = await db.kysely
        .insertInto('api_keys')
        .values({
          key_id: newId(),
          account_no: accountNo,
          key_hash: createHash('sha256').update(key).digest(),
          hint: key.slice(0, 6),
          level,
          basic_user: basic?.user ?? null,
          basic_hash: basic === undefined ? null : hashCheaply(basic.password),
        })
        .returning(['key_no', 'key_id'])
        .executeTakeFirstOrThrow();
      return { key, keyNo: key_no, keyId: key_id };
    },
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api[Symbol.asyncDispose]();
      await feed[Symbol.asyncDispose]();
      await db.close();
      if (beside === undefined) await database[Symbol.asyncDispose]();
    },
  };
}

/** Callbacks that do nothing. */
const ofOtherServer: Pick<
  RouteDeps,
  'onAccountChanged' | 'onKeyChanged' | 'signIn' | 'signInSettings' | 'findings' | 'ownFacts'
> = {
  findings: async () => [],
  ownFacts: () => undefined,
  onAccountChanged: () => {},
  onKeyChanged: () => {},
  signInSettings: { trustedProxies: [] },
  signIn: {
    identify: () => Promise.reject(new Error('not of this server')),
    identifyPerson: () => Promise.reject(new Error('not of this server')),
    identifyProxied: () => Promise.reject(new Error('not of this server')),
    onRefused: () => {},
    signOutAddress: async () => null,
    onEnded: () => {},
  },
};

const quietHealth: RouteDeps['health'] = {
  timelines: async () => {},
  startMaintenance: async () => {},
  stopMaintenance: async () => 0,
  cancelOccurrence: async () => {},
  uptimes: async (_, { devices, toUs }) =>
    new Map(
      devices.map(({ deviceNo, fromUs }) => [
        deviceNo,
        {
          UpSeconds: 0,
          DownSeconds: 0,
          MaintenanceSeconds: 0,
          UnknownSeconds: Math.round((toUs - fromUs) / 1e6),
          ExcludedSeconds: 0,
          Outages: 0,
          ExcludedOutages: 0,
        },
      ]),
    ),
};
