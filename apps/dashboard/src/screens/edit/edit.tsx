import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { guessMethod } from '../../model/guess-method.ts';
import { Heading } from '../../parts/heading.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { locations } from '../../store/account-state.ts';
import { removeDevice } from '../../store/act.ts';
import { address, go, listAddress } from '../../store/address.ts';
import { ApiProblem, api, take, takeAnswer } from '../../store/api.ts';
import { mayWrite } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifUnchanged, unchangedDevice } from '../../store/if-match.ts';
import { createTags } from '../../store/tags.ts';
import { texts } from '../../texts/index.ts';
import { CommonFields } from './common-fields.tsx';
import { bodyOf, type Draft, draftOf, type FieldsProps, faultsOf, newDraft, tagNames } from './draft.ts';
import css from './edit.module.css';
import { focusFault } from './focus-fault.ts';
import { readMethods } from './method-schemas.ts';
import { OptionFields } from './option-fields.tsx';
import { Trial } from './trial.tsx';

const say = texts.edit;

interface Opened {
  readonly device: Schemas['Device'] | undefined;
  readonly etag: string | undefined;
}

async function readOpened(id: string): Promise<Opened> {
  if (id === 'new') return { device: undefined, etag: undefined };
  const path = { device_id: id };
  const { data, etag } = await takeAnswer(api.GET('/devices/{device_id}', { params: { path } }));
  return { device: data, etag };
}

function AddressField({ draft, set, problem }: FieldsProps & { readonly problem: string | undefined }) {
  const guess = guessMethod(draft.pasted);
  const paste = (pasted: string) => {
    const found = guessMethod(pasted);
    const follow = (name: 'shortName' | 'fullName') =>
      draft[name] !== '' && draft[name] !== guess?.[name] ? draft[name] : (found?.[name] ?? '');
    set({
      pasted,
      url: found?.url ?? pasted,
      method: draft.isMethodChosen ? draft.method : (found?.method ?? draft.method),
      shortName: follow('shortName'),
      fullName: follow('fullName'),
    });
  };
  const isScript = draft.method === 'Script';
  return (
    <div>
      <label class="label" for="address">
        {isScript ? say.script : say.address}
      </label>
      {isScript ? (
        <textarea
          id="address"
          rows={8}
          value={draft.url}
          onInput={(event) => set({ url: event.currentTarget.value })}
        />
      ) : (
        <input
          id="address"
          type="text"
          name="address"
          autofocus
          autocomplete="off"
          spellcheck={false}
          value={draft.isNew ? draft.pasted : draft.url}
          aria-invalid={problem !== undefined}
          aria-describedby="address-hint"
          onInput={({ currentTarget: { value } }) => (draft.isNew ? paste(value) : set({ url: value }))}
        />
      )}
      <p id="address-hint" class={problem === undefined ? 'hint' : 'hint bad'}>
        {problem ??
          (guess === undefined || !draft.isNew || draft.isMethodChosen
            ? say.addressHint
            : guess.reason === 'scheme'
              ? say.guessedByScheme(guess.method, draft.pasted)
              : say.guessed[guess.reason](guess.method))}
      </p>
    </div>
  );
}

const drafts = createDrafts<Draft>();

const nameOf = ({ FullName, ShortName }: Schemas['Device']) => FullName ?? ShortName;

function Form({ opened: { device, etag } }: { readonly opened: Opened }) {
  const pasted = address.value.query.get('address') ?? '';
  const form = useDraft(
    drafts,
    device?.device_id ?? `new ${pasted}`,
    device === undefined ? newDraft(pasted) : draftOf(device),
  );
  const { draft, set } = form;
  const [problem, setProblem] = useState<ApiProblem | Error>();
  const [isBusy, setBusy] = useState(false);
  const methods = useRead(readMethods, []);
  const faults = faultsOf(draft);
  const refused = problem instanceof ApiProblem ? problem.fields : [];
  const problems = new Map([...refused.map(({ field, message }) => [field, message] as const), ...faults]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (faults.size > 0) return focusFault(event.currentTarget);
    setBusy(true);
    try {
      const id = await save(draft, device, etag);
      form.saved();
      go(`/devices/${id}`);
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error(String(error)));
      setBusy(false);
    }
  };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <AddressField draft={draft} set={set} problem={problems.get('URL')} />
      <CommonFields
        draft={draft}
        set={set}
        problems={problems}
        methods={[...(methods.data?.keys() ?? [draft.method])]}
        locations={locations.value.map(({ Name }) => Name)}
      />
      <ReadState read={methods} rows={0} />
      <OptionFields draft={draft} set={set} problems={problems} schema={methods.data?.get(draft.method)} />
      <Trial draft={draft} locations={locations.value.map(({ Name }) => Name)} onProblem={setProblem} />
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {wordsOf(problem)}
        </p>
      )}
      <div class={`buttons ${css['acts']}`}>
        <button type="submit" class="button main" disabled={isBusy}>
          {device === undefined ? say.create : say.save}
        </button>
        <a class="button" href={device === undefined ? listAddress.value : `/devices/${device.device_id}`}>
          {say.cancel}
        </a>
        {device !== undefined && (
          <RemoveButton
            words={say.remove}
            ask={say.removeAsk(nameOf(device))}
            remove={() => removeDevice({ id: device.device_id, name: nameOf(device), etag })}
            onRemoved={() => {
              form.discard();
              go(listAddress.value);
            }}
          />
        )}
      </div>
    </form>
  );
}

/** Adds a device, or changes one. */
export function Edit({ id }: ScreenProps) {
  const found = useRead(() => readOpened(id), [id]);
  const { data } = found;
  const name = data?.device && nameOf(data.device);
  // A link may have led here. Who signs in again with fewer rights keeps the text.
  const [isAllowed] = useState(mayWrite.value);
  if (!isAllowed)
    return (
      <div class="page">
        <Heading>{say.add}</Heading>
        <p>{texts.noRights}</p>
      </div>
    );
  return (
    <div class="page">
      <ReadState read={found} title={say.add} />
      {data !== undefined && (
        <>
          <Heading>
            <span class="clamp" title={name}>
              {name === undefined ? say.add : say.change(name)}
            </span>
          </Heading>
          {name === undefined && (
            <p>
              <a class="link" href="/devices/new/many">
                {texts.many.link}
              </a>
            </p>
          )}
          <Form opened={data} />
        </>
      )}
    </div>
  );
}

/**
 * Stores the draft, and the tags that it names for the first time. Returns the device's id. `etag` is that of the
 * device as it was read.
 */
async function save(
  draft: Draft,
  device: Schemas['Device'] | undefined,
  etag: string | undefined,
): Promise<string> {
  await createTags(tagNames(draft.tags));
  if (device === undefined) {
    // The API judges the body by its Method; the form is made of the same schema.
    const body = bodyOf(draft) as Schemas['DeviceCreate'];
    return (await take(api.POST('/devices', { body }))).device_id;
  }
  const { device_id } = device;
  const body = bodyOf(draft) as Schemas['DeviceUpdate'];
  const params = unchangedDevice(device_id, etag);
  await ifUnchanged(() => take(api.PUT('/devices/{device_id}', { params, body })), texts.edit.conflict);
  return device_id;
}
