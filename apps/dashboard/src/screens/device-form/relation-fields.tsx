import { ReadState } from '../../parts/read-state.tsx';
import { Chips, SearchChoice } from '../../parts/search-choice.tsx';
import type { ReadResult } from '../../parts/use-read.ts';
import { DeviceField, problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { MasterField } from './master-field.tsx';
import { NotifiedLines } from './notified-lines.tsx';
import type { DeviceChoices } from './read-choices.ts';
import { ChoiceField, type SettingsFieldsProps, TextField } from './settings-fields.tsx';

/** Adds the present value to the choices if the session may not see it, so that saving does not change it. */
function withPresent(
  choices: readonly (readonly [string, string])[],
  present: string,
): readonly (readonly [string, string])[] {
  return choices.some(([id]) => id === present) ? choices : [...choices, [present, say.hiddenChoice]];
}

/** The schedules of the device. */
function ScheduleFields({
  draft,
  set,
  problems,
  choices,
}: SettingsFieldsProps & { readonly choices: DeviceChoices | undefined }) {
  const nschedules = choices?.nschedules ?? [];
  const ofAccount = nschedules.find(({ nschedule_id }) => nschedule_id === choices?.accountSchedule)?.Name;
  return (
    <div class={css['pairFields']}>
      <ChoiceField
        field="nschedule_id"
        words={say.nschedule}
        problem={problemAt(problems, 'nschedule_id')}
        value={draft.nscheduleId}
        choices={withPresent(
          [
            ['', choices === undefined ? say.asking : say.nscheduleDefault(ofAccount)],
            ...nschedules.map(({ nschedule_id, Name }) => [nschedule_id, Name] as const),
          ],
          draft.nscheduleId,
        )}
        isOff={choices === undefined}
        onChoose={(nscheduleId) => set({ nscheduleId })}
        after={choices !== undefined && <NotifiedLines draft={draft} choices={choices} />}
      />
      <ChoiceField
        field="mschedule_id"
        words={say.mschedule}
        problem={problemAt(problems, 'mschedule_id')}
        value={draft.mscheduleId}
        choices={withPresent(
          [
            ['', say.noMschedule],
            ...(choices?.mschedules ?? []).map(({ mschedule_id, Name }) => [mschedule_id, Name] as const),
          ],
          draft.mscheduleId,
        )}
        isOff={choices === undefined}
        onChoose={(mscheduleId) => set({ mscheduleId })}
      />
    </div>
  );
}

/** The tags of the device. New ones are created when the device is saved. */
function TagField({
  draft,
  set,
  problems,
  known,
}: SettingsFieldsProps & { readonly known: readonly string[] }) {
  const { tags } = draft;
  const has = new Set(tags.map((tag) => tag.toLowerCase()));
  const add = (text: string) => {
    const names = text.split(',').map((name) => name.trim());
    set({ tags: [...tags, ...names.filter((name) => name !== '' && !has.has(name.toLowerCase()))] });
  };
  const remove = (name: string) => set({ tags: tags.filter((tag) => tag !== name) });
  return (
    <DeviceField field="Tags" words={say.tags} problem={problemAt(problems, 'Tags')} hint={say.tagsHint}>
      {(field) => (
        <>
          <Chips chosen={tags.map((tag) => ({ id: tag, words: tag }))} onRemove={remove} />
          <SearchChoice
            field={field}
            placeholder={say.findTag}
            options={known
              .filter((tag) => !has.has(tag.toLowerCase()))
              .map((tag) => ({ id: tag, words: tag }))}
            create={say.newTag}
            onPick={add}
            onRemoveLast={() => set({ tags: tags.slice(0, -1) })}
          />
        </>
      )}
    </DeviceField>
  );
}

/** Both schedules, the master and the tags; below them the identity for files and imports. */
export function RelationFields(
  props: SettingsFieldsProps & {
    readonly choices: ReadResult<DeviceChoices>;
    /** Of the stored device. */
    readonly id: string | undefined;
  },
) {
  const { choices, id, draft } = props;
  const identity = [draft.externalKey, draft.source].filter((text) => text !== '');
  return (
    <>
      <fieldset class={css['part']}>
        <legend>{say.who}</legend>
        <ReadState read={choices} rows={0} />
        <ScheduleFields {...props} choices={choices.data} />
        <div class={css['pairFields']}>
          <MasterField {...props} id={id} />
          <TagField {...props} known={choices.data?.tags ?? []} />
        </div>
      </fieldset>
      <details class={css['group']}>
        <summary>
          <span class={css['groupName']}>{say.more}</span>{' '}
          <span class="mute">{identity.length === 0 ? say.setInside(0) : identity.join(', ')}</span>
        </summary>
        <div class={css['pairFields']}>
          <TextField
            {...props}
            field="ExternalKey"
            draftKey="externalKey"
            words={say.externalKey}
            hint={say.externalKeyHint}
          />
          <TextField {...props} field="Source" draftKey="source" words={say.source} hint={say.sourceHint} />
        </div>
      </details>
    </>
  );
}
