import { type AccessLevel, scopeParts } from '../../model/rights.ts';
import { peopleTexts as say } from './people-texts.ts';

/** The tags of a scope in the API; null: no limit. */
export type ShownTags = readonly { readonly Name: string }[] | null;

/** The rights of a key or person in words. `all` are the tags of the account. */
export function rightsWords(
  level: AccessLevel,
  tags: readonly string[] | null,
  all: readonly string[],
): string {
  if (tags === null) return say.mayAll(level);
  return tags.length === 0 ? say.mayNothing(level) : say.mayOnly(level, scopeParts(tags, all));
}

export const namesOf = (tags: ShownTags): readonly string[] | null => tags?.map(({ Name }) => Name) ?? null;
