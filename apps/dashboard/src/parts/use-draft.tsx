import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mayWrite } from '../store/credential.ts';
import { type Drafts, setUnsaved, type Unsaved } from '../store/drafts.ts';
import { formTexts } from '../texts/form-texts.ts';
import css from './notice.module.css';

/** The texts of a form. They are kept when the form is left, and restored when it is opened again. */
export interface DraftForm<Draft> {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** To be called as soon as the draft is stored, before the form is left. `next`: the draft from now on. */
  readonly saved: (next?: Draft) => void;
  /** The stored values when the draft began. */
  readonly basis: Draft;
  /** Continues with a draft that was joined with newer stored values. */
  readonly rebase: (stored: Draft, draft: Draft) => void;
  /** Returns to the stored values. */
  readonly discard: () => void;
  /** Whether an earlier draft is shown. `overlaid`: the stored values changed since that draft began. */
  readonly kept: 'none' | 'kept' | 'overlaid';
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/**
 * The texts of a form. `key` identifies its draft in `drafts`; `stored` are the values of its fields without a change.
 */
export function useDraft<Draft extends object>(
  drafts: Drafts<Draft>,
  key: string,
  stored: Draft,
): DraftForm<Draft> {
  const [earlier, setEarlier] = useState(() => drafts.get(key));
  const [basis, setBasis] = useState(stored);
  const [draft, setDraft] = useState(earlier?.draft ?? stored);
  const shown = useRef<Unsaved>(undefined);
  const end = (next: Draft) => {
    drafts.forget(key);
    if (shown.current !== undefined) setUnsaved(shown.current, false);
    setEarlier(undefined);
    setBasis(next);
    setDraft(next);
  };
  const discard = () => end(basis);
  // A layout effect runs before the browser paints, so that a link that is pressed immediately asks too.
  useLayoutEffect(() => {
    const keep = () => drafts.keep(key, { draft, basis: earlier?.basis ?? basis });
    const form: Unsaved = { keep, discard };
    shown.current = form;
    const isDirty = !isSame(draft, basis);
    if (isDirty) keep();
    else drafts.forget(key);
    setUnsaved(form, isDirty);
    return () => setUnsaved(form, false);
  }, [draft, basis, key]);
  return {
    draft,
    set: (change) => setDraft((last) => ({ ...last, ...change })),
    saved: (next = draft) => end(next),
    basis: earlier?.basis ?? basis,
    rebase: (newer, joined) => {
      setEarlier(undefined);
      setBasis(newer);
      setDraft(joined);
    },
    discard,
    kept: earlier === undefined ? 'none' : isSame(earlier.basis, basis) ? 'kept' : 'overlaid',
  };
}

/** Says that a form shows an earlier draft, with a button that discards it. */
export function KeptNotice({ form }: { readonly form: Pick<DraftForm<object>, 'kept' | 'discard'> }) {
  // After signing in again with fewer rights the text is kept, but cannot be saved.
  if (!mayWrite.value)
    return (
      <p class={css['outdated']} role="status">
        {formTexts.drafts.viewOnly}
      </p>
    );
  if (form.kept === 'none') return null;
  return (
    <div class={css['outdated']} role="status">
      <span>
        {formTexts.drafts.kept} {form.kept === 'overlaid' && formTexts.drafts.overlaid}
      </span>
      <button type="button" class="button" onClick={form.discard}>
        {formTexts.drafts.discard}
      </button>
    </div>
  );
}
