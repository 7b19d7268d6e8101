import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { maxSpanMs, minSpanMs, type Preset, presetNames, rangeQuery } from '../../model/time-range.ts';
import { instantOf, wallTime } from '../../model/zoned.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { useKeys } from '../../parts/keys.ts';
import { MomentField } from '../../parts/moment-field.tsx';
import { now, zone } from '../../store/clock.ts';
import css from './axis.module.css';
import { axisTexts as say } from './axis-texts.ts';
import { spanWords } from './axis-words.ts';
import { addressWith, cursorQuery, type DeviceRange } from './range.ts';

const own = 'own';
const names: readonly (Preset | typeof own)[] = [...presetNames, own];
const words = { ...say.spans, [own]: say.own };
const copiedMs = 2_000;

/** The range of all rows: presets, an own one, steps, and the link to it. `children` are what the rows compare. */
export function RangeBar({
  range,
  cursor,
  children,
}: {
  readonly range: DeviceRange;
  readonly cursor: number | undefined;
  readonly children: ComponentChildren;
}) {
  const [isAsking, setAsking] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const { chosen, span } = range;
  const isOpen = chosen.preset !== undefined || span.to >= now.value - 15_000;
  const copy = () => {
    // A link to a moment that has passed: a span up to now would show another one later.
    const query = rangeQuery({ from: span.from, to: Math.min(span.to, now.peek()) });
    const link = `${location.origin}${addressWith({ span: undefined, ...query, ...cursorQuery(cursor) })}`;
    navigator.clipboard.writeText(link).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), copiedMs);
      },
      // Without the permission, the address of the browser can still be copied.
      () => {},
    );
  };
  useKeys({
    '[': () => range.move(-1),
    ']': () => !isOpen && range.move(1),
    '+': () => range.zoom('in'),
    '-': () => range.zoom('out'),
    y: copy,
  });
  return (
    <div class={css['rangeBar']}>
      <ButtonChoice
        names={names}
        words={words}
        chosen={chosen.preset ?? own}
        onChoose={(name) => (name === own ? setAsking(true) : range.set({ preset: name }))}
      />
      <span class={css['steps']}>
        <button type="button" class="button" aria-label={say.earlier} onClick={() => range.move(-1)}>
          ‹
        </button>
        <span class={css['shown']}>{spanWords(span, zone.value, isOpen ? say.now : undefined)}</span>
        <button
          type="button"
          class="button"
          aria-label={say.later}
          disabled={isOpen}
          onClick={() => range.move(1)}
        >
          ›
        </button>
      </span>
      <span class={css['grow']} />
      {children}
      <button type="button" class="button" onClick={copy}>
        {isCopied ? say.copied : say.copy} <kbd>y</kbd>
      </button>
      {isAsking && <OwnRange range={range} onClose={() => setAsking(false)} />}
    </div>
  );
}

function OwnRange({ range, onClose }: { readonly range: DeviceRange; readonly onClose: () => void }) {
  const [from, setFrom] = useState(wallTime(zone.peek(), range.span.from));
  const [to, setTo] = useState(wallTime(zone.peek(), range.span.to));
  const [isWrong, setWrong] = useState(false);
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    const [start, end] = [instantOf(zone.peek(), from), instantOf(zone.peek(), to)];
    const length = end - start;
    if (!(length >= minSpanMs && length <= maxSpanMs)) return setWrong(true);
    range.set({ from: start, to: end });
    onClose();
  };
  return (
    <Dialog title={say.ownTitle} onClose={onClose}>
      <form onSubmit={show}>
        <MomentField name={say.ownFrom} value={from} problem={undefined} onInput={setFrom} />
        <MomentField name={say.ownTo} value={to} problem={undefined} hint={zone.value} onInput={setTo} />
        <FormRefusal words={isWrong ? say.ownFault : undefined} />
        <div class="buttons section">
          <SubmitButton isOff={false}>{say.ownShow}</SubmitButton>
          <CancelButton onClose={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
