import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  accountChoice,
  hasProvider,
  openSession,
  providerPath,
  signIn,
  signInTo,
} from '../../store/credential.ts';
import { texts } from '../../texts/index.ts';
import css from './sign-in.module.css';

type Field = RefObject<HTMLInputElement | null>;

/** For people who have no key, and for keys that are only good with them. */
function NameAndPassword({ name, password }: { readonly name: Field; readonly password: Field }) {
  return (
    <details class={css['more']}>
      <summary>{texts.signIn.more}</summary>
      <label>
        <span class="label">{texts.signIn.name}</span>
        <input ref={name} type="text" name="name" autocomplete="username" />
      </label>
      <label>
        <span class="label">{texts.signIn.password}</span>
        <input ref={password} type="password" name="password" autocomplete="current-password" />
      </label>
    </details>
  );
}

/** The way to the provider that signs people in, where there is one. */
function ByProvider() {
  const [isThere, setThere] = useState(false);
  useEffect(() => void hasProvider().then(setThere), []);
  if (!isThere) return null;
  return (
    <a class="button" href={providerPath}>
      {texts.signIn.provider}
    </a>
  );
}

/** The accounts of a person who is in several; what was sent before signs in to the one that is pressed. */
function Accounts({ choose }: { readonly choose: (account: string) => void }) {
  if (accountChoice.value === undefined) return null;
  return (
    <>
      <p role="alert">{texts.signIn.choose}</p>
      {accountChoice.value.accounts.map((account) => (
        <button key={account} type="button" class="button" onClick={() => choose(account)}>
          {account}
        </button>
      ))}
    </>
  );
}

/** The field for the key. Of a session that ended it says so; the screen below stays. */
export function SignIn({ hasEnded = false }: { readonly hasEnded?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (ask: () => Promise<boolean>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      if (await ask()) return;
      if (accountChoice.value === undefined) setProblem(texts.signIn.wrong);
    } catch {
      setProblem(texts.signIn.unreachable);
    }
    setBusy(false);
    field.current?.focus();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '' && (name.current?.value ?? '') === '') return setProblem(texts.signIn.empty);
    const fields = { key, name: name.current?.value.trim() ?? '', password: password.current?.value ?? '' };
    void attempt(() => signIn(fields));
  };
  return (
    <form class={css['form']} onSubmit={submit}>
      <h1>{hasEnded ? texts.signIn.title : texts.name}</h1>
      {hasEnded && <p class="mute">{texts.signIn.ended}</p>}
      {openSession.value && <p role="alert">{texts.signIn.leftOpen}</p>}
      <label>
        <span class="label">{texts.signIn.key}</span>
        <input
          ref={field}
          type="password"
          name="key"
          autocomplete="current-password"
          autofocus
          aria-invalid={problem !== undefined}
          aria-describedby="sign-in-hint"
        />
      </label>
      <p
        id="sign-in-hint"
        class={problem === undefined ? 'hint' : 'hint bad'}
        role={problem === undefined ? undefined : 'alert'}
      >
        {problem ?? (hasEnded ? '' : texts.signIn.hint)}
      </p>
      <NameAndPassword name={name} password={password} />
      <button type="submit" class="button main" disabled={isBusy}>
        {texts.signIn.button}
      </button>
      <Accounts choose={(account) => void attempt(() => signInTo(account))} />
      <ByProvider />
    </form>
  );
}
