import { useState } from 'preact/hooks';
import { type AuditFilter, auditAddress, auditQuery, readAuditFilter } from '../../model/audit-filter.ts';
import { foldSessions, listsFor } from '../../model/audit-names.ts';
import { deedOf, kindNames } from '../../model/audit-words.ts';
import { Heading } from '../../parts/heading.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { listId, SkipToList } from '../../parts/skip-to-list.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices, locations } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { api, take } from '../../store/api.ts';
import { readNames } from '../../store/audit-log.ts';
import css from './audit.module.css';
import { AuditExport } from './audit-export.tsx';
import { type AuditEntry, EntryRow, SessionsRow } from './audit-row.tsx';
import { auditTexts as say } from './audit-texts.ts';

const pageSize = 100;

const readEntries = (filter: AuditFilter, Before?: string): Promise<readonly AuditEntry[]> =>
  take(
    api.GET('/audit', {
      params: {
        query: { ...auditQuery(filter), Limit: pageSize, ...(Before === undefined ? {} : { Before }) },
      },
    }),
  );

/** The filters, which are part of the address. */
function AuditFilters({ filter }: { readonly filter: AuditFilter }) {
  const set = (change: Partial<AuditFilter>) => go(auditAddress({ ...filter, ...change }), { replace: true });
  const choices = (names: Readonly<Record<string, string>>) => [
    ['', say.any] as const,
    ...Object.entries(names),
  ];
  const selects = [
    ['kind', say.kind, choices(kindNames)],
    ['action', say.action, choices(say.actions)],
  ] as const;
  const days = [
    ['from', say.from],
    ['to', say.to],
  ] as const;
  return (
    <form class={css['filters']} onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="label">{say.actor}</span>
        <input
          type="text"
          autocomplete="off"
          value={filter.actor}
          onChange={({ currentTarget }) => set({ actor: currentTarget.value.trim() })}
        />
      </label>
      {selects.map(([key, name, list]) => (
        <label key={key}>
          <span class="label">{name}</span>
          <select
            value={filter[key]}
            onChange={({ currentTarget: { value } }) =>
              set(readAuditFilter(new URLSearchParams({ ...filter, [key]: value })))
            }
          >
            {list.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
      {days.map(([key, name]) => (
        <label key={key}>
          <span class="label">{name}</span>
          <input
            type="date"
            value={filter[key]}
            onChange={({ currentTarget }) => set({ [key]: currentTarget.value })}
          />
        </label>
      ))}
    </form>
  );
}

function AuditList({
  filter,
  first,
}: {
  readonly filter: AuditFilter;
  readonly first: readonly AuditEntry[];
}) {
  const [older, setOlder] = useState<readonly AuditEntry[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const [isFull, setFull] = useState(first.length === pageSize);
  const entries = [...first, ...older];
  const lists = listsFor(entries);
  // Without the names the ids are shown, so a failure of this read is no failure of the list.
  const names = useRead(() => readNames(lists), [[...lists].sort().join(',')]);
  const nameOf = (id: string) =>
    devices.value.get(id)?.name ??
    locations.value.find(({ location_id }) => location_id === id)?.Name ??
    names.data?.get(id);
  const load = () => {
    setProblem(undefined);
    readEntries(filter, entries.at(-1)?.audit_id).then((next) => {
      setOlder([...older, ...next]);
      setFull(next.length === pageSize);
    }, setProblem);
  };
  return (
    <>
      <ReadState read={names} rows={0} />
      <ul class={css['rows']}>
        {foldSessions(entries).map((row) =>
          row.what === 'entry' ? (
            <EntryRow
              key={row.entry.audit_id}
              entry={row.entry}
              nameOf={nameOf}
              hasHistory={filter.Object !== ''}
            />
          ) : (
            <SessionsRow key={row.entries[0]?.audit_id} entries={row.entries} nameOf={nameOf} />
          ),
        )}
      </ul>
      {problem !== undefined && <FailureNotice problem={problem} retry={load} />}
      {isFull && problem === undefined && (
        <button type="button" class="button" onClick={load}>
          {say.more}
        </button>
      )}
    </>
  );
}

/** The heading: the history of a thing has the name of the thing, also of a deleted one. */
function titleOf({ actor, Object: id }: AuditFilter, entries: readonly AuditEntry[] | undefined): string {
  if (id === '') return actor === '' ? say.title : say.titleOf(actor);
  const [newest] = entries ?? [];
  const named = entries?.find((entry) => deedOf(entry, () => undefined).name !== id.slice(0, 8)) ?? newest;
  if (named === undefined) return say.historyOf(devices.value.get(id)?.name ?? say.oneThing);
  const { kind, name } = deedOf(named, (thing) => devices.value.get(thing)?.name);
  return say.historyOf(`${kind} ${name}`);
}

/** The changes by people and programs, filtered by the address. */
export function AuditScreen() {
  const filter = readAuditFilter(address.value.query);
  const key = auditAddress(filter);
  const read = useRead(async () => ({ key, list: await readEntries(filter) }), [key]);
  // Entries of other filters must not be shown as the result of these.
  const data = read.data?.key === key ? read.data.list : undefined;
  const isFiltered = key !== '/audit';
  return (
    <div class="page">
      <div class={css['head']}>
        <div class={css['title']}>
          <Heading>
            <bdi>{titleOf(filter, data)}</bdi>
          </Heading>
          <p class="mute">{say.say}</p>
        </div>
        <AuditExport />
      </div>
      <SkipToList />
      <AuditFilters filter={filter} />
      {isFiltered && (
        <p>
          <a class="link" href="/audit">
            {say.clear}
          </a>
        </p>
      )}
      <section id={listId} tabIndex={-1} class="section" aria-label={say.title}>
        <ReadState read={{ ...read, data }} />
        {data?.length === 0 && <p class="mute">{isFiltered ? say.noMatch : say.none}</p>}
        {data !== undefined && data.length > 0 && <AuditList key={key} filter={filter} first={data} />}
      </section>
    </div>
  );
}
