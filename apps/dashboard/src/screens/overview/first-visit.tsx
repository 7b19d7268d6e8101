import { useLayoutEffect, useRef } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { go } from '../../store/address.ts';
import { Checklist } from './checklist.tsx';
import css from './overview.module.css';
import { overviewTexts as say } from './overview-texts.ts';

/** The overview of an account without devices: a field for the first address, and the first steps. */
export function FirstVisit() {
  const field = useRef<HTMLInputElement>(null);
  // After the heading, which has the focus on other screens.
  useLayoutEffect(() => field.current?.focus(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    go(`/devices/new?address=${encodeURIComponent(field.current?.value.trim() ?? '')}`);
  };
  return (
    <div class="page">
      <Heading>{say.first}</Heading>
      <p class="mute">{say.firstHint}</p>
      <form class={css['first']} onSubmit={submit}>
        <label>
          <span class="label">{say.firstField}</span>
          <input ref={field} type="text" autocomplete="off" spellcheck={false} placeholder="192.0.2.1" />
        </label>
        <button type="submit" class="button main">
          {say.firstButton}
        </button>
      </form>
      <Checklist />
    </div>
  );
}
