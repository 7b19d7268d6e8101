import { accountSignal } from './present-sign-in.ts';

/** The last change, with its undo. */
interface Undoable {
  readonly words: string;
  readonly run: () => Promise<void>;
  /** Why it could not be undone. */
  readonly problem?: unknown;
}

/** The time in which a change can be undone, milliseconds. */
export const undoMs = 10_000;

/** The change that can be undone now. */
export const undoable = accountSignal<Undoable | undefined>(undefined);

/** Offers the undo of a change for `undoMs`. It replaces an earlier offer. */
export function offerUndo(words: string, run: () => Promise<void>): void {
  show({ words, run });
}

/** Undoes the last change. */
export async function undoLast(): Promise<void> {
  const last = undoable.value;
  if (last === undefined || last.problem !== undefined) return;
  undoable.value = undefined;
  try {
    await last.run();
  } catch (problem) {
    show({ ...last, problem });
  }
}

function show(shown: Undoable): void {
  undoable.value = shown;
  setTimeout(() => {
    if (undoable.value === shown) undoable.value = undefined;
  }, undoMs);
}
