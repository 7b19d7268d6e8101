import { useId } from 'preact/hooks';
import { LineField } from '../../parts/line-field.tsx';
import { MomentField } from '../../parts/moment-field.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useRead } from '../../parts/use-read.ts';
import { locations, rows } from '../../store/account-state.ts';
import { zone } from '../../store/clock.ts';
import { readMschedules } from '../../store/maintenance-schedules.ts';
import { readNschedules } from '../../store/notification-schedules.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { bulkTexts } from './bulk-texts.ts';
import { type ChangeDraft, type DraftedChange, none, numberLimits } from './change-draft.ts';
import css from './devices.module.css';
import { knownValues } from './list-state.ts';

const say = bulkTexts.fields;

interface FieldProps {
  readonly draft: ChangeDraft;
  readonly problems: DraftedChange['problems'];
  readonly set: (change: Partial<ChangeDraft>) => void;
}

export function MaintenanceFields({ draft, set }: FieldProps) {
  return (
    <>
      <SelectField
        name={say.maintenance}
        problem={undefined}
        value={draft.isEnd ? 'end' : 'start'}
        choices={[
          ['start', say.start],
          ['end', say.end],
        ]}
        onChoose={(value) => set({ isEnd: value === 'end' })}
      />
      {!draft.isEnd && (
        <>
          <MomentField
            name={say.startAt}
            hint={say.startHint(zone.value)}
            problem={undefined}
            value={draft.start}
            onInput={(start) => set({ start })}
          />
          <SelectField
            name={deviceWords.maintenanceDialog.duration}
            problem={undefined}
            value={draft.duration}
            choices={deviceWords.maintenanceDialog.durations}
            onChoose={(duration) => set({ duration })}
          />
          <LineField
            name={deviceWords.maintenanceDialog.reason}
            problem={undefined}
            value={draft.reason}
            onInput={(reason) => set({ reason: reason.slice(0, 200) })}
          />
        </>
      )}
    </>
  );
}

export function TagFields({ draft, problems, set }: FieldProps) {
  const list = useId();
  return (
    <>
      <datalist id={list}>
        {knownValues('tag')
          .filter((tag) => !tag.endsWith('/*'))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
      <LineField
        name={say.addTags}
        hint={say.tagsHint}
        problem={undefined}
        value={draft.addTags}
        list={list}
        isFirst
        onInput={(addTags) => set({ addTags })}
      />
      <LineField
        name={say.removeTags}
        problem={problems.removeTags && say.sameTag}
        value={draft.removeTags}
        list={list}
        onInput={(removeTags) => set({ removeTags })}
      />
    </>
  );
}

function LocationFields({ draft, set }: FieldProps) {
  const kind = draft.locations === undefined ? '' : draft.locations === null ? none : 'these';
  const chosen = draft.locations ?? [];
  const toggle = (name: string) =>
    set({ locations: chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name] });
  return (
    <div class={css['fullWidth']}>
      <SelectField
        name={say.locations}
        problem={undefined}
        value={kind}
        choices={[
          ['', say.unchanged],
          [none, say.defaultLocations],
          ['these', say.theseLocations],
        ]}
        onChoose={(value) => set({ locations: value === '' ? undefined : value === none ? null : [] })}
      />
      {kind === 'these' && (
        <fieldset class={css['boxes']}>
          <legend class="hidden">{say.locations}</legend>
          {locations.value.map(({ location_id, Name }) => (
            <label key={location_id}>
              <input type="checkbox" checked={chosen.includes(Name)} onChange={() => toggle(Name)} />{' '}
              <bdi>{Name}</bdi>
            </label>
          ))}
          {chosen.length === 0 && <p class="hint">{say.noLocation}</p>}
        </fieldset>
      )}
    </div>
  );
}

/** The schedules and the master. */
function ReferenceFields({ draft, problems, set }: FieldProps) {
  const list = useId();
  const read = useRead(() => Promise.all([readNschedules(), readMschedules()]), []);
  const [notification = [], maintenance = []] = read.data ?? [];
  return (
    <>
      <div class={css['fullWidth']}>
        <ReadState read={read} rows={0} />
      </div>
      <SelectField
        name={say.nschedule}
        problem={undefined}
        value={draft.nschedule}
        choices={[
          ['', say.unchanged],
          [none, say.defaultSchedule],
          ...notification.map(({ nschedule_id, Name }) => [nschedule_id, Name] as const),
        ]}
        onChoose={(nschedule) => set({ nschedule })}
      />
      <SelectField
        name={say.mschedule}
        problem={undefined}
        value={draft.mschedule}
        choices={[
          ['', say.unchanged],
          [none, say.noSchedule],
          ...maintenance.map(({ mschedule_id, Name }) => [mschedule_id, Name] as const),
        ]}
        onChoose={(mschedule) => set({ mschedule })}
      />
      <datalist id={list}>
        <option value={none} />
        {draft.master.length > 1 &&
          rows.value
            .filter(({ words }) => words.includes(draft.master.toLowerCase()))
            .slice(0, 20)
            .map(({ id, shortName }) => <option key={id} value={shortName} />)}
      </datalist>
      <LineField
        name={say.master}
        hint={say.masterHint}
        problem={problems.master && say.noSuchDevice(draft.master)}
        value={draft.master}
        list={list}
        onInput={(master) => set({ master })}
      />
    </>
  );
}

const frequencies = ['5s', '10s', '15s', '20s', '30s', '1', '2', '5', '10', '20', '30', '60'];

/** The settings that many devices can share. Each is left as it is until it is touched. */
export function SettingsFields(props: FieldProps) {
  const { draft, problems, set } = props;
  return (
    <div class={css['fields']}>
      <SelectField
        name={say.frequency}
        problem={undefined}
        value={draft.frequency}
        choices={[['', say.unchanged], ...frequencies.map((value) => [value, say.every(value)] as const)]}
        onChoose={(frequency) => set({ frequency })}
      />
      <SelectField
        name={say.severity}
        problem={undefined}
        value={draft.severity}
        choices={[
          ['', say.unchanged],
          ...(['critical', 'warning', 'info'] as const).map((name) => [name, name] as const),
        ]}
        onChoose={(severity) => set({ severity })}
      />
      {(['timeout', 'attempts', 'retryDelay'] as const).map((field) => (
        <LineField
          key={field}
          name={say[field]}
          hint={say.unchangedHint}
          problem={problems[field] && say.wholeNumber(numberLimits[field])}
          value={draft[field]}
          onInput={(value) => set({ [field]: value })}
        />
      ))}
      <ReferenceFields {...props} />
      <LocationFields {...props} />
    </div>
  );
}
