import { findAccess } from '../remote/access.ts';
import { connect } from '../remote/connection.ts';
import type { NameKind } from './candidates.ts';

/** Nobody waits longer for a candidate. */
const longestMs = 1_500;
const most = 200;

/** Names that begin as `prefix` does, of the controller that commands would use; none where it does not answer soon. */
export async function knownNames(kinds: readonly NameKind[], prefix: string): Promise<readonly string[]> {
  if (kinds.length === 0) return [];
  const limit = new Promise<string[]>((resolve) => void setTimeout(resolve, longestMs, []).unref());
  const all = kinds.map((kind) => Promise.race([read(kind, prefix).catch(() => []), limit]));
  return (await Promise.all(all)).flat();
}

async function read(kind: NameKind, prefix: string): Promise<readonly string[]> {
  using connection = connect(findAccess({}, process.env));
  const { client } = connection;
  if (kind === 'tag') {
    const { data = [] } = await client.GET('/tags', { params: { query: { Limit: 100 } } });
    return data.map(({ Name }) => Name);
  }
  const query = { Limit: most, ...(prefix === '' ? {} : { Search: prefix }) };
  const { data = [] } = await client.GET('/states', { params: { query } });
  return data.flatMap((row) =>
    'ShortName' in row && typeof row.ShortName === 'string' ? [row.ShortName] : [],
  );
}
