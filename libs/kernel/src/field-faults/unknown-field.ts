import { nearestName } from '../nearest-name.ts';
import type { FieldFault } from './field-fault.ts';

/**
 * The fault of a name that nobody knows, with the one that was likely meant. `parent` stands before the name:
 * `Options`, or nothing.
 */
export function unknownField(
  name: string,
  known: Iterable<string>,
  {
    kind = 'field',
    parent = '',
    otherNames = {},
  }: {
    readonly kind?: string;
    readonly parent?: string;
    /** Names that other systems use for known ones. */
    readonly otherNames?: Readonly<Record<string, string>>;
  } = {},
): FieldFault {
  const inside = (each: string) => (parent === '' ? each : `${parent}.${each}`);
  const names = [...known];
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  const near = other !== undefined && names.includes(other) ? other : nearestName(name, names);
  const hint = near === undefined ? '' : `; did you mean ${inside(near)}?`;
  return { field: inside(name.slice(0, 100)), message: `is not a known ${kind}${hint}` };
}
