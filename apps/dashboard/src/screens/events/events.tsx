import {
  type EventFilter,
  eventQuery,
  eventRules,
  eventTypes,
  matchesEvent,
} from '../../model/event-filter.ts';
import { filteredAddress, readListFilter } from '../../model/list-filter.ts';
import { CsvButton } from '../../parts/csv-button.tsx';
import { iconOfEvent } from '../../parts/event-icon.ts';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { listId } from '../../parts/skip-to-list.tsx';
import { Moment } from '../../parts/time.tsx';
import { type ReadResult, useRead } from '../../parts/use-read.ts';
import { type AccountEvent, devices, events } from '../../store/account-state.ts';
import { address } from '../../store/address.ts';
import { api, takeAnswer } from '../../store/api.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { listTexts } from '../../texts/list-texts.ts';
import css from './events.module.css';
import { eventsTexts as say } from './events-texts.ts';

const path = '/events';
const pageSize = 100;
const fields: readonly FilterField[] = [
  { name: 'type', choices: Object.entries(eventTypes) },
  { name: 'device', kind: 'device' },
  { name: 'tag', kind: 'tag' },
  { name: 'location', kind: 'location' },
  { name: 'from', kind: 'day' },
  { name: 'to', kind: 'day' },
];

/** The cursor of the page above each page that was reached by “Older”; '': the newest page. */
const above = accountSignal<ReadonlyMap<string, string>>(new Map());

function readEvents(filter: EventFilter) {
  const query = {
    ...eventQuery(filter),
    Limit: pageSize,
    ...(filter.before === '' ? {} : { Before: filter.before }),
  };
  return takeAnswer(api.GET('/events', { params: { query } }));
}

function EventRow({ event }: { readonly event: AccountEvent }) {
  const { Timestamp, Type, Message, Location, Late, ShortName, FullName, device_id } = event;
  const device = device_id === null ? undefined : devices.value.get(device_id);
  const name = device?.name ?? FullName ?? ShortName ?? Location ?? '';
  return (
    <li class={`${css['event']} tapRow`}>
      <Moment at={Timestamp} />
      <Icon name={iconOfEvent(event)} />
      {device === undefined ? (
        <span class={`cut ${css['name']}`} title={name}>
          <bdi>{name}</bdi>
        </span>
      ) : (
        <a class={`cut ${css['name']}`} href={`/devices/${device.id}`} title={name}>
          <bdi>{name}</bdi>
        </a>
      )}
      <span class={`mute cut ${css['type']}`}>{eventTypes[Type]}</span>
      <span class={css['fact']}>
        {Message}
        {device_id !== null && Location !== null && <span class="mute"> · {Location}</span>}
        {Late && <span class="mute"> · {say.late}</span>}
      </span>
    </li>
  );
}

/** Links to the page above and below. The address has the page, so Back and a copied link show the same events. */
function PageLinks({
  filter,
  shown,
  hasMore,
}: {
  readonly filter: EventFilter;
  readonly shown: readonly AccountEvent[];
  readonly hasMore: boolean;
}) {
  const last = shown.at(-1)?.event_id;
  const known = above.value.get(filter.before);
  const to = (before: string) => filteredAddress(path, { ...filter, before });
  return (
    <nav class="buttons" aria-label={say.pages}>
      {filter.before !== '' && (
        <a class="button" href={to('')}>
          {say.newest}
        </a>
      )}
      {known !== undefined && known !== '' && (
        <a class="button" href={to(known)}>
          {say.newer}
        </a>
      )}
      {hasMore && last !== undefined && (
        <a
          class="button"
          href={to(last)}
          onClick={() => {
            above.value = new Map([...above.value, [last, filter.before]]);
          }}
        >
          {say.older}
        </a>
      )}
    </nav>
  );
}

/** Events that arrived after the shown ones were read: a button adds them, so that the list does not move. */
function NewEvents({
  filter,
  read,
  newest,
}: {
  readonly filter: EventFilter;
  readonly read: ReadResult<unknown>;
  readonly newest: string | undefined;
}) {
  const at = events.value.findIndex(({ event_id }) => event_id === newest);
  const arrived = (at < 0 && newest !== undefined ? [] : events.value.slice(0, Math.max(0, at))).filter(
    (event) => matchesEvent(filter, event, devices.value.get(event.device_id ?? '')?.tags ?? []),
  );
  return (
    <span role="status">
      {arrived.length > 0 && (
        <button type="button" class="button" onClick={read.again}>
          {say.isNew(arrived.length)}
        </button>
      )}
    </span>
  );
}

/** The events of the account, filtered by the address. */
export function EventsScreen() {
  const filter = readListFilter(eventRules, address.value.query);
  const key = filteredAddress(path, filter);
  const read = useRead(async () => ({ key, answer: await readEvents(filter) }), [key]);
  // Events of other filters must not be shown as the result of these.
  const found = read.data?.key === key ? read.data.answer : undefined;
  const { before: _, ...filters } = filter;
  const isFiltered = filteredAddress(path, filters) !== path;
  return (
    <div class="page">
      <div class={css['head']}>
        <Heading>{say.title}</Heading>
        <span class="buttons">
          {filter.before === '' && (
            <NewEvents filter={filter} read={read} newest={found?.data[0]?.event_id} />
          )}
          <CsvButton list="events" query={eventQuery(filter)} />
        </span>
      </div>
      <p class="mute">{say.say}</p>
      <FilterBar path={path} filter={filters} fields={fields} isOpen />
      <section id={listId} tabIndex={-1} aria-label={say.title}>
        <ReadState read={{ ...read, data: found }} rows={12} />
        {found?.data.length === 0 && <p class="mute">{isFiltered ? listTexts.noMatch : say.none}</p>}
        {found !== undefined && found.data.length > 0 && (
          <ol class={css['list']}>
            {found.data.map((event) => (
              <EventRow key={event.event_id} event={event} />
            ))}
          </ol>
        )}
      </section>
      {found !== undefined && <PageLinks filter={filter} shown={found.data} hasMore={found.hasMore} />}
    </div>
  );
}
