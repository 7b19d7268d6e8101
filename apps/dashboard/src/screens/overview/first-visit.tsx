import { useRef } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { go } from '../../store/address.ts';
import { texts } from '../../texts/index.ts';
import css from './overview.module.css';

const say = texts.overview;

/** The first step: the field to paste an address into. */
export function FirstVisit() {
  const field = useRef<HTMLInputElement>(null);
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
          <input
            ref={field}
            type="text"
            autofocus
            autocomplete="off"
            spellcheck={false}
            placeholder="192.0.2.1"
          />
        </label>
        <button type="submit" class="button main">
          {say.firstButton}
        </button>
      </form>
      <section class="section">
        <h2>{say.firstSteps}</h2>
        <ul class={css['list']}>
          {say.steps.map(([name, href, why]) => (
            <li key={href} class={css['step']}>
              <a class="link" href={href}>
                {name}
              </a>{' '}
              <span class="mute">{why}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
