import { readExpiryDays } from '@vantage/domain';
import { boundedText, type Clock } from '@vantage/kernel';
import { idField, shownTimes, showTimes, timeNames } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { createZone } from '@vantage/rest-kit/zone';
import type { Db, Reader } from '@vantage/storage';
import { z } from 'zod';
import { defaultLocations } from '../../catalog/devices/referenced-locations.ts';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { expiryDaysSchema } from '../../resources/expiry-days-field.ts';
import { referenceField } from '../../resources/external-key.ts';
import { limitedKinds, readLimits } from '../../resources/limited-kinds.ts';
import { accepted } from '../../resources/refusal.ts';
import { zoneNameField } from '../../resources/zone-field.ts';
import { readAccount } from './account-store.ts';
import { changeAccount } from './account-write.ts';

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
    ExpiryWarningDays: z
      .array(z.int())
      .nullable()
      .describe(
        'Days before the end of a certificate or domain at which devices warn that have no days of their own; null: 30, 14, 7, 3 and 1.',
      ),
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
    ExpiryWarningDays: expiryDaysSchema
      .nullable()
      .optional()
      .describe(
        'Days before the end of a certificate or domain at which devices warn that have no days of their own, falling; []: never; null: 30, 14, 7, 3 and 1.',
      )
      .meta({ example: [30, 14, 7] }),
  })
  .meta({ id: 'AccountUpdate' });

/** The parts that the routes of the account need. */
export interface AccountRouteDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly retentionDays: number;
  /** Called after a change of an account, so that its sessions are read again. */
  readonly onChanged: (db: Db, accountNo: number) => void;
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

function limitRoute({ catalog }: AccountRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/account/limits',
    limitedCallers: 'refused',
    level: 'UR',
    tag,
    summary: 'How many things of each kind the account has and may have.',
    subject: noSubject,
    response: z.array(limitFull),
    names: { root: 'limits', row: 'limit' },
    handler: async ({ db, session: { accountNo } }) => {
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
      handler: async ({ db, session }) => ({ body: await read(db, session) }),
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
      handler: async ({ db, session, body, faults }) => {
        const { accountNo } = session;
        const change = { accountNo, sent: body, faults, nowUs: deps.clock.nowUs() };
        accepted(
          await deps.catalog.change(db, actorOf(session), (transaction) =>
            changeAccount(transaction, change),
          ),
        );
        deps.onChanged(db, accountNo);
        return { body: await read(db, session) };
      },
    }),
  ];
}

function createAccountReader({ retentionDays }: Pick<AccountRouteDeps, 'retentionDays'>) {
  return async ({ kysely }: Reader, { accountNo }: Session): Promise<z.input<typeof accountFull>> => {
    const [row, locations] = await Promise.all([
      readAccount(kysely, accountNo),
      defaultLocations(kysely, accountNo),
    ]);
    const names = locations.map(({ name }) => name);
    return {
      account_id: row.account_id,
      Name: row.name,
      Timezone: row.timezone,
      DefaultLocations: row.default_location_ids === null ? null : names,
      nschedule_id: row.nschedule_id,
      ExpiryWarningDays:
        row.expiry_warning_days === null ? null : [...readExpiryDays(row.expiry_warning_days)],
      RetentionDays: retentionDays,
      // A change of the zone holds for its own answer.
      ...showTimes(row, createZone(row.timezone)),
    };
  };
}
