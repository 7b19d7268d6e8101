/**
 * The prelude sends texts and numbers only: the kind of message, then its parts in the order that `sent-line.ts` knows.
 */
export type Send = (
  kind: 'call' | 'step' | 'log' | 'expect' | 'end',
  ...parts: (string | number | undefined)[]
) => void;
