import { useEffect, useState } from 'preact/hooks';
import { type ChecklistStep, checklistOf, type StepName } from '../../model/checklist.ts';
import { briefly } from '../../model/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { type ReadResult, useRead } from '../../parts/use-read.ts';
import { locations, rows } from '../../store/account-state.ts';
import { firstSteps, type ReadChecklist, readChecklist, setFirstSteps } from '../../store/checklist.ts';
import { minute, secondsSince, serverNow } from '../../store/clock.ts';
import css from './checklist.module.css';
import { checklistTexts as say } from './checklist-texts.ts';
import { NotifyStep } from './notify-step.tsx';

interface Facts extends ReadChecklist {
  readonly devices: number;
  readonly onlineLocations: number;
}

/** The words after the name of a step. */
function detailOf({ name, isDone }: ChecklistStep, facts: Facts): string {
  const { devices, onlineLocations, notified, people, pages = 0, backup } = facts;
  switch (name) {
    case 'watch':
      return isDone ? say.watch.done(devices) : say.watch.open;
    case 'notify':
      if (notified === undefined) return '';
      if (isDone) return say.notify.reached(notified.reached);
      return notified.withoutMail.length > 0 ? say.notify.withoutMail(notified.withoutMail) : say.notify.open;
    case 'invite':
      if (isDone) return say.invite.done(people?.accepted ?? 0);
      return people !== undefined && people.invited > 0
        ? say.invite.waiting(people.invited)
        : say.invite.open;
    case 'location':
      return isDone ? say.location.done(onlineLocations) : say.location.open;
    case 'page':
      return isDone ? say.page.done(pages) : say.page.open;
    case 'backup': {
      if (backup === undefined || backup.madeMs === null)
        return isDone ? say.backup.byOthers : say.backup.open;
      const age = briefly(secondsSince(backup.madeMs));
      return isDone ? say.backup.done(age) : say.backup.old(age);
    }
  }
}

/** The screen on which a step is done, and the screen that shows its result. */
const links: Readonly<Record<Exclude<StepName, 'notify'>, { readonly act: string; readonly see: string }>> = {
  watch: { act: '/devices/new', see: '/devices/new/many' },
  invite: { act: '/people', see: '/people' },
  location: { act: '/locations', see: '/locations' },
  page: { act: '/status-pages/new', see: '/status-pages' },
  backup: { act: '/docs/operate#back-up', see: '/docs/operate#back-up' },
};

function StepLink({ name, isDone }: ChecklistStep & { readonly name: Exclude<StepName, 'notify'> }) {
  const words = name === 'watch' ? { act: say.watch.act, see: say.watch.many } : say[name];
  return (
    <a class={`link ${css['act']}`} href={isDone ? links[name].see : links[name].act}>
      {isDone ? words.see : words.act}
    </a>
  );
}

function StepRow({
  step,
  number,
  facts,
  onChanged,
}: {
  readonly step: ChecklistStep;
  readonly number: number;
  readonly facts: Facts;
  readonly onChanged: () => void;
}) {
  const { name, isDone } = step;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class={css['step']} data-step={name} data-done={isDone}>
      <span class={css['mark']}>
        {isDone ? <Icon name="Delivered" word={say.done} /> : <span class={css['number']}>{number}</span>}
      </span>
      <span class={css['words']}>
        <b class={isDone ? 'mute' : undefined}>{say.steps[name]}</b>{' '}
        <span class="mute">{detailOf(step, facts)}</span>
      </span>
      {name === 'notify' ? (
        !isDone && (
          <button
            type="button"
            class={`link ${css['plain']} ${css['act']}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {say.notify.act}
          </button>
        )
      ) : (
        <StepLink name={name} isDone={isDone} />
      )}
      {name === 'notify' && isOpen && !isDone && (
        <NotifyStep hasMailServer={facts.hasMailServer} onChanged={onChanged} />
      )}
    </li>
  );
}

function StepList({
  read,
  facts,
  steps,
}: {
  readonly read: ReadResult<ReadChecklist>;
  readonly facts: Facts;
  readonly steps: readonly ChecklistStep[];
}) {
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <>
      <header class={css['head']}>
        <h2>{say.title}</h2>
        <span class="hint">
          {say.progress(done, steps.length)}. {say.stays}
        </span>
        <button type="button" class={`link ${css['plain']}`} onClick={() => setFirstSteps('hidden')}>
          {say.hide}
        </button>
      </header>
      <ol class={css['steps']}>
        {steps.map((step, at) => (
          <StepRow key={step.name} step={step} number={at + 1} facts={facts} onChanged={read.again} />
        ))}
      </ol>
    </>
  );
}

/** The first steps of an account, until all are done. They can be hidden in this browser. */
export function Checklist() {
  const state = firstSteps();
  const read = useRead(readChecklist, [], [minute.value]);
  const { data } = read;
  const onlineLocations = locations.value.filter(({ Online }) => Online).length;
  const facts = data && { ...data, devices: rows.value.length, onlineLocations };
  const steps = facts && checklistOf(facts, serverNow());
  const open = steps?.filter(({ isDone }) => !isDone).length;
  useEffect(() => {
    if (open === 0) setFirstSteps('done');
    else if (open !== undefined && state === 'done') setFirstSteps('shown');
  }, [open, state]);
  // Nothing is reserved for a list that was complete, and nothing moves for one that was not.
  if (open === 0 || (facts === undefined && state !== 'shown')) return null;
  if (state === 'hidden')
    return (
      <p class={css['hidden']}>
        <button type="button" class={`link ${css['plain']}`} onClick={() => setFirstSteps('shown')}>
          {say.show(open ?? 0)}
        </button>
      </p>
    );
  return (
    <section class={`section ${css['list']}`} aria-label={say.title}>
      <ReadState read={read} rows={9} />
      {facts !== undefined && steps !== undefined && <StepList read={read} facts={facts} steps={steps} />}
    </section>
  );
}
