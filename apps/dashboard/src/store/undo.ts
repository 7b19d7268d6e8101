import { accountSignal } from './present-sign-in.ts';

/** The last change, with what takes it back. */
interface Undoable {
  readonly words: string;
  readonly run: () => Promise<void>;
  /** Why it could not be taken back. */
  readonly problem?: unknown;
}

/** How long a change can be taken back, milliseconds. */
export const undoMs = 10_000;

/** The change that can be taken back now. */
export const undoable = accountSignal<Undoable | undefined>(undefined);

/** Offers to take a change back for some seconds. A later change takes the place of an earlier one. */
export function offerUndo(words: string, run: () => Promise<void>): void {
  show({ words, run });
}

/** Takes the last change back. */
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
