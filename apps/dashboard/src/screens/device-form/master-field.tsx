import { useMemo, useState } from 'preact/hooks';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { Chips, SearchChoice } from '../../parts/search-choice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { progress, rows } from '../../store/account-state.ts';
import { api, takeAnswer } from '../../store/api.ts';
import type { DeviceFieldsProps } from './device-draft.ts';
import { DeviceField, problemAt } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import { readSuggestion, tracePath } from './read-choices.ts';

const shownBehind = 5;

/** The first devices behind a device, and their number. */
async function readBehind(device_master_id: string) {
  const query = { device_master_id, Limit: shownBehind };
  const { data, total } = await takeAnswer(api.GET('/devices', { params: { query } }));
  return { devices: data, total };
}

/** The devices whose master is this device. */
function DevicesBehind({ id }: { readonly id: string }) {
  const read = useRead(() => readBehind(id), [id]);
  const { devices = [], total = 0 } = read.data ?? {};
  if (read.data !== undefined && total === 0) return null;
  return (
    <>
      <ReadState read={read} rows={0} />
      {total > 0 && (
        <p class="hint">
          {say.behind(total)}{' '}
          {devices.map(({ device_id, FullName, ShortName }, index) => (
            <span key={device_id}>
              {index > 0 && ', '}
              <a class="link" href={`/devices/${device_id}`}>
                <bdi>{FullName ?? ShortName}</bdi>
              </a>
            </span>
          ))}
          {total > devices.length && '…'}
        </p>
      )}
    </>
  );
}

/** The master that traceroutes suggest, with a button that uses it. */
function Suggestion({
  id,
  masterId,
  nameOf,
  onUse,
}: {
  readonly id: string;
  readonly masterId: string;
  readonly nameOf: (id: string) => string | undefined;
  readonly onUse: (id: string) => void;
}) {
  const read = useRead(() => readSuggestion(id), [id]);
  const [isTracing, setTracing] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const trace = () => {
    setTracing(true);
    setRefusal(undefined);
    tracePath(id)
      .then(read.again, (error: unknown) => setRefusal(problemWords(error)))
      .finally(() => setTracing(false));
  };
  const { data } = read;
  const found = data?.SuggestedMaster ?? null;
  return (
    <div class={css['suggestion']}>
      <ReadState read={read} rows={0} />
      {data !== undefined && found !== null && found !== masterId && (
        <p class="hint">
          {say.suggested} <bdi class={css['strong']}>{nameOf(found) ?? data.ShortName}</bdi>,{' '}
          {say.suggestedBy(data.Address, data.Traceroutes)} {!data.Complete && say.suggestedIncomplete}{' '}
          <button type="button" class="button" onClick={() => onUse(found)}>
            {say.useIt}
          </button>
        </p>
      )}
      {data !== undefined && found !== null && found === masterId && (
        <p class="hint">{say.suggestedIsMaster(data.Traceroutes)}</p>
      )}
      {data?.Reason != null && <p class="hint">{say.suggestedNone(data.Reason)}</p>}
      {data !== undefined && (found === null || !data.Complete) && (
        <button type="button" class="button" disabled={isTracing} onClick={trace}>
          {isTracing ? say.tracing : say.trace}
        </button>
      )}
      {refusal !== undefined && (
        <p class="hint bad" role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}

/** The master of the device, which can be found by its names. `id` is that of the stored device. */
export function MasterField({
  draft,
  set,
  problems,
  id,
}: DeviceFieldsProps & { readonly problems: ReadonlyMap<string, string>; readonly id: string | undefined }) {
  const all = rows.value;
  const options = useMemo(
    () =>
      all
        .filter((row) => row.id !== id)
        .map((row) => ({
          id: row.id,
          words: row.name,
          hint: row.shortName === row.name ? undefined : row.shortName,
        })),
    [all, id],
  );
  const nameOf = (device: string) => options.find((option) => option.id === device)?.words;
  const { masterId } = draft;
  const areDevicesLoading = progress.value === 'loading' && all.length === 0;
  return (
    <DeviceField
      field="device_master_id"
      words={say.master}
      problem={problemAt(problems, 'device_master_id')}
      hint={say.masterHint}
      after={
        id !== undefined && (
          <>
            <Suggestion
              id={id}
              masterId={masterId}
              nameOf={nameOf}
              onUse={(suggested) => set({ masterId: suggested })}
            />
            <DevicesBehind id={id} />
          </>
        )
      }
    >
      {(field) => (
        <>
          <Chips
            chosen={masterId === '' ? [] : [{ id: masterId, words: nameOf(masterId) ?? say.hiddenChoice }]}
            onRemove={() => set({ masterId: '' })}
          />
          <SearchChoice
            field={field}
            placeholder={say.findMaster}
            options={options}
            isLoading={areDevicesLoading}
            onPick={(picked) => set({ masterId: picked })}
            onRemoveLast={() => set({ masterId: '' })}
          />
        </>
      )}
    </DeviceField>
  );
}
