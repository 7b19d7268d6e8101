import { mayWrite } from '../../store/credential.ts';
import type { Mschedule } from '../../store/maintenance-schedules.ts';
import css from './maintenance.module.css';
import { maintenanceTexts as say } from './maintenance-texts.ts';
import { recurrenceWords } from './window-words.ts';

/** The schedules of recurring maintenance, in words. */
export function RecurringList({ schedules }: { readonly schedules: readonly Mschedule[] }) {
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.recurring.title}</h2>
        {mayWrite.value && (
          <a class={`button ${css['add']}`} href="/schedules/maintenance/new">
            {say.recurring.add}
          </a>
        )}
      </div>
      {schedules.length === 0 && <p class="mute">{say.recurring.none}</p>}
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
