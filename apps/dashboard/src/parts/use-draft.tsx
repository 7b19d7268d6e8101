import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { mayWrite } from '../store/credential.ts';
import { type Drafts, setUnsaved, type Unsaved } from '../store/drafts.ts';
import { texts } from '../texts/index.ts';
import css from './notice.module.css';

/** The texts of a form. They are kept when the form is left, and shown when it is opened again. */
export interface DraftForm<Draft> {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** Call it as soon as the draft is stored, before the form is left. The draft becomes `next` where it is given. */
  readonly saved: (next?: Draft) => void;
  /** Takes back what was stored. */
  readonly discard: () => void;
  /** Whether an earlier draft is shown. `overlaid`: something else was stored since it began. */
  readonly kept: 'none' | 'kept' | 'overlaid';
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The texts of a form. `key` names its thing among `drafts`, and `stored` is what its fields hold without a change. */
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
  // Before the browser paints, so that a link that is pressed at once asks, too.
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
    discard,
    kept: earlier === undefined ? 'none' : isSame(earlier.basis, basis) ? 'kept' : 'overlaid',
  };
}

/** Says that a form shows an earlier draft, with the button that takes it back. */
export function KeptNotice({ form }: { readonly form: Pick<DraftForm<object>, 'kept' | 'discard'> }) {
  // A person who signs in again with fewer rights keeps the text. The notice comes before the API refuses to save.
  if (!mayWrite.value)
    return (
      <p class={css['outdated']} role="status">
        {texts.drafts.viewOnly}
      </p>
    );
  if (form.kept === 'none') return null;
  return (
    <div class={css['outdated']} role="status">
      <span>
        {texts.drafts.kept} {form.kept === 'overlaid' && texts.drafts.overlaid}
      </span>
      <button type="button" class="button" onClick={form.discard}>
        {texts.drafts.discard}
      </button>
    </div>
  );
}
