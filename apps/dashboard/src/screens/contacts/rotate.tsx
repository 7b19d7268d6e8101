import { useState } from 'preact/hooks';
import { wordsOf } from '../../parts/notice.tsx';
import { api, take } from '../../store/api.ts';
import type { Contact } from '../../store/plan.ts';
import { contactTexts } from '../../texts/contacts.ts';
import css from './contacts.module.css';

const say = contactTexts;

/** Gives a webhook a new secret, which is shown once. */
export function Rotate({ contact: { contact_id, PreviousSecretUntil } }: { readonly contact: Contact }) {
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const rotate = async () => {
    try {
      const made = await take(
        api.POST('/contacts/{contact_id}/rotate', { params: { path: { contact_id } } }),
      );
      setSecret(made.Secret);
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <section class={`section ${css['rotate']}`}>
      {secret === undefined ? (
        <button type="button" class="button" onClick={() => void rotate()}>
          {say.rotate}
        </button>
      ) : (
        <p role="status">
          {say.rotated} <code>{secret}</code>
        </p>
      )}
      {PreviousSecretUntil !== null && <p class="hint">{say.previous(PreviousSecretUntil.slice(0, 16))}</p>}
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
