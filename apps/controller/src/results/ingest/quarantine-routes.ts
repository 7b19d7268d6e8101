import { cleanLine } from '@vantage/domain';
import { boundedText, isId } from '@vantage/kernel';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { ChangeByCaller } from '../../resources/change.ts';
import { findSender, groupsOfAccount, maxCounted, retryQuarantined } from './quarantine-store.ts';

const at = '2026-02-25T23:38:03+01:00';
/** Records that one request validates again. */
const maxRetried = 1_000;

const quarantineGroup = z
  .strictObject({
    agent_id: idField,
    Agent: z.string().describe('Its name.').meta({ example: 'oslo-1' }),
    Location: z.string().meta({ example: 'Oslo' }),
    Reason: z
      .string()
      .describe('Why the results were not accepted.')
      .meta({ example: 'its start is more than 5 minutes in the future' }),
    Records: z
      .int()
      .describe(`The number of results; of each agent, the newest ${maxCounted} are counted.`)
      .meta({ example: 12 }),
    Waiting: z
      .int()
      .describe('How many of these results a controller validates again within a minute.')
      .meta({ example: 0 }),
    First: timestampField.describe('When the first one arrived.').meta({ example: at }),
    Last: timestampField.describe('When the last one arrived.').meta({ example: at }),
  })
  .meta({ id: 'QuarantinedResults', description: 'Results of an agent that were not accepted.' });

const retry = z
  .strictObject({
    Reason: boundedText(2_000, 1)
      .describe('Results that were refused for this reason, as GET /quarantine shows it.')
      .meta({ example: 'its start is more than 5 minutes in the future' }),
  })
  .meta({ id: 'QuarantineRetry', description: 'The results that are validated again.' });

const retried = z
  .strictObject({
    Records: z.int().describe('The number of results that are validated again.').meta({ example: 12 }),
  })
  .meta({ id: 'QuarantineRetried', description: 'How many results are validated again.' });

/** Results that were not accepted: listing them, and validating them again. */
export function quarantineRoutes({ change }: { readonly change: ChangeByCaller }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/quarantine',
      level: 'UA',
      tag: 'Agents',
      summary: 'Results that were not accepted, by agent and reason; the latest first.',
      description:
        'A result is not accepted if, for example, its time is in the future, or older than the retention. At most 1,000 groups.',
      subject: noSubject,
      limitedCallers: 'refused',
      response: z.array(quarantineGroup),
      names: { root: 'quarantine', row: 'group', id: 'agent_id' },
      handler: async ({ db, session: { accountNo, zone } }) => {
        const rows = await groupsOfAccount(db, accountNo);
        return {
          body: rows.map((row) => ({
            agent_id: row.agent_id,
            Agent: cleanLine(row.agent),
            Location: cleanLine(row.location),
            Reason: row.reason,
            Records: row.records,
            Waiting: row.waiting,
            First: zone.format(row.first_us),
            Last: zone.format(row.last_us),
          })),
        };
      },
    }),
    retryRoute(change),
  ];
}

function retryRoute(change: ChangeByCaller): Route {
  return route({
    method: 'PUT',
    path: '/agents/{agent_id}/retry-quarantine',
    level: 'UA',
    tag: 'Agents',
    summary: 'Validates results of an agent again that were not accepted, the oldest first.',
    description: `At most ${maxRetried} results in a request; a controller validates them within a minute. Accepted results leave the quarantine, the others stay with their present reason. A result is never stored twice.`,
    limitedCallers: 'refused',
    subject: {
      what: 'agent' as const,
      find: (
        { accountNo }: Session,
        { agent_id: agentId = '' }: Readonly<Record<string, string>>,
        db: Reader,
      ) => (isId(agentId) ? findSender(db, accountNo, agentId) : Promise.resolve(undefined)),
    },
    body: retry,
    response: retried,
    names: { root: 'quarantine' },
    handler: async ({ db, session, subject: { agent_id: agentId }, body: { Reason: reason } }) => {
      const { accountNo } = session;
      const records = await change(db, session, async ({ trx, record }) => {
        const { length } = await retryQuarantined(trx, { accountNo, agentId, reason, limit: maxRetried });
        const fields = [{ field: 'RetriedResults', old: null, new: length }];
        if (length > 0) record({ action: 'update', kind: 'agent', accountNo, id: agentId, fields });
        return length;
      });
      return { body: { Records: records } };
    },
  });
}
