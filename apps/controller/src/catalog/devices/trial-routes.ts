import { boundedText, type FieldFault, newId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { Sealer } from '../../platform/secrets/seal.ts';
import { conflict, invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, validatingRoute } from '../../rest/http/route.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { createShape } from '../field-table.ts';
import { accepted } from '../refusal.ts';
import { deviceCreate, deviceReadOnly, deviceTable, type SentSettings } from './fields.ts';
import { resolveDevice, unique } from './settings.ts';
import { sealTarget } from './target.ts';

/** The longest Timeout of a trial, seconds: somebody waits for it. */
const longestTimeout = 30;

const trialTimeout = createShape({
  Timeout: { ...deviceTable.Timeout, schema: z.int().min(1).max(longestTimeout) },
});
const trialCreate = z
  .strictObject({
    ...deviceCreate.shape,
    ShortName: deviceCreate.shape.ShortName.optional(),
    Timeout: trialTimeout.Timeout,
    Location: boundedText(200, 1)
      .optional()
      .describe(
        "The Location from which it is checked, by name or id; absent: the first of the account's DefaultLocations.",
      ),
  })
  .meta({ id: 'CheckTrial' });

/** Dependencies of the routes of trials. `Result` is what an agent answered. */
export interface TrialRouteDeps<Result> {
  readonly db: Db;
  readonly sealer: Sealer;
  /** Has an agent of the Location check the settings; see `run-requests/trial.ts`. */
  readonly runTrial: (
    trial: {
      readonly accountNo: number;
      readonly locationNo: number;
      readonly deviceId: string;
      readonly method: string;
      readonly sealed: Uint8Array;
      readonly timeoutS: number;
    },
    signal: AbortSignal,
  ) => Promise<
    { readonly kind: 'done'; readonly result: Result } | { readonly kind: 'nobody'; readonly message: string }
  >;
  /** The record of a trial, and how an answer is shown as one. */
  readonly record: z.ZodType;
  readonly show: (result: Result, location: string, zone: Zone) => unknown;
}

/** Checking settings once that are not stored. */
export function trialRoutes<Result>({ db, sealer, runTrial, record, show }: TrialRouteDeps<Result>): Route[] {
  return [
    validatingRoute({
      method: 'POST',
      path: '/checks/trial',
      waits: true,
      level: 'UW',
      tag: 'Checks',
      summary: 'Checks settings once, before they are stored, and answers with the record.',
      subject: noSubject,
      body: trialCreate,
      readOnly: deviceReadOnly,
      response: record,
      names: { root: 'check' },
      handler: async ({ session, scoped, body, faults, signal }) => {
        const { accountNo, zone } = session;
        const sent = { values: body, faults };
        const { settings, method } = await scoped(() => resolveTrial(db, accountNo, sent));
        const [location] = settings.references.locations;
        if (location === undefined)
          throw invalid([
            { field: 'Location', message: 'must be sent: the account has no DefaultLocations' },
          ]);
        const deviceId = newId();
        const trial = {
          accountNo,
          locationNo: location.location_no,
          deviceId,
          method,
          sealed: sealTarget(sealer, deviceId, settings.target.clear),
          timeoutS: Math.min(longestTimeout, settings.plain.timeout_s),
        };
        const outcome = await runTrial(trial, signal);
        if (outcome.kind === 'nobody') throw conflict('no_answer', outcome.message);
        return { body: show(outcome.result, location.name, zone) };
      },
    }),
  ];
}

/** The settings as a new device would have them. Throws a Problem that names each fault. */
async function resolveTrial(
  db: Db,
  accountNo: number,
  sent: {
    readonly values: SentSettings & { readonly Location?: string | undefined };
    readonly faults: readonly FieldFault[];
  },
) {
  const { Location, ExternalKey: _, Source: __, Method: method, ...others } = sent.values;
  const values = { ...others, ...(Location === undefined ? {} : { Locations: [Location] }) };
  if (method === undefined) throw invalid([...unique(sent.faults)]);
  const resolved = await db.kysely
    .transaction()
    .execute((trx) =>
      resolveDevice(trx, { accountNo, method, sent: { values, faults: sent.faults }, current: undefined }),
    );
  if (resolved.kind === 'invalid') throw invalid(resolved.faults.map(ofLocation));
  return { settings: accepted(resolved).settings, method };
}

function ofLocation(fault: FieldFault): FieldFault {
  if (fault.field !== 'Locations') return fault;
  const message = fault.message.replace('names or ids of Locations', 'the name or id of a Location');
  return { ...fault, field: 'Location', message };
}
