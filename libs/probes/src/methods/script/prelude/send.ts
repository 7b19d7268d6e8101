/** Sends a message: its kind, then its parts in the order that `sent-line.ts` expects. */
export type SendMessage = (
  kind: 'call' | 'step' | 'log' | 'expect' | 'value' | 'end',
  ...parts: (string | number | undefined)[]
) => void;
