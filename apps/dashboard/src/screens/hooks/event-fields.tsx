import { useState } from 'preact/hooks';
import { type EventType, eventGroups, typesOf } from '../../model/event-types.ts';
import { hookTexts } from './hook-texts.ts';
import css from './hooks.module.css';

const say = hookTexts.form;

interface EventFieldsProps {
  /** undefined: all. */
  readonly types: readonly EventType[] | undefined;
  readonly problem: string | undefined;
  readonly set: (types: readonly EventType[] | undefined) => void;
}

/** The types of events that a hook gets: all, or the chosen ones. */
export function EventFields({ types, problem, set }: EventFieldsProps) {
  // The chosen types stay when "all events" is chosen and taken back.
  const [chosen, setChosen] = useState<readonly EventType[]>(types ?? ['Down', 'Up']);
  const toggle = (type: EventType) => {
    const next = chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type];
    setChosen(next);
    set(next);
  };
  return (
    <fieldset class={css['events']}>
      <legend class="label">{say.which}</legend>
      <label class={css['check']}>
        <input type="radio" name="events" checked={types === undefined} onChange={() => set(undefined)} />{' '}
        {say.all}
      </label>
      <label class={css['check']}>
        <input type="radio" name="events" checked={types !== undefined} onChange={() => set(chosen)} />{' '}
        {say.some}
      </label>
      {types !== undefined && (
        <div class={css['groups']}>
          {eventGroups.map((group) => (
            <fieldset key={group}>
              <legend class="label">{say.groups[group]}</legend>
              {typesOf(group).map((type) => (
                <label key={type} class={css['check']}>
                  <input type="checkbox" checked={chosen.includes(type)} onChange={() => toggle(type)} />{' '}
                  {type}
                </label>
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {(problem !== undefined || types?.length === 0) && (
        <p class="hint bad" role="alert">
          {problem ?? say.noTypes}
        </p>
      )}
    </fieldset>
  );
}
