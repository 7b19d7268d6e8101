import { isReceived } from '@vantage/domain/method';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DeviceCopies } from '../../parts/device-copies.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { address, go, listAddress } from '../../store/address.ts';
import { mayWrite } from '../../store/credential.ts';
import { removeDevice } from '../../store/device-changes.ts';
import { createDrafts } from '../../store/drafts.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { formTexts } from '../../texts/form-texts.ts';
import { AddressField } from './address-field.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { copiedDraft, type DeviceDraft, deviceDraft, faultsOf, newDeviceDraft } from './device-draft.ts';
import { problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { DeviceTrial, type DraftTrial, useTrial } from './device-trial.tsx';
import { changesBetween, type JoinedDraft, joinDrafts, withSettingOf } from './draft-changes.ts';
import { focusFault, focusField } from './focus-field.ts';
import { FaultList, openProblems, type Refusal, wholeRefusal } from './form-refusal.tsx';
import { readMethods } from './method-schemas.ts';
import { OfferPanel } from './offer-panel.tsx';
import { OptionFields } from './option-fields.tsx';
import { type DeviceChoices, readChoices } from './read-choices.ts';
import { RelationFields } from './relation-fields.tsx';
import { ChangedDevice, readDevice, type StoredDevice, saveDevice } from './save-device.ts';
import { SavingEffects } from './saving-effects.tsx';
import type { ScriptFault } from './script-editor.tsx';
import { NameFields, TimingFields } from './settings-fields.tsx';
import { failedLine } from './trial-results.ts';

/** The device and the draft with which the form begins. */
interface OpenedForm {
  /** The device that is changed; undefined: a new one is added. */
  readonly stored: StoredDevice | undefined;
  /** The key of its draft. */
  readonly key: string;
  readonly basis: DeviceDraft;
  /** The duplicated device, and its secrets that could not be copied. */
  readonly copied?: { readonly name: string; readonly lost: readonly string[] };
}

/** Reads the device that is changed or duplicated. */
async function readOpened(id: string, copied: string | null, pasted: string): Promise<OpenedForm> {
  if (id !== 'new') {
    const stored = await readDevice(id);
    return { stored, key: id, basis: deviceDraft(stored.device) };
  }
  if (copied === null) return { stored: undefined, key: `new ${pasted}`, basis: newDeviceDraft(pasted) };
  const original = await readDevice(copied);
  const { draft, lost } = copiedDraft(original.device);
  return { stored: undefined, key: `copy ${copied}`, basis: draft, copied: { name: nameOf(original), lost } };
}

const drafts = createDrafts<DeviceDraft>();

const nameOf = ({ device }: StoredDevice) => device.FullName ?? device.ShortName;

/** The line at which the tried script failed, while its text is the same. */
function scriptFaultOf({ draft: tried, trials }: DraftTrial, draft: DeviceDraft): ScriptFault | undefined {
  if (tried === undefined || tried.method !== 'Script' || tried.url !== draft.url) return undefined;
  for (const trial of trials.values()) {
    const line = trial.state === 'done' ? failedLine(trial.record) : undefined;
    if (trial.state === 'done' && line !== undefined) return { line, text: trial.record.CheckResult };
  }
  return undefined;
}

/** The joined draft after someone else changed the device, and the settings for which their value was chosen. */
interface Meanwhile {
  readonly joined: JoinedDraft;
  readonly theirs: DeviceDraft;
  readonly chosen: ReadonlySet<string>;
}

function DeviceForm({ opened }: { readonly opened: OpenedForm }) {
  const [stored, setStored] = useState(opened.stored);
  const form = useDraft(drafts, opened.key, opened.basis);
  const { draft, set } = form;
  const element = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const methods = useRead(readMethods, []);
  const choices = useRead<DeviceChoices>(readChoices, []);
  const refuse = (problem: Error | undefined) => setRefusal(problem && { problem, draft });
  const id = stored?.device.device_id;
  const trial = useTrial(id, refuse);
  const faults = faultsOf(draft);
  const problems = openProblems(refusal, draft);
  const before = stored && deviceDraft(stored.device);
  const changes = before === undefined ? [] : changesBetween(before, draft);
  const checkedFrom = draft.locations ?? choices.data?.defaultLocations ?? [];

  /** Joins the draft with values that someone else stored after `basis`. */
  const join = (basis: DeviceDraft, theirs: DeviceDraft) => {
    const joined = joinDrafts(basis, draft, theirs);
    form.rebase(theirs, joined.draft);
    setMeanwhile({ joined, theirs, chosen: new Set() });
  };
  useLayoutEffect(() => {
    // An earlier draft began with other stored values.
    if (form.kept === 'overlaid') join(form.basis, opened.basis);
  }, []);
  const field = address.value.query.get('field');
  const shownField = useRef<string | null>(null);
  useEffect(() => {
    // The fields of the Options appear later.
    if (field !== null && shownField.current !== field && focusField(element.current, field))
      shownField.current = field;
  }, [field, methods.data]);

  const showFault = () => {
    setChecked(true);
    // The faults open their groups first.
    setTimeout(() => focusFault(element.current));
  };
  /** A search has a text that chose nothing. */
  const isUnchosen = () =>
    element.current?.querySelector('[role="combobox"][aria-expanded="false"]:not(:placeholder-shown)') !=
    null;
  const submit = async () => {
    if (isBusy) return;
    if (faults.size > 0 || isUnchosen()) return showFault();
    setBusy(true);
    try {
      const saved = await saveDevice(draft, stored);
      form.saved();
      go(`/devices/${saved}`);
    } catch (error) {
      setBusy(false);
      if (error instanceof ChangedDevice) {
        setStored(error.now);
        join(form.basis, deviceDraft(error.now.device));
        element.current?.scrollIntoView();
      } else {
        refuse(error instanceof Error ? error : new Error(String(error)));
        showFault();
      }
    }
  };
  const choose = (name: string, isTheirs: boolean) => {
    if (meanwhile === undefined) return;
    const chosen = new Set(meanwhile.chosen);
    if (isTheirs) chosen.add(name);
    else chosen.delete(name);
    set(withSettingOf(draft, isTheirs ? meanwhile.theirs : meanwhile.joined.draft, name));
    setMeanwhile({ ...meanwhile, chosen });
  };
  const fields = { draft, set, problems };
  const saveWords =
    stored === undefined ? say.create : changes.length === 0 ? say.save : say.saveChanges(changes.length);
  return (
    <form
      ref={element}
      class={css['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        // A typed tag is added when its field is left.
        if (event.target instanceof HTMLElement) event.target.blur();
        setTimeout(() => element.current?.requestSubmit());
      }}
    >
      <div class={css['fields']}>
        <KeptNotice form={form} />
        {opened.copied !== undefined && <p class={css['notice']}>{say.copyHint(opened.copied.lost)}</p>}
        {meanwhile !== undefined && (
          <ChangedMeanwhile
            joined={meanwhile.joined}
            choices={choices.data}
            chosen={meanwhile.chosen}
            onChoose={choose}
          />
        )}
        <AddressField
          {...fields}
          problem={problemAt(problems, 'URL')}
          methodProblem={problemAt(problems, 'Method')}
          methods={[...(methods.data?.keys() ?? [draft.method])]}
          storedId={id}
          scriptFault={scriptFaultOf(trial, draft)}
        />
        <NameFields {...fields} />
        <TimingFields {...fields} />
        {draft.method === 'SNMP' && (
          <OfferPanel
            draft={draft}
            set={set}
            id={id}
            locations={checkedFrom}
            onFault={showFault}
            onProblem={refuse}
          />
        )}
        <ReadState read={methods} rows={6} />
        <OptionFields
          {...fields}
          faults={faults}
          isChecked={isChecked}
          schema={methods.data?.get(draft.method)}
        />
        <RelationFields {...fields} choices={choices} id={id} />
      </div>
      <div class={css['aside']}>
        {!isReceived(draft.method) && (
          <DeviceTrial
            draft={draft}
            trial={trial}
            locations={checkedFrom}
            onFault={showFault}
            onLeaveOut={
              draft.locations === undefined
                ? undefined
                : (name) => set({ locations: draft.locations?.filter((other) => other !== name) })
            }
          />
        )}
        <SavingEffects draft={draft} stored={before} id={id} changes={changes} choices={choices.data} />
        <FormRefusal words={wholeRefusal(refusal)} />
        <FaultList
          faults={new Map([...problems, ...(isChecked ? faults : [])])}
          onPick={(name) => focusField(element.current, name)}
        />
        <div class="buttons">
          <button type="submit" class="button main" disabled={isBusy}>
            {isBusy ? say.saving : saveWords} <kbd>Ctrl Enter</kbd>
          </button>
          <a class="button" href={id === undefined ? listAddress.value : `/devices/${id}`}>
            {formTexts.cancel}
          </a>
        </div>
        {stored !== undefined && (
          <div class="buttons">
            <DeviceCopies device={stored.device} />
            <RemoveButton
              words={say.remove}
              ask={say.removeAsk(nameOf(stored))}
              remove={() =>
                removeDevice({ id: stored.device.device_id, name: nameOf(stored), etag: stored.etag })
              }
              onRemoved={() => {
                form.discard();
                go(listAddress.value);
              }}
            />
          </div>
        )}
      </div>
    </form>
  );
}

/** Adds a device, changes one, or duplicates one. */
export function DeviceFormScreen({ id }: ScreenProps) {
  const { query } = address.value;
  const copied = query.get('from');
  const pasted = query.get('address') ?? '';
  const found = useRead(() => readOpened(id, copied, pasted), [id, copied, pasted]);
  const { data } = found;
  // Decided once: a link may lead here, and a person who signs in again with fewer rights keeps the text.
  const [isAllowed] = useState(mayWrite.value);
  if (!isAllowed)
    return (
      <div class="page">
        <Heading>{deviceWords.add}</Heading>
        <p>{deviceWords.noRights}</p>
      </div>
    );
  const name = data?.stored && nameOf(data.stored);
  const title =
    name !== undefined
      ? say.change(name)
      : data?.copied === undefined
        ? deviceWords.add
        : say.copyOf(data.copied.name);
  return (
    <div class="page">
      <ReadState read={found} title={deviceWords.add} />
      {data !== undefined && (
        <>
          <div class={css['head']}>
            <Heading>
              <span class="clamp" title={name}>
                {title}
              </span>
            </Heading>
            {name === undefined && data.copied === undefined && (
              <a class="link" href="/devices/new/many">
                {say.addMany}
              </a>
            )}
          </div>
          <DeviceForm key={data.key} opened={data} />
        </>
      )}
    </div>
  );
}
