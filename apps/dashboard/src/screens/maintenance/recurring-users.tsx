import { useState } from 'preact/hooks';
import { tagLevels } from '../../model/tag-levels.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { useRead } from '../../parts/use-read.ts';
import { rows } from '../../store/account-state.ts';
import { mayWrite } from '../../store/credential.ts';
import { changeMatchingDevices } from '../../store/maintenance-changes.ts';
import { type Mschedule, readMscheduleUsers } from '../../store/maintenance-schedules.ts';
import { andMore } from '../../texts/counted.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';

const say = maintenanceTexts.recurring;

/** Gives the schedule to all devices with a tag. */
function ApplyToTag({ schedule, onDone }: { readonly schedule: Mschedule; readonly onDone: () => void }) {
  const tags = tagLevels(rows.value).filter((tag) => !tag.endsWith('/*'));
  const [chosen, setTag] = useState('');
  // The tags are known when the facts are read.
  const tag = tags.includes(chosen) ? chosen : '';
  const [outcome, setOutcome] = useState('');
  const apply = async () => {
    try {
      const { mschedule_id } = schedule;
      const { Changed, Refused } = await changeMatchingDevices({
        Filter: { Tag: tag },
        Set: { mschedule_id },
      });
      const [first] = Refused;
      setOutcome(
        [say.applied(Changed), first === undefined ? '' : say.refused(Refused.length, first.Reason)].join(
          ' ',
        ),
      );
      onDone();
    } catch (error) {
      setOutcome(problemWords(error));
    }
  };
  if (tags.length === 0) return null;
  return (
    <div class={css['apply']}>
      <SelectField
        name={say.apply}
        problem={undefined}
        value={tag}
        choices={[['', maintenanceTexts.form.chooseTag], ...tags.map((name) => [name, name] as const)]}
        onChoose={setTag}
      />
      <button type="button" class="button" disabled={tag === ''} onClick={() => void apply()}>
        {say.applyButton}
      </button>
      <p role="status">{outcome}</p>
    </div>
  );
}

/** The devices that have a maintenance schedule. Others can get it by their tag. */
export function RecurringUsers({ schedule }: { readonly schedule: Mschedule }) {
  const users = useRead(() => readMscheduleUsers(schedule.mschedule_id), [schedule.mschedule_id]);
  const { data, again } = users;
  return (
    <section class="section">
      <h2>{say.users}</h2>
      <ReadState read={users} rows={0} />
      {data?.total === 0 && <p class="mute">{say.unused}</p>}
      {data !== undefined && data.total > 0 && (
        <p>
          {maintenanceTexts.devices(data.total)}:{' '}
          {data.first.map(({ id, name }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <a class="link" href={`/devices/${id}`}>
                <bdi>{name}</bdi>
              </a>
            </span>
          ))}
          {data.total > data.first.length && ` ${andMore(data.total - data.first.length)}`}
        </p>
      )}
      {mayWrite.value && <ApplyToTag schedule={schedule} onDone={again} />}
    </section>
  );
}
