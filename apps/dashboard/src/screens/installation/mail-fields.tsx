import { ButtonChoice } from '../../parts/button-choice.tsx';
import { LineField } from '../../parts/line-field.tsx';
import css from './installation.module.css';
import { installationTexts as say } from './installation-texts.ts';
import { type MailDraft, withSecurity, withServer } from './mail-draft.ts';

interface FieldProps {
  readonly draft: MailDraft;
  readonly set: (change: Partial<MailDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function CheckField({
  name,
  hint,
  isOn,
  onChange,
}: {
  readonly name: string;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  return (
    <div>
      <label class={css['check']}>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {name}
      </label>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </div>
  );
}

function PasswordField({ draft, set, problemOf }: FieldProps) {
  const hint = draft.password === '***' ? say.passwordKept : say.passwordHint;
  return (
    <LineField
      name={say.password}
      password="new-password"
      value={draft.password}
      problem={problemOf('MailServer.Password')}
      hint={hint}
      onInput={(password) => set({ password })}
    />
  );
}

const securities = ['STARTTLS', 'TLS', 'None'] as const;

/** The fields of the mail server. */
export function MailServerFields({ draft, set, problemOf }: FieldProps) {
  const setServer = (change: Partial<MailDraft>) => set(withServer(draft, change));
  const choices = draft.security === 'Optional' ? (['Optional', ...securities] as const) : securities;
  return (
    <>
      <div class={css['server']}>
        <LineField
          name={say.server}
          value={draft.host}
          problem={problemOf('MailServer.Host') ?? problemOf('MailServer')}
          hint={say.serverHint}
          onInput={(host) => setServer({ host })}
        />
        <LineField
          name={say.port}
          value={draft.port}
          problem={problemOf('MailServer.Port')}
          onInput={(port) => setServer({ port })}
        />
        <fieldset>
          <legend class="label">{say.security}</legend>
          <ButtonChoice
            names={choices}
            words={say.securities}
            chosen={draft.security}
            onChoose={(security) => setServer(withSecurity(draft, security))}
          />
        </fieldset>
      </div>
      <div class={css['pair']}>
        <LineField
          name={say.user}
          value={draft.user}
          problem={problemOf('MailServer.User')}
          hint={say.userHint}
          onInput={(user) => setServer({ user })}
        />
        <PasswordField draft={draft} set={set} problemOf={problemOf} />
      </div>
      {draft.security !== 'None' && (
        <CheckField name={say.verify} isOn={draft.verify} onChange={(verify) => setServer({ verify })} />
      )}
    </>
  );
}

/** The sender of e-mails. */
export function FromField({ draft, set, problemOf }: FieldProps) {
  return (
    <LineField
      name={say.from}
      value={draft.from}
      problem={problemOf('MailFrom')}
      hint={say.fromHint}
      onInput={(from) => set({ from })}
    />
  );
}

/** Whether webhooks may go to private addresses. */
export function PrivateField({ draft, set }: Pick<FieldProps, 'draft' | 'set'>) {
  return (
    <CheckField
      name={say.private}
      hint={say.privateHint}
      isOn={draft.isPrivate}
      onChange={(isPrivate) => set({ isPrivate })}
    />
  );
}
