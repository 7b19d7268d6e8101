/** Drafts of one kind of form, by the id of its thing. They hold secrets, so they are in memory only. */
export interface Drafts<Draft> {
  readonly get: (key: string) => KeptDraft<Draft> | undefined;
  readonly keep: (key: string, kept: KeptDraft<Draft>) => void;
  readonly forget: (key: string) => void;
}

/** The texts of a form that was not saved. */
interface KeptDraft<Draft> {
  readonly draft: Draft;
  /** The fields as they were stored when the draft began. */
  readonly basis: Draft;
}

/** Drafts of one kind of form; the oldest one makes room. */
const maxDrafts = 20;

const all: { clear: () => void }[] = [];

/** The drafts of one kind of form. */
export function createDrafts<Draft>(): Drafts<Draft> {
  const kept = new Map<string, KeptDraft<Draft>>();
  all.push(kept);
  return {
    get: (key) => kept.get(key),
    keep(key, each) {
      kept.delete(key);
      kept.set(key, each);
      const [oldest] = kept.keys();
      if (kept.size > maxDrafts && oldest !== undefined) kept.delete(oldest);
    },
    forget: (key) => {
      kept.delete(key);
    },
  };
}

/** A form on the screen that has changes. */
export interface Unsaved {
  readonly keep: () => void;
  readonly discard: () => void;
}

const unsaved = new Set<Unsaved>();

/** Whether a form on the screen has changes. */
export const hasUnsaved = (): boolean => unsaved.size > 0;

/** Says whether a form on the screen has changes. */
export function setUnsaved(form: Unsaved, has: boolean): void {
  if (has) unsaved.add(form);
  else unsaved.delete(form);
}

/** Forgets the changes of the forms on the screen. */
export function discardUnsaved(): void {
  for (const form of [...unsaved]) form.discard();
}

/** Forgets all drafts but those on the screen: another person may have signed in. */
export function forgetDrafts(): void {
  for (const kept of all) kept.clear();
  for (const form of unsaved) form.keep();
}
