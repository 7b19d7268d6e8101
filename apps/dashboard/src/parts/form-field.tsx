import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A label, the input that `children` render, and below it the problem or the hint. */
export function FormField({
  name,
  problem,
  hint,
  children,
}: {
  readonly name: string;
  readonly problem: string | undefined;
  readonly hint?: string | undefined;
  readonly children: (id: string, hintId: string) => ComponentChildren;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div>
      <label class="label" for={id}>
        {name}
      </label>
      {children(id, hintId)}
      <p id={hintId} class={problem === undefined ? 'hint' : 'hint bad'}>
        {problem ?? hint}
      </p>
    </div>
  );
}
