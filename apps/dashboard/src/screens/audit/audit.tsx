import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import {
  type AuditFilter,
  auditAddress,
  auditQuery,
  deedOf,
  detailsOf,
  kindNames,
  readAuditFilter,
} from '../../model/audit-words.ts';
import { Heading } from '../../parts/heading.tsx';
import { Failure } from '../../parts/notice.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { devices, locations } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { api, take } from '../../store/api.ts';
import { auditTexts as say } from '../../texts/audit.ts';
import css from './audit.module.css';

type Entry = Schemas['AuditEntry'];

const pageSize = 100;
/** Changed fields of an entry that are shown. */
const mostLines = 6;

const readEntries = (filter: AuditFilter, Before?: string): Promise<readonly Entry[]> =>
  take(
    api.GET('/audit', {
      params: {
        query: { ...auditQuery(filter), Limit: pageSize, ...(Before === undefined ? {} : { Before }) },
      },
    }),
  );

/** The filters, which are the address. */
function Filters({ filter }: { readonly filter: AuditFilter }) {
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

function Actor({ entry: { Actor: actor, Address } }: { readonly entry: Entry }) {
  const words =
    actor === 'stranger' ? say.stranger : actor.replace(/^command line(?= \(|$)/, say.commandLine);
  return (
    <>
      <a href={auditAddress({ ...readAuditFilter(new URLSearchParams()), actor })} class={css['actor']}>
        <bdi>{words}</bdi>
      </a>
      {Address !== null && <span class="mute"> {say.address(Address)}</span>}
    </>
  );
}

/** The screen of a thing that is still there. */
function linkOf({ Kind, Id, Action }: Entry): string | undefined {
  if (Action === 'Delete') return undefined;
  if (Kind === 'device' && devices.value.has(Id)) return `/devices/${Id}`;
  return Kind === 'alert' ? `/alerts/${Id}` : undefined;
}

function Row({ entry }: { readonly entry: Entry }) {
  const nameOf = (id: string) =>
    devices.value.get(id)?.name ?? locations.value.find(({ location_id }) => location_id === id)?.Name;
  const { verb, kind, name } = deedOf(entry, nameOf);
  const { changes, fields } = detailsOf(entry);
  const link = linkOf(entry);
  return (
    <li class={css['row']}>
      <p class={`mute ${css['time']}`}>
        <Moment at={entry.Timestamp} />
      </p>
      <div class={css['deed']}>
        <p>
          <Actor entry={entry} /> {verb} {kind}{' '}
          {link === undefined ? (
            <b class={`cut ${css['what']}`} title={name}>
              <bdi>{name}</bdi>
            </b>
          ) : (
            <a class={`link cut ${css['what']}`} href={link} title={name}>
              <bdi>{name}</bdi>
            </a>
          )}
        </p>
        {changes.slice(0, mostLines).map((line) => (
          <p key={line} class="mute">
            {line}
          </p>
        ))}
        {changes.length > mostLines && <p class="mute">{say.moreLines(changes.length - mostLines)}</p>}
        {fields.length > 0 && <p class="mute">{fields.join(' · ')}</p>}
      </div>
    </li>
  );
}

function List({ filter, first }: { readonly filter: AuditFilter; readonly first: readonly Entry[] }) {
  const [older, setOlder] = useState<readonly Entry[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const [isFull, setFull] = useState(first.length === pageSize);
  const entries = [...first, ...older];
  const load = () => {
    setProblem(undefined);
    readEntries(filter, entries.at(-1)?.audit_id).then((next) => {
      setOlder([...older, ...next]);
      setFull(next.length === pageSize);
    }, setProblem);
  };
  return (
    <>
      <ul class={css['rows']}>
        {entries.map((entry) => (
          <Row key={entry.audit_id} entry={entry} />
        ))}
      </ul>
      {problem !== undefined && <Failure problem={problem} retry={load} />}
      {isFull && problem === undefined && (
        <button type="button" class="button" onClick={load}>
          {say.more}
        </button>
      )}
    </>
  );
}

/** Who changed what, by filters that are in the address. */
export function Audit() {
  const filter = readAuditFilter(address.value.query);
  const key = auditAddress(filter);
  const read = useRead(async () => ({ key, list: await readEntries(filter) }), [key]);
  // Other entries than the asked ones would be taken for them.
  const data = read.data?.key === key ? read.data.list : undefined;
  const isFiltered = key !== '/audit';
  return (
    <div class="page">
      <Heading>{filter.actor === '' ? say.title : say.titleOf(filter.actor)}</Heading>
      <p class="mute">{say.say}</p>
      <Filters filter={filter} />
      {isFiltered && (
        <p>
          <a class="link" href="/audit">
            {say.clear}
          </a>
        </p>
      )}
      <section class="section" aria-label={say.title}>
        <ReadState read={{ ...read, data }} />
        {data?.length === 0 && <p class="mute">{isFiltered ? say.noMatch : say.none}</p>}
        {data !== undefined && data.length > 0 && <List key={key} filter={filter} first={data} />}
      </section>
    </div>
  );
}
