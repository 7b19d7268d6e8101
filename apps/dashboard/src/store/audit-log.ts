import type { Schemas } from '@vantage/client';
import type { NamedList } from '../model/audit-names.ts';
import { ApiProblem, api, ifMay, send, take } from './api.ts';
import { serverNow } from './clock.ts';

/** The maximum number of entries in a file. */
export const maxExported = 50_000;
/** The stream sends an entry a minute after its change. */
const settleMs = 61_000;

type Named = readonly (readonly [id: string, name: string])[];

/** The things of each list with their names. */
const readers: Readonly<Record<NamedList, () => Promise<Named>>> = {
  agents: async () =>
    (await take(api.GET('/agents'))).map(({ agent_id, Name }) => [agent_id, Name ?? agent_id]),
  contacts: async () => (await take(api.GET('/contacts'))).map(({ contact_id, Name }) => [contact_id, Name]),
  hooks: async () => (await take(api.GET('/hooks'))).map(({ hook_id, Name }) => [hook_id, Name]),
  keys: async () => (await take(api.GET('/keys'))).map(({ key_id, Name }) => [key_id, Name]),
  mschedules: async () =>
    (await take(api.GET('/mschedules'))).map(({ mschedule_id, Name }) => [mschedule_id, Name]),
  nschedules: async () =>
    (await take(api.GET('/nschedules'))).map(({ nschedule_id, Name }) => [nschedule_id, Name]),
  pages: async () => (await take(api.GET('/pages'))).map(({ page_id, Name }) => [page_id, Name]),
  reports: async () => (await take(api.GET('/reports'))).map(({ report_id, Name }) => [report_id, Name]),
  secrets: async () => (await take(api.GET('/secrets'))).map(({ secret_id, Name }) => [secret_id, Name]),
  tags: async () => (await take(api.GET('/tags'))).map(({ tag_id, Name }) => [tag_id, Name]),
  users: async () => (await take(api.GET('/users'))).map(({ user_id, Name }) => [user_id, Name]),
};

/** The names of the things of these lists, by their ids. A list that the session may not read has none. */
export async function readNames(lists: ReadonlySet<NamedList>): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all([...lists].map((list) => ifMay(readers[list]())));
  return new Map(found.flatMap((named) => named ?? []));
}

/** An entry with the hash that chains it to all entries before it. */
type ChainedEntry = Schemas['AuditEntry'] & { readonly Hash: string };

/** All entries of the audit with their hashes, oldest first. The newest minute is not in it yet. */
export async function readChainedAudit(): Promise<{
  readonly entries: readonly ChainedEntry[];
  /** Whether there are more than `maxExported`. */
  readonly isCut: boolean;
}> {
  const query = { Limit: 1, Timestamp2: new Date(serverNow() - settleMs).toISOString() };
  const [last] = await take(api.GET('/audit', { params: { query } }));
  const entries: ChainedEntry[] = [];
  if (last === undefined) return { entries, isCut: false };
  const answer = await send(new Request('/v1.1/audit?stream=1'));
  if (!answer.ok || answer.body === null) throw new ApiProblem(answer.status, answer.statusText);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    // The stream continues with new entries, so the last one that is settled is its end.
    for (let rest = ''; ; ) {
      const { value, done } = await reader.read();
      const lines = `${rest}${value ?? ''}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((text) => text.trim() !== '')) {
        const entry: ChainedEntry = JSON.parse(line);
        entries.push(entry);
        if (entry.audit_id === last.audit_id) return { entries, isCut: false };
        if (entries.length >= maxExported) return { entries, isCut: true };
      }
      if (done) return { entries, isCut: false };
    }
  } finally {
    await reader.cancel();
  }
}
