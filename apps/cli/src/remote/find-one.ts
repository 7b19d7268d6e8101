import { Fault, isId } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import type { ApiResource } from './api-resources.ts';
import type { ApiRow } from './read-rows.ts';

const maxShown = 10;

/**
 * Finds the id of the resource that a text names: its id, or one of its name fields. An exact match wins over a match
 * in another letter case. Throws a Fault for no match, and for several, which it lists. Pure.
 */
export function findOne({ name, id, names }: ApiResource, rows: readonly ApiRow[], text: string): string {
  if (isId(text)) return text;
  const same = (row: ApiRow, field: string, fold: (value: string) => string) =>
    typeof row[field] === 'string' && fold(row[field]) === fold(text);
  for (const fold of [(value: string) => value, (value: string) => value.toLowerCase()])
    for (const field of names) {
      const found = rows.filter((row) => same(row, field, fold));
      if (found.length === 1) return textOf(found[0]?.[id]);
      if (found.length > 1) {
        const shown = found
          .slice(0, maxShown)
          .map((row) => `${textOf(row[id])} (${textOf(row['FullName'] ?? row[field])})`);
        throw new Fault(
          'stop',
          'ambiguous',
          `${text} is the ${field} of ${found.length} ${name}; write the id of one of them:\n${shown.join('\n')}`,
        );
      }
    }
  throw new Fault('stop', 'missing', `no ${name.slice(0, -1)} has the id, ${names.join(' or ')} ${text}`);
}
