import { minuteWords, type Outage } from '@vantage/domain/report';
import { useState } from 'preact/hooks';
import { exactTime, inFull } from '../../model/format.ts';
import { OutageDialog } from '../../parts/outage-dialog.tsx';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { mayWrite } from '../../store/credential.ts';
import { outageTexts } from '../../texts/outage-texts.ts';
import { reportTexts as say } from './report-texts.ts';
import css from './reports.module.css';

const columns = say.outageColumns;
const maxRows = 50;

function OutageRow({ outage, onEdit }: { readonly outage: Outage; readonly onEdit: () => void }) {
  const { Start, End, Seconds, CheckResult, Note, Behind, device_id } = outage;
  const name = outage.FullName ?? outage.ShortName;
  return (
    <tr>
      <td class={css['moment']} data-label={columns.began}>
        <time dateTime={Start} title={exactTime(Start)}>
          {minuteWords(Start)}
        </time>
      </td>
      <td class={css['moment']} data-label={columns.lasted}>
        {inFull(Seconds, 2)}
        {End === null && <span class={css['open']}> {say.isOpen}</span>}
      </td>
      <th scope="row" class={css['name']} title={name}>
        <a href={`/devices/${device_id}`}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td class={css['cause']}>
        <bdi>{CheckResult ?? say.noCause}</bdi>
        {Behind > 0 && ` · ${say.behind(Behind)}`}
        {' · '}
        {Note === null ? <span class="mute">{say.noNote}</span> : <bdi>{say.note(Note)}</bdi>}
      </td>
      {mayWrite.value && (
        <td class={css['act']}>
          <button type="button" class="button" aria-label={outageTexts.editOf(name)} onClick={onEdit}>
            {outageTexts.edit}
          </button>
        </td>
      )}
    </tr>
  );
}

/** Outages with their causes and notes. */
export function OutageTable({
  title,
  hint,
  outages,
  again,
}: {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly outages: readonly Outage[];
  /** Reads the report again, after a change. */
  readonly again: () => void;
}) {
  const [isAll, setAll] = useState(false);
  const [edited, setEdited] = useState<Outage>();
  const shown = isAll ? outages : outages.slice(0, maxRows);
  return (
    <ScrollSection label={title} class={`section ${css['table']}`}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      <p class="hint">
        <a class="link" href="/outages">
          {say.allOutages}
        </a>
      </p>
      {outages.length === 0 ? (
        <p class="mute">{say.noOutages}</p>
      ) : (
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">{columns.began}</th>
              <th scope="col">{columns.lasted}</th>
              <th scope="col">{columns.device}</th>
              <th scope="col">{columns.cause}</th>
              {mayWrite.value && <td class={css['act']} />}
            </tr>
          </thead>
          <tbody>
            {shown.map((outage) => (
              <OutageRow key={outage.outage_id} outage={outage} onEdit={() => setEdited(outage)} />
            ))}
          </tbody>
        </table>
      )}
      {shown.length < outages.length && (
        <p class={css['more']}>
          <button type="button" class="button" onClick={() => setAll(true)}>
            {say.showAll(outages.length)}
          </button>
        </p>
      )}
      {edited !== undefined && (
        <OutageDialog
          key={edited.outage_id}
          outage={edited}
          onClose={() => setEdited(undefined)}
          onDone={again}
        />
      )}
    </ScrollSection>
  );
}
