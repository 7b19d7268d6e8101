import { useState } from 'preact/hooks';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import type { NotificationContact } from '../../store/notification-schedules.ts';
import { contactTexts } from './contact-texts.ts';
import css from './contacts.module.css';

const say = contactTexts;

/** Generates a new secret for a webhook, which is shown once. */
export function RotateSecret({
  contact: { contact_id, PreviousSecretUntil },
}: {
  readonly contact: NotificationContact;
}) {
  const [secret, setSecret] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const rotate = async () => {
    try {
      const rotated = await take(
        api.POST('/contacts/{contact_id}/rotate', { params: { path: { contact_id } } }),
      );
      setSecret(rotated.Secret);
    } catch (error) {
      setProblem(problemWords(error));
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
