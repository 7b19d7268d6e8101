import {
  dateAfter,
  neighbour,
  parseObjective,
  type ReportSpan,
  spanAround,
  spanOfDays,
} from '@vantage/domain/report';
import { useEffect, useRef, useState } from 'preact/hooks';
import { parseFilter } from '../../model/filter-text.ts';
import { tagLevels } from '../../model/tag-levels.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { useKeys } from '../../parts/keys.ts';
import { rows } from '../../store/account-state.ts';
import { today } from '../../store/clock.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { type ReportRequest, showReport } from './report-request.ts';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

const kinds = ['month', 'quarter', 'days'] as const;

/** The span of another kind that contains the end of this one. */
function ofKind(span: ReportSpan | undefined, kind: (typeof kinds)[number]): ReportSpan {
  const last = span === undefined || span.last > today.value ? today.value : span.last;
  if (kind !== 'days') return spanAround(kind, last);
  return { kind, first: span?.first ?? last, last };
}

/** Two dates, and the button that shows the report between them. */
function DayRange({ request, span }: { readonly request: ReportRequest; readonly span: ReportSpan }) {
  const first = useRef<HTMLInputElement>(null);
  const last = useRef<HTMLInputElement>(null);
  const [isWrong, setWrong] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const next = spanOfDays(first.current?.value ?? '', last.current?.value ?? '');
    setWrong(next === undefined);
    if (next !== undefined) showReport(request, { span: next });
  };
  return (
    <form class={css['days']} onSubmit={submit} key={`${span.first}${span.last}`}>
      <label>
        <span class="label">{say.first}</span>
        <input ref={first} type="date" required defaultValue={span.first} />
      </label>
      <label>
        <span class="label">{say.last}</span>
        <input ref={last} type="date" required defaultValue={span.last} />
      </label>
      <button type="submit" class="button">
        {say.show}
      </button>
      {isWrong && (
        <p class="hint bad" role="alert">
          {say.wrongDays}
        </p>
      )}
    </form>
  );
}

/** The tag paths of all devices with the levels above them, as filters. */
function tagFilters(): readonly string[] {
  return tagLevels(rows.value)
    .slice(0, 500)
    .map((path) => (/\s/.test(path) ? `tag:"${path}"` : `tag:${path}`));
}

/** A field that shows another report when it is left, or by Enter. */
function ReportField({
  label,
  hint,
  value,
  isWide = false,
  list,
  wrong,
  onChange,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly isWide?: boolean;
  readonly list?: string;
  readonly wrong?: string | undefined;
  readonly onChange: (text: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.value = value;
  }, [value]);
  return (
    <label class={isWide ? css['which'] : css['objective']}>
      <span class="label">{label}</span>
      <input
        ref={input}
        type="text"
        defaultValue={value}
        placeholder={hint}
        list={list}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={wrong !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      {wrong !== undefined && (
        <span class="hint bad" role="alert">
          {wrong}
        </span>
      )}
    </label>
  );
}

/** Chooses a month, a quarter or other days, and the previous or the next span. */
function SpanChoice({ request }: { readonly request: ReportRequest }) {
  const { span } = request;
  const by = (step: -1 | 1) => () => {
    if (span !== undefined) showReport(request, { span: neighbour(span, step) });
  };
  useKeys({ '[': by(-1), ']': by(1) });
  return (
    <div class="buttons">
      <ButtonChoice
        names={kinds}
        words={say.kinds}
        chosen={span?.kind ?? 'month'}
        onChoose={(kind) => showReport(request, { span: ofKind(span, kind) })}
      />
      <button type="button" class="button" onClick={by(-1)}>
        {say.before(span?.kind ?? 'month')} <kbd>[</kbd>
      </button>
      <button
        type="button"
        class="button"
        disabled={span === undefined || dateAfter(span.last) > today.value}
        onClick={by(1)}
      >
        {say.after(span?.kind ?? 'month')} <kbd>]</kbd>
      </button>
    </div>
  );
}

/** Chooses the span, the devices and the objective of a report, which are all part of the address. */
export function ReportControls({ request }: { readonly request: ReportRequest }) {
  const { span, devices, objectiveText } = request;
  const { unknown } = parseFilter(request.filter);
  const wrongObjective =
    objectiveText !== '' && parseObjective(objectiveText) === undefined ? say.wrongObjective : undefined;
  return (
    <search class={css['controls']}>
      <SpanChoice request={request} />
      {span?.kind === 'days' && <DayRange request={request} span={span} />}
      <div class={css['fields']}>
        {devices === undefined ? (
          <ReportField
            label={say.which}
            hint={say.whichHint}
            value={request.filter}
            isWide
            list="tag-filters"
            wrong={unknown.length === 0 ? undefined : deviceWords.unknownField(unknown.join(', '))}
            onChange={(filter) => showReport(request, { filter })}
          />
        ) : (
          <p class={css['chosen']}>
            {say.chosen(devices.length)}{' '}
            <button type="button" class="button" onClick={() => showReport(request, { devices: undefined })}>
              {say.all}
            </button>
          </p>
        )}
        <ReportField
          label={say.objective}
          hint={say.objectiveHint}
          value={objectiveText}
          wrong={wrongObjective}
          onChange={(text) => showReport(request, { objectiveText: text })}
        />
      </div>
      <datalist id="tag-filters">
        {tagFilters().map((filter) => (
          <option key={filter} value={filter} />
        ))}
      </datalist>
    </search>
  );
}
