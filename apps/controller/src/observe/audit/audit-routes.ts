import { boundedText, type Clock } from '@vantage/kernel';
import { someOf } from '@vantage/rest-kit/members';
import { beforeQuery, cutCursor, readCursor, sentLimit, usualRows } from '@vantage/rest-kit/paging';
import { invalid, missing } from '@vantage/rest-kit/problem';
import type { Call, Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { readSpan, spanQuery } from '@vantage/rest-kit/time-span';
import { z } from 'zod';
import { actions, auditEntry, kinds, show, storedActions } from './audit-entry.ts';
import { findEntryNo, listEntries } from './audit-store.ts';
import { openAuditStream } from './audit-stream.ts';

const query = z.object({
  Kind: someOf(kinds, 'Changes of this kind of thing only.'),
  Id: boundedText(100).optional().describe('Changes of the thing with this id only, also of a deleted one.'),
  Actor: boundedText(200, 1)
    .optional()
    .describe('Changes by this actor only, as entries name it.')
    .meta({ example: 'deploy' }),
  Action: someOf(['Create', 'Update', 'Delete', 'Refuse'], 'Entries with this Action only.'),
  ...spanQuery,
  ...beforeQuery('audit_id'),
  Limit: sentLimit,
  stream: z
    .enum(['', '1', 'true', 'Y', '0', 'false', 'N'])
    .optional()
    .describe(
      'Lines of JSON instead, oldest first: all entries, then each new one a minute after its change. Each line has the Hash of the lines before it. After and Hash continue; the other parameters are refused.',
    ),
  After: boundedText(100, 1)
    .optional()
    .describe('With stream: begin after the entry with this audit_id.')
    .meta({ example: '5f0c2c7ba3b94bd4a0a5b3e1c1f2d3e4' }),
  Hash: boundedText(64)
    .regex(/^[0-9a-f]{64}$/, 'must be the Hash of a line: 64 hexadecimal digits')
    .optional()
    .describe('With stream and After: the Hash of the line that the stream continues.')
    .meta({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }),
});
const noStream: readonly (string | undefined)[] = [undefined, '0', 'false', 'N'];
const streamOnly = ['After', 'Hash'] as const;
const listOnly = [
  'Kind',
  'Id',
  'Actor',
  'Action',
  'Timestamp1',
  'Timestamp2',
  'Limit',
  'Before',
  'Offset',
] as const;

/** Reading the audit: who changed what in the account. */
export function auditRoutes({ clock }: { readonly clock: Clock }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      level: 'UR',
      tag: 'Audit',
      summary: 'Who changed what, newest first.',
      description:
        'Every change of the account, its keys, Locations, agents, devices, tags, secrets, contacts and schedules, by the API or the command line. An entry is written in the transaction of its change, and stays when the thing is deleted. No entry has a secret. Sign-ins that were refused have the Action Refuse, with the reason in Changes; of those from one address there is at most one entry a minute, with their number in Attempts.',
      subject: noSubject,
      query,
      response: z.array(auditEntry),
      names: { root: 'audit', row: 'entry', id: 'audit_id' },
      streams: 'lines',
      handler: async (call) => {
        if (!noStream.includes(call.query.stream)) return follow(clock, call);
        refuse(call.query, streamOnly, 'is sent with stream only');
        const { db, session, query: options } = call;
        const { accountNo, zone } = session;
        const { limit, offset, cursor } = readCursor(
          { ...options, Limit: options.Limit ?? usualRows },
          'audit_id',
        );
        const beforeNo = cursor === undefined ? undefined : await findEntryNo(db, accountNo, cursor);
        if (cursor !== undefined && beforeNo === undefined) throw missing('audit entry');
        const chosen =
          options.Action && storedActions.filter((action) => options.Action?.includes(actions[action]));
        const only = { kinds: options.Kind, id: options.Id, actor: options.Actor, actions: chosen };
        const page = { ...only, span: readSpan(options, zone), beforeNo, limit, offset };
        const found = await listEntries(db, accountNo, page);
        const { rows, next } = cutCursor(found, limit, 'before', (row) => row.audit_id);
        return { body: rows.map((row) => show(row, zone)), next };
      },
    }),
  ];
}

type AuditQuery = z.output<typeof query>;

/** A stream of the audit. Throws a Problem (1003) where `After` is no entry of the account. */
async function follow(
  clock: Clock,
  {
    session,
    sessionNow,
    scoped,
    query: options,
  }: Pick<Call<unknown, AuditQuery, unknown>, 'session' | 'sessionNow' | 'scoped' | 'query'>,
) {
  refuse(options, listOnly, 'cannot be sent with stream, which has all entries');
  const { After, Hash } = options;
  if ((After === undefined) !== (Hash === undefined))
    throw invalid([
      {
        field: After === undefined ? 'After' : 'Hash',
        message: 'is missing: After and Hash are sent together',
      },
    ]);
  const { accountNo } = session;
  const afterNo = After === undefined ? 0 : await scoped((db) => findEntryNo(db, accountNo, After));
  if (afterNo === undefined) throw missing('audit entry');
  const stream = openAuditStream(clock, {
    session: sessionNow,
    scoped,
    afterNo,
    after: After,
    hash: Hash,
    show,
  });
  return { body: [], stream, streamType: 'application/jsonl' as const };
}

function refuse(options: AuditQuery, names: readonly (keyof AuditQuery)[], message: string): void {
  const sent = names.filter((name) => options[name] !== undefined);
  if (sent.length > 0) throw invalid(sent.map((field) => ({ field, message })));
}
