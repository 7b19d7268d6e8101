import { stepTexts, stepWords } from '../../texts/step-words.ts';
import type { DeviceDraft } from './device-draft.ts';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { DeviceChoices } from './read-choices.ts';
import { lackOf } from './saving-facts.ts';

/** The schedule that a draft uses: its own, or else the default of the account; undefined: none, or it is hidden. */
export function scheduleOf({ nscheduleId }: DeviceDraft, { nschedules, accountSchedule }: DeviceChoices) {
  const id = nscheduleId === '' ? accountSchedule : nscheduleId;
  return { id, schedule: nschedules.find(({ nschedule_id }) => nschedule_id === id) };
}

const nextSteps = {
  contact: { href: '/schedules/contacts/new', words: say.createContact },
  schedule: { href: '/schedules/new', words: say.createSchedule },
} as const;

/** Says that nobody is notified, because the account has no default schedule, and where that can be changed. */
export function NobodyNotified({ choices: { contacts, nschedules } }: { readonly choices: DeviceChoices }) {
  const lack = lackOf({ contacts: contacts?.size, schedules: nschedules.length });
  return (
    <>
      <b>{say.nobody}</b> {say.nobodyWhy.noDefault}{' '}
      {lack === 'choice' ? (
        say.chooseSchedule
      ) : (
        <a class="link" href={nextSteps[lack].href}>
          {nextSteps[lack].words}
        </a>
      )}
    </>
  );
}

/** The steps of the chosen schedule: who is notified, after how long and at which hours. */
export function NotifiedLines({
  draft,
  choices,
}: {
  readonly draft: DeviceDraft;
  readonly choices: DeviceChoices;
}) {
  const { id, schedule } = scheduleOf(draft, choices);
  if (id === null)
    return (
      <p class="hint">
        <NobodyNotified choices={choices} />
      </p>
    );
  if (schedule === undefined) return null;
  const steps = schedule.Steps.filter(({ Contacts }) => Contacts.length > 0);
  const nameOf = (contact: string) => choices.contacts?.get(contact) ?? stepTexts.gone;
  if (steps.length === 0)
    return (
      <p class="hint">
        <b>{say.nobody}</b> {say.nobodyWhy.noStep}{' '}
        <a class="link" href={`/schedules/${id}`}>
          {schedule.Name}
        </a>
      </p>
    );
  return (
    <ul class={`hint ${css['notified']}`}>
      {steps.map((step, at) => (
        <li key={at}>
          <bdi>
            {choices.contacts === undefined ? stepTexts.after(step.DelayMinutes) : stepWords(step, nameOf)}
          </bdi>
        </li>
      ))}
    </ul>
  );
}
