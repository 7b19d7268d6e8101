import { useEffect, useState } from 'preact/hooks';
import { fieldName, listsFor } from '../../model/audit-names.ts';
import { shortText } from '../../model/audit-words.ts';
import type { AxisMark } from '../../model/axis-marks.ts';
import { clockTime } from '../../model/format.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { useKeys } from '../../parts/keys.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { readNames } from '../../store/audit-log.ts';
import { today } from '../../store/clock.ts';
import { mayOperate } from '../../store/credential.ts';
import css from './device.module.css';
import type { DeviceMark } from './device-marks.ts';
import { MarkIcon } from './mark-glyph.tsx';
import { marksTexts as say } from './marks-texts.ts';
import { NoteDialog } from './note-dialog.tsx';

type Kind = AxisMark['kind'];
const kinds: readonly Kind[] = ['Change', 'Deployment', 'Note', 'Maintenance', 'Restart', 'Error'];
const all = 'all';

type NameOf = (id: string) => string | undefined;

/** The names of the things that the changes of a device mention. */
function useNames(marks: readonly DeviceMark[]) {
  const changed = marks.map(({ changes }) => ({
    Action: 'Update' as const,
    Kind: 'device',
    Id: '',
    Changes: changes,
  }));
  const lists = listsFor(changed);
  return useRead(() => readNames(lists), [[...lists].toSorted().join()]);
}

function MarkWords({ mark, nameOf }: { readonly mark: DeviceMark; readonly nameOf: NameOf }) {
  const { kind, words, by, changes, end, markId } = mark;
  if (kind === 'Maintenance') {
    const until = end === null ? '' : clockTime(new Date(end).toISOString(), today.value);
    return (
      <span>
        {say.maintenance(words, until)} {by !== null && <span class="mute">{say.by(by)}</span>}
      </span>
    );
  }
  if (kind === 'Error') return <span>{say.firstError(words)}</span>;
  if (markId === null)
    return (
      <span>
        {changes.length === 0 || words === 'created' ? (
          <b>{say.created(by ?? '')}</b>
        ) : (
          say.changed(
            by ?? '',
            changes
              .map(({ Field, Old, New }) =>
                say.from(fieldName(Field), shortText(Old, nameOf), shortText(New, nameOf)),
              )
              .join(', '),
          )
        )}
      </span>
    );
  return (
    <span>
      <b>{words}</b> {by !== null && <span class="mute">{say.by(by)}</span>}
    </span>
  );
}

/** The marks of the range, newest first. Choosing a row rings its symbol on the axis, and the reverse. */
export function MarksSection({
  device,
  marks,
  hasMore,
  chosen,
  onChoose,
  again,
}: {
  readonly device: { readonly id: string; readonly name: string };
  readonly marks: readonly DeviceMark[];
  readonly hasMore: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (mark: DeviceMark) => void;
  readonly again: () => void;
}) {
  const [shown, setShown] = useState<Kind | typeof all>(all);
  const [isAdding, setAdding] = useState(false);
  const used = kinds.filter((kind) => marks.some((mark) => mark.kind === kind));
  const kind = shown === all || used.includes(shown) ? shown : all;
  const listed = marks.filter((mark) => kind === all || mark.kind === kind);
  useKeys(mayOperate.value ? { n: () => setAdding(true) } : {});
  useEffect(() => {
    if (chosen !== undefined) document.getElementById(`mark-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const names = useNames(marks);
  const nameOf = (id: string) => devices.value.get(id)?.name ?? names.data?.get(id);
  const numberOf = (name: Kind) => marks.filter((mark) => mark.kind === name).length;
  const words = {
    [all]: say.all(marks.length),
    ...Object.fromEntries(used.map((name) => [name, `${say.kinds[name]} ${numberOf(name)}`])),
  };
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.head}</h2>
        {used.length > 1 && (
          <ButtonChoice names={[all, ...used]} words={words} chosen={kind} onChoose={setShown} />
        )}
        {mayOperate.value && (
          <button type="button" class="button" onClick={() => setAdding(true)}>
            {say.add} <kbd>n</kbd>
          </button>
        )}
      </div>
      {listed.length === 0 && <p class="mute">{say.none}</p>}
      <ol class={css['marks']}>
        {listed.map((mark) => (
          <li key={mark.key} id={`mark-${mark.key}`} class={mark.key === chosen ? css['chosen'] : undefined}>
            <button
              type="button"
              class={css['markTime']}
              title={say.showHere}
              aria-pressed={mark.key === chosen}
              onClick={() => onChoose(mark)}
            >
              <Moment at={mark.moment} />
              <MarkIcon kind={mark.kind} />
              <span class="hidden">{say.names[mark.kind]}</span>
            </button>
            <MarkWords mark={mark} nameOf={nameOf} />
            <span class={css['markLinks']}>
              {mark.link !== null && (
                <a class="link" href={mark.link} target="_blank" rel="noreferrer">
                  {say.open}
                </a>
              )}
              {mark.mscheduleId !== null && (
                <a class="link" href={`/schedules/maintenance/${mark.mscheduleId}`}>
                  {say.bySchedule}
                </a>
              )}
              {mark.markId !== null && mayOperate.value && (
                <RemoveButton
                  words={say.remove}
                  ask={say.removeAsk(mark.words)}
                  remove={async () => {
                    await take(
                      api.DELETE('/marks/{mark_id}', { params: { path: { mark_id: mark.markId ?? '' } } }),
                    );
                  }}
                  onRemoved={again}
                />
              )}
            </span>
          </li>
        ))}
      </ol>
      {hasMore && <p class="hint">{say.more}</p>}
      <ReadState read={names} rows={0} />
      {isAdding && <NoteDialog device={device} onClose={() => setAdding(false)} onAdded={again} />}
    </section>
  );
}
