import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  accountChoice,
  hasProvider,
  openSession,
  providerPath,
  signIn,
  signInTo,
} from '../../store/credential.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import css from './sign-in.module.css';
import { signInTexts } from './sign-in-texts.ts';

/** The browser runs on the host of the controller, so its person may see the terminal and the data folder. */
const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname);

type InputRef = RefObject<HTMLInputElement | null>;

/** For people without a key, and for keys that are only valid together with a name and password. */
function NameAndPassword({ name, password }: { readonly name: InputRef; readonly password: InputRef }) {
  return (
    <details class={css['more']} open={!isLocal}>
      <summary>{signInTexts.more}</summary>
      <label>
        <span class="label">{signInTexts.name}</span>
        <input ref={name} type="text" name="name" autocomplete="username" />
      </label>
      <label>
        <span class="label">{signInTexts.password}</span>
        <input ref={password} type="password" name="password" autocomplete="current-password" />
      </label>
      <p class="hint">
        <a class="link" href="/forgotten">
          {signInTexts.forgotten}
        </a>
      </p>
    </details>
  );
}

/** The link to the provider that signs people in, if there is one. */
function ProviderLink() {
  const [hasLink, setHasLink] = useState(false);
  useEffect(() => void hasProvider().then(setHasLink), []);
  if (!hasLink) return null;
  return (
    <a class="button" href={providerPath}>
      {signInTexts.provider}
    </a>
  );
}

/** The accounts of a person who belongs to several. The same credential then signs in to the chosen one. */
function AccountButtons({ choose }: { readonly choose: (account: string) => void }) {
  if (accountChoice.value === undefined) return null;
  return (
    <>
      <p role="alert">{signInTexts.choose}</p>
      {accountChoice.value.accounts.map((account) => (
        <button key={account} type="button" class="button" onClick={() => choose(account)}>
          {account}
        </button>
      ))}
    </>
  );
}

/** The sign-in. `hasEnded`: a session has ended, and its screen stays below. */
export function SignInForm({ hasEnded = false }: { readonly hasEnded?: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const name = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // `autofocus` works for the first element of a document only.
  useLayoutEffect(() => field.current?.focus(), []);
  const attempt = async (request: () => Promise<boolean>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      if (await request()) return;
      if (accountChoice.value === undefined) setProblem(signInTexts.wrong);
    } catch {
      setProblem(signInTexts.unreachable);
    }
    setBusy(false);
    field.current?.focus();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '' && (name.current?.value ?? '') === '') return setProblem(signInTexts.empty);
    const fields = { key, name: name.current?.value.trim() ?? '', password: password.current?.value ?? '' };
    void attempt(() => signIn(fields));
  };
  return (
    <form class={css['form']} onSubmit={submit}>
      <h1>{hasEnded ? frameTexts.signIn : frameTexts.name}</h1>
      {hasEnded && <p class="mute">{signInTexts.ended}</p>}
      {openSession.value && <p role="alert">{signInTexts.leftOpen}</p>}
      <label>
        <span class="label">{signInTexts.key}</span>
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
        {problem ?? (hasEnded ? '' : isLocal ? signInTexts.localHint : signInTexts.hint)}
      </p>
      <NameAndPassword name={name} password={password} />
      <button type="submit" class="button main" disabled={isBusy}>
        {signInTexts.button}
      </button>
      <AccountButtons choose={(account) => void attempt(() => signInTo(account))} />
      <ProviderLink />
      {isLocal && !hasEnded && <p class="hint">{signInTexts.certificate}</p>}
    </form>
  );
}
