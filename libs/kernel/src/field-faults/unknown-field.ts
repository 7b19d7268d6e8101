import { nearestName } from '../nearest-name.ts';
import type { FieldFault } from './field-faults.ts';

/** The fault of a name that nobody knows, with the one that was likely meant. `parent` stands before the name: `Options`, or nothing. */
export function unknownField(
  name: string,
  known: Iterable<string>,
  { kind = 'field', parent = '' }: { readonly kind?: string; readonly parent?: string } = {},
): FieldFault {
  const inside = (each: string) => (parent === '' ? each : `${parent}.${each}`);
  const near = nearestName(name, known);
  const hint = near === undefined ? '' : `; did you mean ${inside(near)}?`;
  return { field: inside(name.slice(0, 100)), message: `is not a known ${kind}${hint}` };
}
