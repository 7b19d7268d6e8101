import { boundedText, isId } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { sql } from 'kysely';
import { invalid, missing, type NamedThing } from '../serve/problem.ts';
import { commaList } from './members.ts';

/** A query may name at most this many tags, Locations or devices. */
const maxNamed = 50;

/** Such a list in the document. */
const textList = { type: 'array', items: { type: 'string' } } as const;

const named = (what: string, example: string) => (purpose: string) =>
  boundedText(10_000, 1)
    .optional()
    .meta({
      description: `Name or id of a ${what}, or several: ${purpose}.`,
      param: commaList,
      override: textList,
      example: [example],
    });

/** The query parameter `Tag`. `purpose` completes the sentence that describes it. */
export const tagQuery = named('tag', 'berlin/rack-3');

/** The query parameter `Location`. */
export const locationQuery = named('Location', 'local');

/** The query parameter `Device`. */
export function deviceQuery(purpose: string) {
  return boundedText(10_000, 1)
    .optional()
    .meta({
      description: `A device_id, or several: ${purpose}.`,
      param: commaList,
      override: textList,
      example: ['8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d'],
    });
}

/** The numbers of the account's tags that a text names, see `readNamed`. */
export async function readTagNos(
  db: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
): Promise<readonly number[]> {
  return (await readTagSets(db, accountNo, text)).flat();
}

/** The same for each member of the list. */
export function readTagSets(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
): Promise<readonly (readonly number[])[]> {
  return readNamed(text, 'Tag', 'tag', (texts) =>
    kysely
      .selectFrom('tags')
      .select(['tag_no as no', 'tag_id as id', 'name'])
      .where('account_no', '=', accountNo)
      .where((where) => where.or([where('name', 'in', texts), where('tag_id', 'in', texts)]))
      .execute(),
  );
}

/**
 * The numbers of the account's Locations that a text names, see `readNamed`. `deleted` ones count for history, which
 * they keep.
 */
export async function readLocationNos(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
  { deleted = true }: { readonly deleted?: boolean } = {},
): Promise<readonly number[]> {
  const found = await readNamed(text, 'Location', 'Location', (texts) =>
    kysely
      .selectFrom('locations')
      .select(['location_no as no', 'location_id as id', 'name'])
      .where('account_no', '=', accountNo)
      .$if(!deleted, (query) => query.where('deleted_at', 'is', null))
      .where((where) => where.or([where('name', 'in', texts), where('location_id', 'in', texts)]))
      .execute(),
  );
  return found.flat();
}

/**
 * The numbers of the account's devices with these ids, joined by commas. `deleted` ones count for a day where what is
 * read outlives them. Throws a Problem: 1003 where there is none, 1004 for too many.
 */
export async function readDeviceNos(
  { kysely }: Pick<Db, 'kysely'>,
  accountNo: number,
  text: string,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<readonly number[]> {
  const ids = membersOf('Device', text);
  if (!ids.every(isId)) throw missing('device');
  const named = sql`account_no = ${accountNo}::int and device_id = any(${ids}::text[])`;
  const gone = deleted ? sql`union select device_no from deleted_devices where ${named}` : sql``;
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where ${named} ${gone}`.execute(kysely);
  if (rows.length < new Set(ids).size) throw missing('device');
  return rows.map(({ device_no }) => device_no);
}

/** The members of a list that is joined by commas. Throws a Problem (1004) for too many. */
export function membersOf(field: string, text: string): readonly string[] {
  const members = text.split(',');
  if (members.length > maxNamed)
    throw invalid([{ field, message: `names ${members.length} things; accepted are at most ${maxNamed}` }]);
  return members;
}

interface NamedRow {
  readonly no: number;
  readonly id: string;
  readonly name: string;
}

/**
 * The numbers of what each member of a text names by its name or id; members are joined by commas, and a name with a
 * comma in it counts first. Throws a Problem: 1003 where there is none, 1004 for too many.
 */
async function readNamed(
  text: string,
  field: string,
  what: NamedThing,
  find: (texts: readonly string[]) => Promise<readonly NamedRow[]>,
): Promise<readonly (readonly number[])[]> {
  const members = membersOf(field, text);
  const rows = await find([...new Set([text, ...members])]);
  const numbers = (member: string) =>
    rows.filter(({ id, name }) => id === member || name === member).map(({ no }) => no);
  const whole = numbers(text);
  if (whole.length > 0) return [whole];
  return members.map((member) => {
    const found = numbers(member);
    if (found.length === 0) throw missing(what);
    return found;
  });
}
