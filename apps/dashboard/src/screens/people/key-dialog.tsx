import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { type EndChoice, endChoices, endOf } from '../../model/key-end.ts';
import { readScope } from '../../model/rights.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { today } from '../../store/clock.ts';
import css from './people.module.css';
import { peopleTexts } from './people-texts.ts';
import type { DialogProps } from './person-dialog.tsx';
import { type RightsDraft, RightsFields, rightsBody, rightsDraft } from './rights-fields.tsx';
import { namesOf } from './rights-words.ts';

const say = peopleTexts.form;
const shown = ['Name', 'Level', 'Tags', 'Expires'];

function CreatedKey({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  const line = `curl -H 'Service-API-Key: ${value}' ${location.origin}/v1.1/states`;
  return (
    <div class={css['form']}>
      <CopyLine text={value} label={peopleTexts.keyCreated.key} />
      <p class="hint">{peopleTexts.keyCreated.hint}</p>
      <CopyLine text={line} label={peopleTexts.keyCreated.use} />
      <div class="buttons">
        <button type="button" class="button main" onClick={onClose}>
          {peopleTexts.done}
        </button>
      </div>
    </div>
  );
}

/** The end of the key. */
function EndFields({
  end,
  date,
  set,
  problem,
}: {
  readonly end: EndChoice;
  readonly date: string;
  readonly set: (change: { readonly end?: EndChoice; readonly date?: string }) => void;
  readonly problem: string | undefined;
}) {
  return (
    <div class={css['pair']}>
      <SelectField
        name={say.ends}
        problem={end === 'date' ? undefined : problem}
        value={end}
        choices={endChoices.map((choice) => [choice, say.endChoices[choice]] as const)}
        onChoose={(chosen) => set({ end: endChoices.find((choice) => choice === chosen) ?? 'never' })}
      />
      {end === 'date' && (
        <FormField name={say.endDate} problem={problem}>
          {(id, hintId) => (
            <input
              id={id}
              type="date"
              required
              value={date}
              aria-describedby={hintId}
              onInput={({ currentTarget }) => set({ date: currentTarget.value })}
            />
          )}
        </FormField>
      )}
    </div>
  );
}

interface KeyDraft extends RightsDraft {
  readonly name: string;
  readonly end: EndChoice;
  readonly date: string;
}

/** The draft of a key. An existing end is shown as a day. */
function keyDraft(key: Schemas['Key'] | undefined, allTags: readonly string[]): KeyDraft {
  const date = key?.Expires?.slice(0, 10) ?? '';
  return { name: key?.Name ?? '', end: date === '' ? 'never' : 'date', date, ...rightsDraft(key, allTags) };
}

const nameOf = ({ Name }: Schemas['Key']) => (Name === '' ? peopleTexts.nameless : Name);

function RevokeButton({
  apiKey,
  onRevoked,
}: {
  readonly apiKey: Schemas['Key'];
  readonly onRevoked: () => void;
}) {
  const params = { path: { key_id: apiKey.key_id } };
  return (
    <RemoveButton
      words={peopleTexts.revoke}
      ask={peopleTexts.revokeAsk(nameOf(apiKey))}
      remove={async () => void (await take(api.DELETE('/keys/{key_id}', { params })))}
      onRemoved={onRevoked}
    />
  );
}

/** The form of a new or an existing key. */
function KeyForm({
  apiKey,
  allTags,
  onCreated,
  onChanged,
  onClose,
}: DialogProps & {
  readonly apiKey: Schemas['Key'] | undefined;
  readonly onCreated: (key: string) => void;
}) {
  const [before] = useState(() => keyDraft(apiKey, allTags));
  const [draft, setDraft] = useState(before);
  const sending = useSending();
  const set = (change: Partial<KeyDraft>) => setDraft((old) => ({ ...old, ...change }));
  const end = () => {
    onChanged();
    onClose();
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const isSameEnd = draft.end === before.end && draft.date === before.date;
      const ends = isSameEnd ? {} : { Expires: endOf(draft.end, draft.date, today.value) };
      const body = { Name: draft.name.trim(), ...rightsBody(draft, before, allTags), ...ends };
      if (apiKey !== undefined) return change(apiKey, body).then(end);
      onCreated((await take(api.POST('/keys', { body }))).Key);
      onChanged();
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.name}
        value={draft.name}
        problem={sending.problemOf('Name')}
        hint={say.keyNameHint}
        isFirst
        onInput={(name) => set({ name })}
      />
      <RightsFields
        draft={draft}
        before={{ draft: before, tags: namesOf(apiKey?.Tags ?? null) }}
        set={set}
        who={draft.name.trim() === '' ? say.someKey : draft.name.trim()}
        allTags={allTags}
        problem={sending.problemOf}
      />
      <EndFields end={draft.end} date={draft.date} set={set} problem={sending.problemOf('Expires')} />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || readScope(draft.scope, allTags).unknown.length > 0}>
          {apiKey === undefined ? say.keyButton : say.save}
        </SubmitButton>
        <CancelButton onClose={onClose} />
        {apiKey !== undefined && <RevokeButton apiKey={apiKey} onRevoked={end} />}
      </div>
    </form>
  );
}

async function change({ key_id }: Schemas['Key'], body: Schemas['KeyUpdate']): Promise<void> {
  await take(api.PUT('/keys/{key_id}', { params: { path: { key_id } }, body }));
}

/** Creates a key, or changes one. */
export function KeyDialog(props: DialogProps & { readonly apiKey: Schemas['Key'] | undefined }) {
  const { apiKey, onClose } = props;
  const [created, setCreated] = useState<string>();
  const title = apiKey === undefined ? peopleTexts.createKey : peopleTexts.changeOf(nameOf(apiKey));
  if (created === undefined)
    return (
      <Dialog key="form" title={title} onClose={onClose} isWide>
        <KeyForm {...props} onCreated={setCreated} />
      </Dialog>
    );
  return (
    <Dialog key="created" title={peopleTexts.keyCreated.title} onClose={onClose} isWide>
      <CreatedKey value={created} onClose={onClose} />
    </Dialog>
  );
}
