import { useId, useState } from 'preact/hooks';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { settingTitle } from '../../parts/setting-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { useSending } from '../../parts/use-sending.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { readTagNames } from '../../store/tags.ts';
import { EventFields } from './event-fields.tsx';
import { type Hook, type HookDraft, hookBody, hookDraft, newSecret } from './hook-draft.ts';
import { hookTexts } from './hook-texts.ts';
import css from './hooks.module.css';

const say = hookTexts.form;
const shown = ['Name', 'Address', 'Secret', 'Events', 'Tag'];

interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

interface SecretFieldProps {
  readonly draft: HookDraft;
  readonly isNew: boolean;
  readonly problem: string | undefined;
  readonly set: (change: Partial<HookDraft>) => void;
}

/** The signing secret. A generated one is shown, because the receiver needs it too. */
function SecretField({ draft: { secret }, isNew, problem, set }: SecretFieldProps) {
  const [generated, setGenerated] = useState('');
  const generate = () => {
    const next = newSecret((bytes) => crypto.getRandomValues(bytes));
    setGenerated(next);
    set({ secret: next });
  };
  return (
    <div class={css['secret']}>
      <LineField
        name={say.secret}
        value={secret}
        problem={problem}
        hint={isNew ? say.secretHint : `${say.secretHint} ${say.keptHint}`}
        onInput={(next) => set({ secret: next })}
      />
      <button type="button" class="button" onClick={generate}>
        {say.generate}
      </button>
      {generated !== '' && generated === secret && <CopyLine text={generated} label={say.generated} />}
    </div>
  );
}

interface HookFormProps extends DialogProps {
  readonly hook: Hook | undefined;
  readonly etag: string | undefined;
  readonly allTags: readonly string[];
}

/** Stores the draft of a new or an existing hook. */
async function save(hook: Hook | undefined, etag: string | undefined, draft: HookDraft): Promise<void> {
  const body = hookBody(draft);
  // Without a secret the API says which form it must have.
  if (hook === undefined) await take(api.POST('/hooks', { body: { Secret: '', ...body } }));
  else {
    const params = { path: { hook_id: hook.hook_id }, header: ifMatch(etag) };
    await ifUnchanged(() => take(api.PUT('/hooks/{hook_id}', { params, body })), say.conflict);
  }
}

function HookForm({ hook, etag, allTags, onChanged, onClose }: HookFormProps) {
  const [draft, setDraft] = useState(() => hookDraft(hook));
  const sending = useSending();
  const tagList = useId();
  const set = (change: Partial<HookDraft>) => setDraft((old) => ({ ...old, ...change }));
  const end = () => {
    onChanged();
    onClose();
  };
  const submit = (event: Event) => sending.send(event, () => save(hook, etag, draft).then(end));
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <LineField
        name={say.name}
        value={draft.name}
        problem={sending.problemOf('Name')}
        isFirst
        onInput={(name) => set({ name })}
      />
      <LineField
        name={say.address}
        value={draft.address}
        problem={sending.problemOf('Address')}
        hint={say.addressHint}
        onInput={(address) => set({ address })}
      />
      <SecretField draft={draft} isNew={hook === undefined} problem={sending.problemOf('Secret')} set={set} />
      <EventFields
        types={draft.types}
        problem={sending.problemOf('Events')}
        set={(types) => set({ types })}
      />
      <LineField
        name={say.tag}
        value={draft.tag}
        problem={sending.problemOf('Tag')}
        hint={say.tagHint}
        list={tagList}
        onInput={(tag) => set({ tag })}
      />
      <datalist id={tagList}>
        {allTags.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || draft.types?.length === 0}>
          {hook === undefined ? say.create : say.save}
        </SubmitButton>
        <CancelButton onClose={onClose} />
        {hook !== undefined && <DeleteButton hook={hook} etag={etag} onRemoved={end} />}
      </div>
    </form>
  );
}

function DeleteButton({
  hook,
  etag,
  onRemoved,
}: {
  readonly hook: Hook;
  readonly etag: string | undefined;
  readonly onRemoved: () => void;
}) {
  const params = { path: { hook_id: hook.hook_id }, header: ifMatch(etag) };
  return (
    <RemoveButton
      words={hookTexts.remove}
      ask={hookTexts.removeAsk(hook.Name)}
      remove={async () =>
        void (await ifUnchanged(() => take(api.DELETE('/hooks/{hook_id}', { params })), say.conflict))
      }
      onRemoved={onRemoved}
    />
  );
}

/** The hook as it is now, its ETag, and all tags. */
async function readHook(hook_id: string | undefined) {
  const allTags = readTagNames();
  if (hook_id === undefined) return { hook: undefined, etag: undefined, allTags: await allTags };
  const answer = takeAnswer(api.GET('/hooks/{hook_id}', { params: { path: { hook_id } } }));
  const [{ data: hook, etag }, names] = await Promise.all([answer, allTags]);
  return { hook, etag, allTags: names };
}

/** Adds a hook, or changes and deletes one. */
export function HookDialog({ hook, ...props }: DialogProps & { readonly hook: Hook | undefined }) {
  const read = useRead(() => readHook(hook?.hook_id), [hook?.hook_id]);
  return (
    <Dialog title={settingTitle(hookTexts.add, hook?.Name)} onClose={props.onClose} isWide>
      <ReadState read={read} />
      {read.data !== undefined && <HookForm {...props} {...read.data} />}
    </Dialog>
  );
}
