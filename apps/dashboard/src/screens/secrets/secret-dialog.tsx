import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { CopyLine } from '../../parts/copy-line.tsx';
import { DeviceLinks } from '../../parts/device-links.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { settingTitle } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { secretTexts } from './secret-texts.ts';
import css from './secrets.module.css';

const say = secretTexts.form;
const shown = ['Name', 'Value'];
/** The API shows at most this many devices that use a secret. */
const maxUsers = 100;

interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A field for a secret text. Shown, it accepts several lines, for example a key in PEM. */
function ValueField({
  name,
  hint,
  value,
  problem,
  set,
}: {
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly set: (value: string) => void;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <div>
      <FormField name={name} problem={problem} hint={hint}>
        {(id, hintId) => {
          const shared = { id, value, spellcheck: false, 'aria-describedby': hintId } as const;
          return isShown ? (
            <textarea {...shared} rows={6} onInput={({ currentTarget }) => set(currentTarget.value)} />
          ) : (
            <input
              {...shared}
              type="password"
              autocomplete="new-password"
              onInput={({ currentTarget }) => set(currentTarget.value)}
            />
          );
        }}
      </FormField>
      <label class={css['check']}>
        <input type="checkbox" checked={isShown} onChange={() => setShown(!isShown)} /> {say.show}
      </label>
    </div>
  );
}

function NewSecret({ onChanged, onClose }: DialogProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const sending = useSending();
  const submit = (event: Event) =>
    sending.send(event, async () => {
      await take(api.POST('/secrets', { body: { Name: name.trim(), Value: value } }));
      onChanged();
      onClose();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.name}
        value={name}
        problem={sending.problemOf('Name')}
        hint={say.nameHint}
        isFirst
        onInput={setName}
      />
      <ValueField
        name={say.value}
        hint={say.valueHint}
        value={value}
        problem={sending.problemOf('Value')}
        set={setValue}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.create}</SubmitButton>
        <CancelButton onClose={onClose} />
      </div>
    </form>
  );
}

/** The devices that use the secret, and its references to copy. */
function Uses({ secret: { secret_id, Name } }: { readonly secret: Schemas['Secret'] }) {
  const read = useRead(
    () => take(api.GET('/secrets/{secret_id}', { params: { path: { secret_id } } })),
    [secret_id],
  );
  const users = read.data?.Devices;
  return (
    <section class={css['uses']}>
      <h3 class="label">{secretTexts.users}</h3>
      <ReadState read={read} />
      {users?.length === 0 && <p class="mute">{secretTexts.unused}</p>}
      {users !== undefined && users.length > 0 && <DeviceLinks devices={users} />}
      {users?.length === maxUsers && <p class="hint">{secretTexts.moreUsers(maxUsers)}</p>}
      <CopyLine label={secretTexts.inDevices} text={secretTexts.reference(Name)} />
      <CopyLine label={secretTexts.inScripts} text={secretTexts.scriptReference(Name)} />
    </section>
  );
}

function SecretForm({ secret, onChanged, onClose }: DialogProps & { readonly secret: Schemas['Secret'] }) {
  const [value, setValue] = useState('');
  const sending = useSending();
  const params = { path: { secret_id: secret.secret_id } };
  const end = () => {
    onChanged();
    onClose();
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      await take(api.PUT('/secrets/{secret_id}', { params, body: { Value: value } }));
      end();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <Uses secret={secret} />
      <ValueField
        name={say.newValue}
        hint={say.newHint}
        value={value}
        problem={sending.problemOf('Value')}
        set={setValue}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || value === ''}>{say.save}</SubmitButton>
        <CancelButton onClose={onClose} />
        <RemoveButton
          words={secretTexts.remove}
          ask={secretTexts.removeAsk(secret.Name)}
          remove={async () => void (await take(api.DELETE('/secrets/{secret_id}', { params })))}
          onRemoved={end}
        />
      </div>
    </form>
  );
}

/** Adds a secret, or shows where one is used, gives it another value and deletes it. */
export function SecretDialog({
  secret,
  ...props
}: DialogProps & { readonly secret: Schemas['Secret'] | undefined }) {
  return (
    <Dialog title={settingTitle(secretTexts.add, secret?.Name)} onClose={props.onClose} isWide>
      {secret === undefined ? <NewSecret {...props} /> : <SecretForm {...props} secret={secret} />}
    </Dialog>
  );
}
