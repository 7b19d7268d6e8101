import { Fault, isId } from '@vantage/kernel';
import { textOf } from '../json-text.ts';
import type { Resource } from './resources.ts';
import type { Row } from './rows.ts';

const mostShown = 10;

/**
 * The id of the one thing that a text names: by its id, else by a field that people name it by, an exact match before
 * one in another letter case. Throws a Fault for none and for several, which it lists. Pure.
 */
export function findOne({ name, id, names }: Resource, rows: readonly Row[], text: string): string {
  if (isId(text)) return text;
  const same = (row: Row, field: string, fold: (value: string) => string) =>
    typeof row[field] === 'string' && fold(row[field]) === fold(text);
  for (const fold of [(value: string) => value, (value: string) => value.toLowerCase()])
    for (const field of names) {
      const found = rows.filter((row) => same(row, field, fold));
      if (found.length === 1) return textOf(found[0]?.[id]);
      if (found.length > 1) {
        const shown = found
          .slice(0, mostShown)
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
