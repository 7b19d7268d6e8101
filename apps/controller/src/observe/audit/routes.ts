import { minuteUs } from '@vantage/domain';
import { type ChainEnd, chainLine, type Entry, emptyChain } from '@vantage/domain/audit-chain';
import { boundedText, type Clock } from '@vantage/kernel';
import { z } from 'zod';
import { type Db, isTransientDbError } from '../../platform/db/index.ts';
import { idField, timestampField } from '../../rest/http/field.ts';
import { someOf } from '../../rest/http/members.ts';
import { beforeQuery, cutCursor, readCursor, sentLimit, usualRows } from '../../rest/http/paging.ts';
import { invalid, missing } from '../../rest/http/problem.ts';
import { type Call, noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { readSpan, spanQuery } from '../../rest/http/time-span.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { type AuditRow, findEntryNo, listEntries, listEntriesAfter } from './audit-store.ts';

const actions = { create: 'Create', update: 'Update', delete: 'Delete', refuse: 'Refuse' } as const;
const storedActions = ['create', 'update', 'delete', 'refuse'] as const;
const kinds = [
  'account',
  'key',
  'location',
  'agent',
  'device',
  'devices',
  'tag',
  'secret',
  'contact',
  'nschedule',
  'mschedule',
  'hook',
  'page',
  'report',
  'alert',
  'session',
  'user',
  'maintenance',
  'outage',
  'delivery',
] as const;

const value = z.unknown().meta({
  description:
    'As the API shows the field: a secret is `***`. null: no value. Of a longer value than 4,096 characters the beginning.',
});

const change = z.strictObject({
  Field: z.string().describe("The field's name.").meta({ example: 'Timeout' }),
  Old: value.meta({ example: 30 }),
  New: value.meta({ example: 10 }),
});

const auditEntry = z
  .strictObject({
    audit_id: idField,
    Timestamp: timestampField,
    Actor: z
      .string()
      .describe(
        "The API key's name (its id where it has no name), `command line (USER)` with the user of the controller's host, or `stranger`, who signed in to nothing.",
      )
      .meta({ example: 'deploy' }),
    Address: z
      .string()
      .nullable()
      .describe('Address of the caller; null for the command line.')
      .meta({ example: '192.0.2.10' }),
    Action: z
      .enum(['Create', 'Update', 'Delete', 'Refuse'])
      .describe('What happened. Refuse: a sign-in was refused.')
      .meta({ example: 'Update' }),
    Kind: z.enum(kinds).describe('What kind of thing changed.').meta({ example: 'device' }),
    Id: idField.describe('Id of the thing that changed, for example its device_id.'),
    Changes: z.array(change).meta({
      description:
        'The changed fields; of a deleted thing those by which people know it. Devices of a tag: the device that was attached (New) or detached (Old).',
      example: [{ Field: 'Timeout', Old: 30, New: 10 }],
    }),
  })
  .meta({ id: 'AuditEntry', description: 'A change of the account or of a thing of it.' });

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
export function auditRoutes({ db, clock }: { readonly db: Db; readonly clock: Clock }): Route[] {
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
        if (!noStream.includes(call.query.stream)) return follow({ db, clock }, call);
        refuse(call.query, streamOnly, 'is sent with stream only');
        const { session, query: asked } = call;
        const { accountNo, zone } = session;
        const { limit, offset, cursor } = readCursor(
          { ...asked, Limit: asked.Limit ?? usualRows },
          'audit_id',
        );
        const beforeNo = cursor === undefined ? undefined : await findEntryNo(db, accountNo, cursor);
        if (cursor !== undefined && beforeNo === undefined) throw missing('audit entry');
        const chosen = asked.Action && storedActions.filter((each) => asked.Action?.includes(actions[each]));
        const only = { kinds: asked.Kind, id: asked.Id, actor: asked.Actor, actions: chosen };
        const page = { ...only, span: readSpan(asked, zone), beforeNo, limit, offset };
        const found = await listEntries(db, accountNo, page);
        const { rows, next } = cutCursor(found, limit, 'before', (row) => row.audit_id);
        return { body: rows.map((row) => show(row, zone)), next };
      },
    }),
  ];
}

type Asked = z.output<typeof query>;

/** A stream of the audit. Throws a Problem (1003) where `After` is no entry of the account. */
async function follow(
  deps: { readonly db: Db; readonly clock: Clock },
  {
    session,
    sessionNow,
    scoped,
    query: asked,
  }: Pick<Call<unknown, Asked, unknown>, 'session' | 'sessionNow' | 'scoped' | 'query'>,
) {
  refuse(asked, listOnly, 'cannot be sent with stream, which has all entries');
  const { After, Hash } = asked;
  if ((After === undefined) !== (Hash === undefined))
    throw invalid([
      {
        field: After === undefined ? 'After' : 'Hash',
        message: 'is missing: After and Hash are sent together',
      },
    ]);
  const { accountNo } = session;
  const find = async () => (After === undefined ? 0 : findEntryNo(deps.db, accountNo, After));
  const afterNo = await scoped(find);
  if (afterNo === undefined) throw missing('audit entry');
  const stream = openAuditStream(deps, { session: sessionNow, afterNo, after: After, hash: Hash, show });
  return { body: [], stream, streamType: 'application/jsonl' as const };
}

function refuse(asked: Asked, names: readonly (keyof Asked)[], message: string): void {
  const sent = names.filter((name) => asked[name] !== undefined);
  if (sent.length > 0) throw invalid(sent.map((field) => ({ field, message })));
}

const storedChanges = z.array(change);

function show(row: AuditRow, zone: Zone): z.input<typeof auditEntry> {
  return {
    audit_id: row.audit_id,
    Timestamp: zone.format(row.at_us),
    Actor: row.actor,
    Address: row.address,
    Action: actions[row.action],
    Kind: z.enum(kinds).parse(row.kind),
    Id: row.id,
    Changes: storedChanges.parse(row.changes),
  };
}

/** An entry is sent this long after its change: until then, one with a smaller number may still be committed. */
const settleUs = minuteUs;
const pollMs = 2_000;
/** A slow reader holds at most so many rows in memory. */
const pageRows = 50;

/** The account's audit as lines of JSON that are chained by hashes, until the signal aborts. */
function openAuditStream(
  { db, clock }: { readonly db: Db; readonly clock: Pick<Clock, 'nowUs' | 'sleep'> },
  ask: {
    readonly session: () => Session;
    readonly afterNo: number;
    /** The id and the hash of the line that is continued; undefined: the first line follows. */
    readonly after: string | undefined;
    readonly hash: string | undefined;
    readonly show: (row: AuditRow, zone: Zone) => object;
  },
): (signal: AbortSignal) => AsyncGenerator<string> {
  const page = async (afterNo: number) => {
    const { accountNo, scope } = ask.session();
    const read = () => listEntriesAfter(db, accountNo, { afterNo, limit: pageRows });
    const rows = await (scope === undefined ? read() : db.inScope(scope, read));
    const beforeUs = clock.nowUs() - settleUs;
    const unsettled = rows.findIndex(({ at_us }) => at_us >= beforeUs);
    return unsettled < 0 ? rows : rows.slice(0, unsettled);
  };
  return async function* stream(signal) {
    let end: ChainEnd = { ...emptyChain, auditId: ask.after, hash: ask.hash ?? emptyChain.hash };
    let { afterNo } = ask;
    while (!signal.aborted) {
      const rows = await page(afterNo).catch((error: unknown) => {
        if (isTransientDbError(error)) return [];
        throw error;
      });
      for (const row of rows) {
        const entry: Entry = JSON.parse(JSON.stringify(ask.show(row, ask.session().zone)));
        const made = chainLine(end, entry);
        yield made.line;
        ({ end } = made);
        afterNo = row.audit_no;
      }
      if (rows.length < pageRows) await clock.sleep(pollMs, signal).catch(() => {});
    }
  };
}
