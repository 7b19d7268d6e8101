import { useState } from 'preact/hooks';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { Heading } from '../../parts/heading.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { session } from '../../store/credential.ts';
import css from './password.module.css';
import { passwordTexts as say } from './password-texts.ts';

const shown = ['Password', 'NewPassword'];
const empty = { present: '', next: '', again: '' };

function PasswordForm({ name }: { readonly name: string }) {
  const [draft, setDraft] = useState(empty);
  const [isSaved, setSaved] = useState(false);
  const [isTried, setTried] = useState(false);
  const sending = useSending();
  const set = (change: Partial<typeof empty>) => {
    setSaved(false);
    setDraft((old) => ({ ...old, ...change }));
  };
  const differs = draft.next !== draft.again;
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (differs) return;
    void sending.send(event, async () => {
      const body = { Password: draft.present, NewPassword: draft.next };
      await take(api.PUT('/session/password', { body }));
      setDraft(empty);
      setTried(false);
      setSaved(true);
    });
  };
  return (
    <form class={css['form']} onSubmit={submit} noValidate>
      {/* Password managers need the name of the account. */}
      <input
        type="text"
        class="hidden"
        autocomplete="username"
        value={name}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <LineField
        name={say.present}
        password="current-password"
        value={draft.present}
        problem={sending.problemOf('Password')}
        onInput={(present) => set({ present })}
      />
      <LineField
        name={say.next}
        password="new-password"
        value={draft.next}
        problem={sending.problemOf('NewPassword')}
        hint={say.hint}
        onInput={(next) => set({ next })}
      />
      <LineField
        name={say.again}
        password="new-password"
        value={draft.again}
        problem={isTried && differs ? say.differs : undefined}
        onInput={(again) => set({ again })}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.save}</SubmitButton>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}

/** A person changes the own password. */
export function PasswordScreen() {
  const { name = '', hasPassword = false } = session.value ?? {};
  return (
    <div class="page">
      <Heading>{say.title}</Heading>
      <p class="mute">{hasPassword ? say.about(name) : say.none}</p>
      {hasPassword && <PasswordForm name={name} />}
    </div>
  );
}
