import { mayWrite } from '../../store/credential.ts';
import type { Mschedule } from '../../store/maintenance.ts';
import { maintenanceTexts } from '../../texts/maintenance.ts';
import css from './maintenance.module.css';
import { recurrenceWords } from './words.ts';

const say = maintenanceTexts.recurring;

/** The schedules by which maintenance recurs, in words. */
export function RecurringList({ schedules }: { readonly schedules: readonly Mschedule[] }) {
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.title}</h2>
        {mayWrite.value && (
          <a class={`button ${css['add']}`} href="/schedules/maintenance/new">
            {say.add}
          </a>
        )}
      </div>
      {schedules.length === 0 && <p class="mute">{say.none}</p>}
      <ul class={css['recurring']}>
        {schedules.map((schedule) => (
          <li key={schedule.mschedule_id}>
            <a class={css['name']} href={`/schedules/maintenance/${schedule.mschedule_id}`}>
              <bdi>{schedule.Name}</bdi>
            </a>
            <span class="mute">
              {recurrenceWords(schedule)}, {schedule.Timezone}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
