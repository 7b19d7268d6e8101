import { useState } from 'preact/hooks';
import type { FieldInputProps } from '../../parts/search-choice.tsx';
import { Unsent } from './device-draft.ts';
import type { OptionSchema } from './method-schemas.ts';

export interface OptionInputProps {
  /** The name of the Option, `TLS.Verify` for a part of an object. */
  readonly name: string;
  readonly field: FieldInputProps;
  readonly words: string;
  readonly schema: OptionSchema;
  readonly value: unknown;
  readonly placeholder: string | undefined;
  /** Undefined: not set. */
  readonly onValue: (value: unknown) => void;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The typed form of a value. It stays as it was typed while it has the same meaning. */
export function useTyped<Typed>(
  value: unknown,
  format: (value: unknown) => Typed,
  read: (typed: Typed) => unknown,
): readonly [Typed, (typed: Typed) => void] {
  // An Unsent holds what was typed in the same field.
  const typedOf = () => (value instanceof Unsent ? (value.typed as Typed) : format(value));
  const [typed, setTyped] = useState(typedOf);
  return [isSame(read(typed), value) ? typed : typedOf(), setTyped];
}
