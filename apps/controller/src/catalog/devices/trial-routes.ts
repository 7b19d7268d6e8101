import { isReceived } from '@vantage/domain';
import { boundedText, type Clock, type FieldFault, isId, newId } from '@vantage/kernel';
import { conflict, invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Db } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { z } from 'zod';
import { createShape } from '../../resources/field-table.ts';
import { accepted } from '../../resources/refusal.ts';
import { resolveDevice, unique } from './device-settings.ts';
import { findDevice } from './device-store.ts';
import { deviceTable } from './device-table.ts';
import { offer, offeringMethods, showOffer } from './offer-fields.ts';
import { deviceCreate, type SentSettings } from './sent-device.ts';
import { deviceReadOnly } from './shown-device.ts';
import { openOrShown, sealTarget } from './stored-target.ts';

/** The maximum Timeout of a trial, seconds: a person waits for it. */
const maxTimeout = 30;

const trialTimeout = createShape({
  Timeout: { ...deviceTable.Timeout, schema: z.int().min(1).max(maxTimeout) },
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
    device_id: boundedText(100, 1)
      .optional()
      .describe(
        'A stored device: its secrets replace the masks `***` in URL and Options, while scheme, host, port and user stay. Settings that are not sent are its own.',
      )
      .meta({ example: '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802' }),
  })
  .meta({ id: 'CheckTrial' });

/** The fields that a device's GET returns and a trial ignores. */
const trialReadOnly = deviceReadOnly.filter((name) => name !== 'device_id');

/** Dependencies of the routes of trials. `Result` is what an agent answered. */
export interface TrialRouteDeps<Result> {
  readonly clock: Clock;
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
      readonly isOffer: boolean;
    },
    signal: AbortSignal,
  ) => Promise<
    | { readonly kind: 'done'; readonly result: Result }
    | { readonly kind: 'noAgent'; readonly message: string }
  >;
  /** The record of a trial, and how an answer is shown as one. */
  readonly record: z.ZodType;
  readonly show: (result: Result, location: string, zone: Zone) => unknown;
}

/** Checking settings once that are not stored, and asking a device what it offers. */
export function trialRoutes<Result extends Parameters<typeof showOffer>[0]>({
  clock,
  sealer,
  runTrial,
  record,
  show,
}: TrialRouteDeps<Result>): Route[] {
  const tryOnce = async (
    { session, scoped, body, faults, signal }: TrialCall,
    isOffer: boolean,
  ): Promise<{ readonly result: Result; readonly location: string }> => {
    const { accountNo } = session;
    const sent = { values: body, faults };
    const { settings, method } = await scoped((db) =>
      resolveTrial(db, { accountNo, sent, sealer, nowUs: clock.nowUs() }),
    );
    if (isOffer && !offeringMethods.some((name) => name === method))
      throw invalid([{ field: 'Method', message: `must be ${offeringMethods.join(' or ')}` }]);
    const [location] = settings.references.locations;
    if (location === undefined)
      throw invalid([{ field: 'Location', message: 'must be sent: the account has no DefaultLocations' }]);
    const deviceId = newId();
    const trial = {
      accountNo,
      locationNo: location.location_no,
      deviceId,
      method,
      sealed: sealTarget(sealer, deviceId, settings.target.clear),
      timeoutS: Math.min(maxTimeout, settings.plain.timeout_s),
      isOffer,
    };
    const outcome = await runTrial(trial, signal);
    if (outcome.kind === 'noAgent') throw conflict('no_answer', outcome.message);
    return { result: outcome.result, location: location.name };
  };
  return [
    validatingRoute({
      method: 'POST',
      path: '/checks/trial',
      limitedCallers: 'permitted',
      waits: true,
      level: 'UW',
      tag: 'Checks',
      summary: 'Checks settings once, before they are stored, and answers with the record.',
      subject: noSubject,
      body: trialCreate,
      readOnly: trialReadOnly,
      response: record,
      names: { root: 'check' },
      handler: async (call) => {
        const { result, location } = await tryOnce(call, false);
        return { body: show(result, location, call.session.zone) };
      },
    }),
    validatingRoute({
      method: 'POST',
      path: '/checks/offer',
      limitedCallers: 'permitted',
      waits: true,
      level: 'UW',
      tag: 'Checks',
      summary: 'Asks a device what it offers to watch: its interfaces and sensors.',
      subject: noSubject,
      body: trialCreate,
      readOnly: trialReadOnly,
      response: offer,
      names: { root: 'offer' },
      handler: async (call) => {
        const { result, location } = await tryOnce(call, true);
        return { body: showOffer(result, location) };
      },
    }),
  ];
}

/** A request of these routes. */
interface TrialCall {
  readonly session: { readonly accountNo: number };
  readonly scoped: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
  readonly body: TrialSettings;
  readonly faults: readonly FieldFault[];
  readonly signal: AbortSignal;
}

type TrialSettings = SentSettings & {
  readonly Location?: string | undefined;
  readonly device_id?: string | undefined;
};

/** The settings as a new or a stored device would have them. Throws a Problem that names each fault. */
async function resolveTrial(
  db: Db,
  trial: {
    readonly accountNo: number;
    readonly sent: {
      readonly values: TrialSettings;
      readonly faults: readonly FieldFault[];
    };
    readonly sealer: Sealer;
    readonly nowUs: number;
  },
) {
  const { accountNo, sent, sealer, nowUs } = trial;
  const { Location, device_id, ExternalKey: _, Source: __, Method: method, ...others } = sent.values;
  const values = { ...others, ...(Location === undefined ? {} : { Locations: [Location] }) };
  if (method === undefined) throw invalid([...unique(sent.faults)]);
  if (isReceived(method))
    throw invalid([
      { field: 'Method', message: `has no trial: no agent checks a device of Method ${method}` },
    ]);
  const resolved = await db.inTransaction(async ({ kysely }) => {
    const row =
      device_id === undefined || !isId(device_id)
        ? undefined
        : await findDevice(kysely, { accountNo, deviceId: device_id }, nowUs);
    if (device_id !== undefined && row?.method !== method)
      throw invalid([
        {
          field: 'device_id',
          message: `must be the id of a device of this account of Method ${method}`,
          reason: 'no_such_device',
        },
      ]);
    const current = row === undefined ? undefined : { row, clear: openOrShown(sealer, row) };
    return await resolveDevice(kysely, { accountNo, method, sent: { values, faults: sent.faults }, current });
  });
  if (resolved.kind === 'invalid') throw invalid(resolved.faults.map(ofLocation));
  return { settings: accepted(resolved).settings, method };
}

function ofLocation(fault: FieldFault): FieldFault {
  if (fault.field !== 'Locations') return fault;
  const message = fault.message.replace('names or ids of Locations', 'the name or id of a Location');
  return { ...fault, field: 'Location', message };
}
