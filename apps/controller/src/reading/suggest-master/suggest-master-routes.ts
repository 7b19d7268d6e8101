import type { Clock } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceSubject } from '../history/check-routes.ts';
import { suggestMaster } from './suggest-master.ts';
import { masterCandidates, tracedWays } from './suggest-master-store.ts';

const suggestionRecord = z
  .strictObject({
    SuggestedMaster: idField
      .nullable()
      .describe('A PUT of it as device_master_id makes it the master; null: none is suggested.')
      .meta({ example: '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802' }),
    ShortName: z.string().nullable().describe('Of the suggested master.').meta({ example: 'gw' }),
    Address: z.string().nullable().describe('The hop by which it was found.').meta({ example: '192.0.2.1' }),
    Traceroutes: z
      .int()
      .min(0)
      .describe('How many traceroutes of checks, failed or requested, were read.')
      .meta({ example: 3 }),
    Complete: z
      .boolean()
      .describe(
        'A traceroute reached the device, and every router behind the suggested one answered. false: a nearer router may be missing; POST /devices/{device_id}/traceroute traces again.',
      )
      .meta({ example: true }),
    Reason: z
      .string()
      .nullable()
      .describe('Why none is suggested.')
      .meta({ example: 'no router on the way is a device of this account' }),
  })
  .meta({ id: 'SuggestedMaster', description: 'What traceroutes say about the master of a device.' });

/** Reads what the traceroutes of a device suggest as its master. */
export async function readSuggestion(
  { kysely }: Reader,
  {
    accountNo,
    deviceNo,
    nowUs,
  }: { readonly accountNo: number; readonly deviceNo: number; readonly nowUs: number },
): Promise<z.input<typeof suggestionRecord>> {
  const { ways, ownAddresses } = await tracedWays(kysely, deviceNo, nowUs);
  const candidates = ways.length === 0 ? [] : await masterCandidates(kysely, { accountNo, deviceNo, nowUs });
  const found = suggestMaster(ways, candidates, ownAddresses);
  const isFound = found.kind === 'master';
  return {
    SuggestedMaster: isFound ? found.candidate.deviceId : null,
    ShortName: isFound ? found.candidate.name : null,
    Address: isFound ? found.address : null,
    Traceroutes: ways.length,
    Complete: isFound && found.isComplete,
    Reason: isFound ? null : found.reason,
  };
}

/** The master that the traceroutes of a device suggest. */
export function suggestMasterRoutes({
  clock,
  device,
}: {
  readonly clock: Clock;
  readonly device: DeviceSubject;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/suggested-master',
      level: 'UR',
      tag: 'Devices',
      summary: "The device's nearest router that is itself a device of the account.",
      description:
        'Failed checks keep traceroutes, and POST /devices/{device_id}/traceroute makes one. The nearest hop that is a device of the account is suggested as the master, if all Locations reach the device by it. Nothing is changed.',
      subject: device,
      query: z.object({}),
      response: suggestionRecord,
      names: { root: 'suggestion' },
      handler: async ({ db, session: { accountNo }, subject: { device_no: deviceNo } }) => ({
        body: await readSuggestion(db, { accountNo, deviceNo, nowUs: clock.nowUs() }),
      }),
    }),
  ];
}
