import { Heading } from '../../parts/heading.tsx';
import { HistoryLink } from '../../parts/history-link.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import { useDraft } from '../../parts/use-draft.tsx';
import type { ScreenProps } from '../../screen-props.ts';
import { mayWrite } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import css from './maintenance.module.css';
import { maintenanceTexts } from './maintenance-texts.ts';
import type { OpenedRecurring } from './opened-recurring.ts';
import { readRecurring } from './opened-recurring.ts';
import type { RecurringDraft } from './recurring-draft.ts';
import { RecurringForm } from './recurring-form.tsx';
import { RecurringUsers } from './recurring-users.tsx';
import { WindowDates } from './window-dates.tsx';
import { recurrenceWords } from './window-words.ts';

const say = maintenanceTexts.recurring;

const drafts = createDrafts<RecurringDraft>();

function RecurringDetails({
  opened,
  again,
}: {
  readonly opened: OpenedRecurring;
  readonly again: () => void;
}) {
  const { schedule } = opened;
  const form = useDraft(drafts, schedule?.mschedule_id ?? 'new', opened.draft);
  return (
    <>
      <Heading>
        <bdi>{schedule?.Name ?? say.add}</bdi>
      </Heading>
      {schedule !== undefined && (
        <p class="mute">
          {recurrenceWords(schedule)}, {schedule.Timezone} · <HistoryLink id={schedule.mschedule_id} />
        </p>
      )}
      <div class={css['beside']}>
        <div>
          {mayWrite.value && <RecurringForm opened={opened} form={form} onSaved={again} />}
          {schedule !== undefined && <RecurringUsers schedule={schedule} />}
        </div>
        <WindowDates draft={form.draft} />
      </div>
    </>
  );
}

/** A maintenance schedule: its times, its next windows, and its devices. */
export function RecurringScreen({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={maintenanceTexts.title} addTitle={say.add} read={readRecurring}>
      {(opened, again, key) => <RecurringDetails key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}
