import { minuteWords, type Outage } from '@vantage/domain/report';
import { useRef, useState } from 'preact/hooks';
import { exactTime, inFull } from '../../model/format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { mayWrite } from '../../store/credential.ts';
import { noteOutage } from '../../store/report-source.ts';
import { reportTexts as say } from '../../texts/report.ts';
import css from './reports.module.css';

const columns = say.outageColumns;
const most = 50;

/** Asks what people say about an outage, and whether it counts. */
function NoteDialog({
  outage,
  onClose,
  onDone,
}: {
  readonly outage: Outage;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const note = useRef<HTMLInputElement>(null);
  const excluded = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const text = note.current?.value.trim() ?? '';
      const body = { Note: text === '' ? null : text, Excluded: excluded.current?.checked === true };
      await noteOutage(outage.outage_id, body);
      onDone();
      onClose();
    } catch (error) {
      setProblem(wordsOf(error));
    }
  };
  return (
    <Dialog title={say.editOf(outage.FullName ?? outage.ShortName)} onClose={onClose}>
      <form class={css['form']} onSubmit={(event) => void submit(event)}>
        <label>
          <span class="label">{say.noteField}</span>
          <input ref={note} type="text" maxLength={500} autocomplete="off" defaultValue={outage.Note ?? ''} />
        </label>
        <label>
          <input ref={excluded} type="checkbox" defaultChecked={outage.Excluded} /> {say.excludeField}
        </label>
        {problem !== undefined && (
          <p class="hint bad" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="button main">
            {say.save}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {say.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function OutageRow({ outage, onEdit }: { readonly outage: Outage; readonly onEdit: () => void }) {
  const { Start, End, Seconds, CheckResult, Note, Behind, device_id } = outage;
  const name = outage.FullName ?? outage.ShortName;
  return (
    <tr>
      <td class={css['moment']}>
        <time dateTime={Start} title={exactTime(Start)}>
          {minuteWords(Start)}
        </time>
      </td>
      <td class={css['moment']}>
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
          <button type="button" class="button" aria-label={say.editOf(name)} onClick={onEdit}>
            {say.edit}
          </button>
        </td>
      )}
    </tr>
  );
}

/** Outages with their causes and notes. */
export function Outages({
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
  const shown = isAll ? outages : outages.slice(0, most);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class={`section ${css['table']}`} aria-label={title} tabIndex={0}>
      <h2>{title}</h2>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {outages.length === 0 ? (
        <p class="mute">{say.noOutages}</p>
      ) : (
        <table>
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
        <NoteDialog
          key={edited.outage_id}
          outage={edited}
          onClose={() => setEdited(undefined)}
          onDone={again}
        />
      )}
    </section>
  );
}
