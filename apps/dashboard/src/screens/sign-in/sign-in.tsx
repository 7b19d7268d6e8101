import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasProvider, openSession, providerPath, signIn } from '../../store/credential.ts';
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

/** The field for the key. Of a session that ended it says so; the screen below stays. */
export function SignIn({ hasEnded = false }: { readonly hasEnded?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '' && (name.current?.value ?? '') === '') return setProblem(texts.signIn.empty);
    setBusy(true);
    setProblem(undefined);
    try {
      const fields = { key, name: name.current?.value.trim() ?? '', password: password.current?.value ?? '' };
      if (await signIn(fields)) return;
      setProblem(texts.signIn.wrong);
    } catch {
      setProblem(texts.signIn.unreachable);
    }
    setBusy(false);
    field.current?.focus();
  };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)}>
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
        {problem ?? texts.signIn.hint}
      </p>
      <NameAndPassword name={name} password={password} />
      <button type="submit" class="button main" disabled={isBusy}>
        {texts.signIn.button}
      </button>
      <ByProvider />
    </form>
  );
}
