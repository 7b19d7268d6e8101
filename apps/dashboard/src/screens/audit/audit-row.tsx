import type { Schemas } from '@vantage/client';
import { auditAddress, readAuditFilter } from '../../model/audit-filter.ts';
import { deedOf, detailsOf } from '../../model/audit-words.ts';
import { Moment } from '../../parts/time.tsx';
import { devices } from '../../store/account-state.ts';
import css from './audit.module.css';
import { auditTexts as say } from './audit-texts.ts';

export type AuditEntry = Schemas['AuditEntry'];
type NameOf = (id: string) => string | undefined;

/** The maximum number of changed fields that an entry shows. */
const maxLines = 6;
const noFilter = readAuditFilter(new URLSearchParams());

const wordsOfActor = (actor: string) =>
  actor === 'stranger' ? say.stranger : actor.replace(/^command line(?= \(|$)/, say.commandLine);

function Actor({ entry: { Actor: actor, Address } }: { readonly entry: AuditEntry }) {
  return (
    <>
      <a href={auditAddress({ ...noFilter, actor })} class={css['actor']}>
        <bdi>{wordsOfActor(actor)}</bdi>
      </a>
      {Address !== null && <span class="mute"> {say.address(Address)}</span>}
    </>
  );
}

/** Addresses of the screens of things. */
const screens: Readonly<Partial<Record<AuditEntry['Kind'], string>>> = {
  alert: '/alerts',
  contact: '/schedules/contacts',
  mschedule: '/schedules/maintenance',
  nschedule: '/schedules',
  page: '/status-pages',
};

/** The screen of a thing that still exists. */
function linkOf({ Kind, Id }: AuditEntry, nameOf: NameOf): string | undefined {
  if (Kind === 'device') return devices.value.has(Id) ? `/devices/${Id}` : undefined;
  const screen = screens[Kind];
  return screen !== undefined && (Kind === 'alert' || nameOf(Id) !== undefined)
    ? `${screen}/${Id}`
    : undefined;
}

function Deed({ entry, nameOf }: { readonly entry: AuditEntry; readonly nameOf: NameOf }) {
  const { verb, kind, name } = deedOf(entry, nameOf);
  const link = linkOf(entry, nameOf);
  return (
    <>
      {verb} {kind}{' '}
      {link === undefined ? (
        <b class={`cut ${css['what']}`} title={name}>
          <bdi>{name}</bdi>
        </b>
      ) : (
        <a class={`link cut ${css['what']}`} href={link} title={name}>
          <bdi>{name}</bdi>
        </a>
      )}
    </>
  );
}

/** An entry: who did what, the changed fields, and a link to everything that happened to the same thing. */
export function EntryRow({
  entry,
  nameOf,
  hasHistory,
}: {
  readonly entry: AuditEntry;
  readonly nameOf: NameOf;
  /** Whether the list is the history of one thing already. */
  readonly hasHistory: boolean;
}) {
  const { changes, fields } = detailsOf(entry, nameOf);
  return (
    <li class={css['row']}>
      <p class={`mute ${css['time']}`}>
        <Moment at={entry.Timestamp} />
      </p>
      <div class={css['deed']}>
        <p>
          <Actor entry={entry} /> <Deed entry={entry} nameOf={nameOf} />
          {!hasHistory && entry.Kind !== 'session' && (
            <>
              {' '}
              <a class="link" href={auditAddress({ ...noFilter, Object: entry.Id })}>
                {say.history}
              </a>
            </>
          )}
        </p>
        {changes.slice(0, maxLines).map((line) => (
          <p key={line} class="mute">
            {line}
          </p>
        ))}
        {changes.length > maxLines && (
          <details class="mute">
            <summary>{say.moreLines(changes.length - maxLines)}</summary>
            {changes.slice(maxLines).map((line) => (
              <p key={line}>{line}</p>
            ))}
          </details>
        )}
        {fields.length > 0 && <p class="mute">{fields.join(' · ')}</p>}
      </div>
    </li>
  );
}

/** Successive sign-ins and sign-outs in one row that opens. */
export function SessionsRow({
  entries,
  nameOf,
}: {
  readonly entries: readonly AuditEntry[];
  readonly nameOf: NameOf;
}) {
  const [first] = entries;
  const count = (action: AuditEntry['Action']) => entries.filter(({ Action }) => Action === action).length;
  const names = [...new Set(entries.map(({ Actor: actor }) => wordsOfActor(actor)))];
  return (
    <li class={css['row']}>
      <p class={`mute ${css['time']}`}>{first !== undefined && <Moment at={first.Timestamp} />}</p>
      <details class={css['deed']}>
        <summary>
          {say.sessions(count('Create'), count('Delete'))}: <bdi>{names.join(', ')}</bdi>
        </summary>
        <ul>
          {entries.map((entry) => (
            <EntryRow key={entry.audit_id} entry={entry} nameOf={nameOf} hasHistory />
          ))}
        </ul>
      </details>
    </li>
  );
}
