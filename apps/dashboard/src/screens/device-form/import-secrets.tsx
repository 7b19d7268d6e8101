import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { session } from '../../store/credential.ts';
import css from './add-many.module.css';
import { importTexts as say } from './import-texts.ts';

type NeededSecret = Schemas['ImportPlan']['Secrets'][number];

/** Fields for the values of the secrets that the account does not have yet, and a button that stores them. */
function SecretFields({ secrets }: { readonly secrets: readonly NeededSecret[] }) {
  const read = useRead(() => take(api.GET('/secrets')), []);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  if (read.data === undefined) return <ReadState read={read} />;
  const stored = new Set(read.data.map(({ Name }) => Name.toLowerCase()));
  const missing = secrets.filter(({ Name }) => !stored.has(Name.toLowerCase()));
  const typed = missing.filter(({ Name }) => (values[Name] ?? '') !== '');
  const store = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      for (const { Name } of typed)
        await take(api.POST('/secrets', { body: { Name, Value: values[Name] ?? '' } }));
      setValues({});
    } catch (error) {
      setProblem(problemWords(error));
    }
    setBusy(false);
    read.again();
  };
  return (
    <>
      <p class="hint">{say.secretsHint}</p>
      {secrets
        .filter(({ Name }) => stored.has(Name.toLowerCase()))
        .map(({ Name }) => (
          <p key={Name}>{say.stored(Name)}</p>
        ))}
      {missing.map(({ Name, Use }) => (
        <LineField
          key={Name}
          name={say.secret(Name, Use)}
          problem={undefined}
          password="new-password"
          value={values[Name] ?? ''}
          onInput={(value) => setValues((last) => ({ ...last, [Name]: value }))}
        />
      ))}
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {problem}
        </p>
      )}
      {missing.length > 0 && (
        <div class="buttons">
          <button
            type="button"
            class="button"
            disabled={typed.length === 0 || isBusy}
            onClick={() => void store()}
          >
            {say.store(typed.length)}
          </button>
        </div>
      )}
    </>
  );
}

/** The secrets to which imported devices refer. */
export function ImportSecrets({ secrets }: { readonly secrets: readonly NeededSecret[] }) {
  return (
    <section class={css['secrets']} aria-label={say.secrets(secrets.length)}>
      <h2>{say.secrets(secrets.length)}</h2>
      {session.value?.tags === null ? (
        <SecretFields secrets={secrets} />
      ) : (
        <>
          <p class="hint">{say.secretsElsewhere}</p>
          <ul>
            {secrets.map(({ Name, Use }) => (
              <li key={Name}>{say.secret(Name, Use)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
