import { boundedText, type Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, shownTimes, showTimes, timeNames } from '../../rest/http/field.ts';
import { noSubject, type Route, route, validatingRoute } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { createZone } from '../../rest/http/zone.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { defaultLocations } from '../devices/references.ts';
import { referenceField } from '../external-key.ts';
import { accepted, limitedKinds, readLimits } from '../refusal.ts';
import { zoneNameField } from '../zone-field.ts';
import { readAccount } from './store.ts';
import { changeAccount } from './write.ts';

const tag = 'Account';
const names = { root: 'account', id: 'account_id' } as const;
const readOnly = ['account_id', 'Name', 'RetentionDays', ...timeNames] as const;

const accountFull = z
  .strictObject({
    account_id: idField,
    Name: z.string().describe("Read-only; the operator's."),
    Timezone: z.string().describe('IANA name; timestamps are shown in it.'),
    DefaultLocations: z
      .array(z.string())
      .nullable()
      .describe(
        'Locations of devices that name none; null: the one named local, also while it does not exist yet; []: none.',
      ),
    nschedule_id: z.string().nullable(),
    RetentionDays: z.int().describe("How long raw checks are kept; the operator's setting."),
    ...shownTimes,
  })
  .meta({ id: 'Account' });

const accountUpdate = z
  .strictObject({
    Timezone: zoneNameField.optional(),
    DefaultLocations: z
      .array(boundedText(200, 1))
      .max(1000)
      .nullable()
      .optional()
      .describe('Names or ids; null: the Location named local.'),
    nschedule_id: referenceField.nullable().optional(),
  })
  .meta({ id: 'AccountUpdate' });

/** The parts that the routes of the account need. */
export interface AccountRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Called after a change of an account, so that its sessions are read anew. */
  readonly onChanged: (accountNo: number) => void;
}

const limitFull = z
  .strictObject({
    Kind: z
      .enum(limitedKinds)
      .describe('The kind of thing, as the path of its list.')
      .meta({ example: 'devices' }),
    Used: z.int().describe('How many the account has.').meta({ example: 1_250 }),
    Most: z.int().describe("How many it may have; the operator's setting.").meta({ example: 100_000 }),
  })
  .meta({ id: 'AccountLimit', description: 'How many things of a kind an account has and may have.' });

function limitRoute({ db, catalog }: AccountRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/account/limits',
    level: 'UR',
    tag,
    summary: 'How many things of each kind the account has and may have.',
    subject: noSubject,
    response: z.array(limitFull),
    names: { root: 'limits', row: 'limit' },
    handler: async ({ session: { accountNo } }) => {
      const limits = await readLimits(db.kysely, accountNo, catalog.limits);
      return { body: limits.map(({ kind, used, most }) => ({ Kind: kind, Used: used, Most: most })) };
    },
  });
}

/** Reading and changing the caller's own account. */
export function accountRoutes(deps: AccountRouteDeps): Route[] {
  const read = createAccountReader(deps);
  return [
    limitRoute(deps),
    route({
      method: 'GET',
      path: '/account',
      level: 'UR',
      tag,
      summary: "The caller's account.",
      subject: noSubject,
      response: accountFull,
      names,
      handler: async ({ session }) => ({ body: await read(session) }),
    }),
    validatingRoute({
      method: 'PUT',
      path: '/account',
      level: 'UW',
      tag,
      summary: 'Changes the account: what is absent stays.',
      subject: noSubject,
      body: accountUpdate,
      readOnly,
      response: accountFull,
      names,
      handler: async ({ session, body, faults }) => {
        const { accountNo } = session;
        const change = { accountNo, sent: body, faults, nowUs: deps.clock.nowUs() };
        accepted(
          await deps.catalog.change(actorOf(session), (transaction) => changeAccount(transaction, change)),
        );
        deps.onChanged(accountNo);
        return { body: await read(session) };
      },
    }),
  ];
}

function createAccountReader({ db, retentionDays }: Pick<AccountRouteDeps, 'db' | 'retentionDays'>) {
  return async ({ accountNo }: Session): Promise<z.input<typeof accountFull>> => {
    const [row, locations] = await Promise.all([
      readAccount(db.kysely, accountNo),
      defaultLocations(db.kysely, accountNo),
    ]);
    const names = locations.map(({ name }) => name);
    return {
      account_id: row.account_id,
      Name: row.name,
      Timezone: row.timezone,
      DefaultLocations: row.default_location_ids === null ? null : names,
      nschedule_id: row.nschedule_id,
      RetentionDays: retentionDays,
      // A change of the zone holds for its own answer.
      ...showTimes(row, createZone(row.timezone)),
    };
  };
}
