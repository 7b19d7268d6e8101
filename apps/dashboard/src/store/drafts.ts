/** The drafts of one kind of form, by the id of its thing. They contain secrets, so they are in memory only. */
export interface Drafts<Draft> {
  readonly get: (key: string) => StoredDraft<Draft> | undefined;
  readonly keep: (key: string, draft: StoredDraft<Draft>) => void;
  readonly forget: (key: string) => void;
}

/** The draft of a form that was not saved. */
interface StoredDraft<Draft> {
  readonly draft: Draft;
  /** The stored values of the fields when the draft began. */
  readonly basis: Draft;
}

/** The maximum number of drafts of one kind of form. The oldest one is dropped. */
const maxDrafts = 20;

const allDrafts: { clear: () => void }[] = [];

export function createDrafts<Draft>(): Drafts<Draft> {
  const drafts = new Map<string, StoredDraft<Draft>>();
  allDrafts.push(drafts);
  return {
    get: (key) => drafts.get(key),
    keep(key, draft) {
      drafts.delete(key);
      drafts.set(key, draft);
      const [oldest] = drafts.keys();
      if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest);
    },
    forget: (key) => {
      drafts.delete(key);
    },
  };
}

/** A form on the screen with unsaved changes. */
export interface Unsaved {
  readonly keep: () => void;
  readonly discard: () => void;
}

const unsaved = new Set<Unsaved>();

/** Whether a form on the screen has unsaved changes. */
export const hasUnsaved = (): boolean => unsaved.size > 0;

/** Registers whether a form on the screen has unsaved changes. */
export function setUnsaved(form: Unsaved, has: boolean): void {
  if (has) unsaved.add(form);
  else unsaved.delete(form);
}

/** Discards the changes of the forms on the screen. */
export function discardUnsaved(): void {
  for (const form of [...unsaved]) form.discard();
}

/** Drops all drafts except those on the screen: another person may have signed in. */
export function forgetDrafts(): void {
  for (const drafts of allDrafts) drafts.clear();
  for (const form of unsaved) form.keep();
}
