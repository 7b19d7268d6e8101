import { useState } from 'preact/hooks';
import { Select } from '../../parts/field.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { mayWrite } from '../../store/credential.ts';
import { changeDevices, type Mschedule, readMscheduleUsers } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';
import { allTags } from './target-fields.tsx';

const say = maintenanceTexts.recurring;

function Give({ schedule, onDone }: { readonly schedule: Mschedule; readonly onDone: () => void }) {
  const tags = allTags();
  const [chosen, setTag] = useState('');
  // The tags come with the facts.
  const tag = tags.includes(chosen) ? chosen : (tags[0] ?? '');
  const [said, setSaid] = useState('');
  const give = async () => {
    try {
      const { mschedule_id } = schedule;
      const { Changed, Refused } = await changeDevices({ Filter: { Tag: tag }, Set: { mschedule_id } });
      const [first] = Refused;
      setSaid(
        [say.given(Changed), first === undefined ? '' : say.refused(Refused.length, first.Reason)].join(' '),
      );
      onDone();
    } catch (error) {
      setSaid(wordsOf(error));
    }
  };
  if (tags.length === 0) return null;
  return (
    <div class={css['give']}>
      <Select
        name={say.give}
        problem={undefined}
        value={tag}
        choices={tags.map((each) => [each, each] as const)}
        onChoose={setTag}
      />
      <button type="button" class="button" onClick={() => void give()}>
        {say.giveButton}
      </button>
      <p role="status">{said}</p>
    </div>
  );
}

/** The devices that have a maintenance schedule; others get it by their tag. */
export function RecurringUsers({ schedule }: { readonly schedule: Mschedule }) {
  const { data, again } = useRead(() => readMscheduleUsers(schedule.mschedule_id), [schedule.mschedule_id]);
  return (
    <section class="section">
      <h2>{say.users}</h2>
      {data?.total === 0 && <p class="mute">{say.unused}</p>}
      {data !== undefined && data.total > 0 && (
        <p>
          {maintenanceTexts.devices(data.total)}:{' '}
          {data.first.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ', '}
              <a class="link" href={`/devices/${id}`}>
                <bdi>{name}</bdi>
              </a>
            </span>
          ))}
          {data.total > data.first.length &&
            ` ${maintenanceTexts.window.more(data.total - data.first.length)}`}
        </p>
      )}
      {mayWrite.value && <Give schedule={schedule} onDone={again} />}
    </section>
  );
}
