import { type Level, scopeParts } from '../../model/rights.ts';
import { peopleTexts as say } from '../../texts/people.ts';

/** The tags of a scope as the API shows them; null: no limit. */
export type ShownTags = readonly { readonly Name: string }[] | null;

/** The rights of a key or person in words. `all` are the tags of the account. */
export function rightsWords(level: Level, tags: readonly string[] | null, all: readonly string[]): string {
  if (tags === null) return say.may(level, say.everything);
  return say.may(level, tags.length === 0 ? say.nothing : say.only(scopeParts(tags, all)));
}

/** The names of these tags. */
export const namesOf = (tags: ShownTags): readonly string[] | null => tags?.map(({ Name }) => Name) ?? null;
