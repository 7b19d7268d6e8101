import { api, take } from './api.ts';

/** The names of all tags of the account. */
export async function readTagNames(): Promise<readonly string[]> {
  return (await take(api.GET('/tags'))).map(({ Name }) => Name);
}

/** Creates the tags that do not exist yet. */
export async function createTags(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set((await readTagNames()).map((name) => name.toLowerCase()));
  for (const Name of names)
    if (!known.has(Name.toLowerCase())) await take(api.POST('/tags', { body: { Name } }));
}
