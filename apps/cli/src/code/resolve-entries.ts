import type { Json } from '@vantage/domain';
import type { AccountState } from './account-state.ts';
import type { DesiredResource } from './desired-resource.ts';
import { createReferenceFinder } from './find-reference.ts';
import {
  type FileEntry,
  type FileProblem,
  kinds,
  type ManagedKind,
  nameOf,
  required,
  writeOnly,
} from './managed-kinds.ts';
import type { EntryMatches } from './match-resources.ts';
import { normalizeSettings } from './normalize-settings.ts';

/** Resolves the references of entries. Pure. */
export function resolveEntries(
  entries: readonly FileEntry[],
  account: AccountState,
  matches: EntryMatches,
): { readonly desired: readonly DesiredResource[]; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const find = createReferenceFinder(entries, account.resources, matches);
  const desired = entries.map((entry): DesiredResource => {
    const rule = kinds[entry.kind];
    const resolve = (kind: ManagedKind, field: string, text: Json): Json => {
      if (typeof text !== 'string') return text;
      const { reference, problem } = find(kind, text);
      if (problem !== undefined) problems.push({ at: entry.at(field), text: `${field}: ${problem}` });
      return reference ?? text;
    };
    const settings: Record<string, Json> = {};
    const secrets: Record<string, Json> = {};
    for (const [field, byDefault] of Object.entries(rule.fields)) {
      const value = entry.settings[field];
      if (byDefault === writeOnly) {
        if (value !== undefined) secrets[field] = value;
      } else if (value === undefined || value === null) {
        if (byDefault !== required) settings[field] = byDefault;
        else problems.push({ at: entry.at(), text: `${rule.what} ${entry.key} needs ${field}` });
      } else {
        const kind = rule.references[field];
        settings[field] =
          kind === undefined
            ? value
            : Array.isArray(value)
              ? value.map((item: Json) => resolve(kind, field, item))
              : resolve(kind, field, value);
      }
    }
    const { resource, isKeyless = false } = matches.get(entry) ?? {};
    return {
      entry,
      name: nameOf(entry.settings, entry.key),
      settings: normalizeSettings(entry, settings, account.timezone, (text) =>
        resolve('contact', 'Steps', text),
      ),
      secrets,
      resource,
      isKeyless,
    };
  });
  return { desired, problems };
}
