import { newId } from '@vantage/kernel';
import { type Level, levels } from '@vantage/rest-kit/session';
import { z } from 'zod';
import type { RestFixture } from './rest-fixture.ts';
import type { SampleAccount } from './sample-account.ts';
import { addDeviceChange, addUser } from './sample-keys.ts';

/** Somebody who sends requests. */
export interface Caller {
  /** The key, or the cookie of a session with its CSRF token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values of the placeholders in paths. */
  readonly ids: Readonly<Record<string, string>>;
  /** Names of tags that what the caller creates must have; undefined: no limit. */
  readonly tags?: readonly string[];
}

/** Kinds of callers by what they are. */
export interface Callers {
  readonly all: Readonly<Record<string, Caller>>;
  /** Names of the tags of the limited callers, which the device of the sample has. */
  readonly tags: readonly string[];
}

/**
 * Creates each kind of caller of an account: no key, keys of each level with and without a limit to tags, a session of
 * each, keys of other tags and of another account. The device of the sample gets the tags.
 */
export async function createCallers(
  rest: RestFixture,
  { accountNo }: { readonly accountNo: number },
  { key, mine }: { readonly key: string; readonly mine: SampleAccount },
): Promise<Callers> {
  const byKey = (sent: string) => ({ 'Service-API-Key': sent });
  const sessionOf = async (sent: string) => {
    const reply = await rest.send('POST', '/session', { body: { Key: sent } });
    const { CsrfToken } = z.object({ CsrfToken: z.string() }).parse(reply.json);
    const Cookie = reply.headers.get('Set-Cookie')?.split(';')[0] ?? '';
    return { Cookie, 'X-CSRF-Token': CsrfToken };
  };
  const limit = await createLimits(rest, { accountNo, key, mine });
  const other = await rest.account('other');
  const otherKey = (await rest.key(other.accountNo, 'UA')).key;
  const reader = { Name: 'Reader', Type: 'email', Address: 'r@example.org', ExternalKey: 'reader' };
  await rest.send('POST', '/contacts', { key: otherKey, body: reader });
  await rest.send('POST', '/tags', { key: otherKey, body: { Name: scope[0] } });
  const admin = (await rest.key(accountNo, 'UA')).key;
  const withPassword = await rest.key(accountNo, 'UA', { user: 'u', password: 'p' });
  const unknownIds = Object.fromEntries(Object.keys(mine.ids).map((name) => [name, newId()]));
  const { 'X-CSRF-Token': _, ...bare } = await sessionOf(admin);
  const all: Record<string, Caller> = {
    'no key': { headers: {}, ids: mine.ids },
    'an unknown key': { headers: byKey('nobody'), ids: mine.ids },
    'a key without its password': { headers: byKey(withPassword.key), ids: mine.ids },
    'another account': { headers: byKey(otherKey), ids: mine.ids },
    'an unknown id': { headers: byKey(admin), ids: unknownIds },
    'UA of other tags': { ...(await limit('UA', ['elsewhere'], byKey)), ids: mine.ids },
    'a session without its CSRF token': { headers: bare, ids: mine.ids },
  };
  for (const level of levels) {
    const own = (await rest.key(accountNo, level)).key;
    all[level] = { headers: byKey(own), ids: mine.ids };
    all[`session of ${level}`] = { headers: await sessionOf(own), ids: mine.ids };
    all[`${level} of tags`] = await limit(level, scope, byKey);
    all[`session of ${level} of tags`] = await limit(level, scope, sessionOf);
  }
  return { all, tags: scope };
}

const scope = ['scope', 'kept'] as const;

/** Creates the tags, and what makes a caller who is limited to some of them, with a key and a person to be seen. */
async function createLimits(
  rest: RestFixture,
  account: { readonly accountNo: number; readonly key: string; readonly mine: SampleAccount },
) {
  const { accountNo, key, mine } = account;
  const made = new Map<string, { readonly id: string; readonly no: number }>();
  for (const Name of [...scope, 'elsewhere']) {
    const { json } = await rest.send('POST', '/tags', { key, body: { Name } });
    const { tag_id: id } = z.object({ tag_id: z.string() }).parse(json);
    const { tag_no: no } = await rest.db.kysely
      .selectFrom('tags')
      .select('tag_no')
      .where('tag_id', '=', id)
      .executeTakeFirstOrThrow();
    made.set(Name, { id, no });
  }
  await rest.send('PUT', `/devices/${mine.ids['device_id']}`, { key, body: { Tags: scope } });
  const narrow = (keyNo: number, tags: readonly string[]) =>
    rest.db.kysely
      .updateTable('api_keys')
      .set({ tag_nos: tags.map((name) => made.get(name)?.no ?? 0) })
      .where('key_no', '=', keyNo)
      .execute();
  return async (
    level: Level,
    tags: readonly string[],
    headersOf: (key: string) => Caller['headers'] | Promise<Caller['headers']>,
  ): Promise<Caller> => {
    const own = await rest.key(accountNo, level);
    await narrow(own.keyNo, tags);
    const seen = await rest.key(accountNo, 'UR');
    await narrow(seen.keyNo, tags);
    const user_id = await addUser(rest, accountNo, async (keyNo) => void (await narrow(keyNo, tags)));
    const change_id = await addDeviceChange(rest, accountNo, own.keyNo);
    const ids = {
      ...mine.ids,
      tag_id: made.get(tags[0] ?? '')?.id ?? '',
      key_id: seen.keyId,
      user_id,
      change_id,
    };
    return { headers: await headersOf(own.key), ids, tags };
  };
}
