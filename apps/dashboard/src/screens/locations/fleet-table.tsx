import { useState } from 'preact/hooks';
import {
  countVersions,
  type FleetSort,
  type FleetView,
  fleetAddress,
  fleetSorts,
  fleetStates,
  listFleet,
  parseFleetView,
  sortedBy,
} from '../../model/fleet-list.ts';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { address, go } from '../../store/address.ts';
import { mayWrite } from '../../store/credential.ts';
import { FleetRows } from './fleet-rows.tsx';
import selectionCss from './fleet-selection.module.css';
import { FleetSelectionBar } from './fleet-selection-bar.tsx';
import css from './locations.module.css';
import { locationsTexts as say } from './locations-texts.ts';
import type { Fleet } from './read-fleet.ts';

/** Locations that are shown at first, and added by each press. */
const step = 100;

const columns: readonly (readonly [sort: FleetSort, words: string, className: string])[] = [
  ['name', say.columns.name, css['name'] ?? ''],
  ['state', say.columns.state, css['state'] ?? ''],
  ['load', say.columns.load, css['load'] ?? ''],
  ['late', say.columns.late, 'num'],
  ['backlog', say.columns.backlog, 'num'],
  ['clock', say.columns.clock, 'num'],
  ['version', say.columns.version, css['version'] ?? ''],
  ['certificate', say.columns.certificate, ''],
];

const show = (view: FleetView) => go(fleetAddress(view), { replace: true });

function VersionChoice({ view, fleet }: { readonly view: FleetView; readonly fleet: Fleet }) {
  const versions = countVersions(fleet.agents);
  if (versions.length < 2 && view.version === '') return null;
  const isGone = view.version !== '' && !versions.some(([version]) => version === view.version);
  return (
    <select
      aria-label={say.versions}
      value={view.version}
      onChange={({ currentTarget }) => show({ ...view, version: currentTarget.value })}
    >
      <option value="">{say.everyVersion}</option>
      {[...versions, ...(isGone ? [[view.version, 0] as const] : [])].map(([version, count]) => (
        <option key={version} value={version}>
          {say.versionCount(version, count)}
        </option>
      ))}
    </select>
  );
}

function Filters({ view, fleet }: { readonly view: FleetView; readonly fleet: Fleet }) {
  return (
    <div class={css['filters']}>
      <input
        type="search"
        aria-label={say.search}
        placeholder={say.search}
        autocomplete="off"
        spellcheck={false}
        value={view.words}
        onInput={({ currentTarget }) => show({ ...view, words: currentTarget.value })}
      />
      <select
        aria-label={say.states}
        value={view.state}
        onChange={({ currentTarget }) =>
          show({ ...view, state: fleetStates.find((state) => state === currentTarget.value) ?? 'all' })
        }
      >
        {fleetStates.map((state) => (
          <option key={state} value={state}>
            {say.stateNames[state]}
          </option>
        ))}
      </select>
      <VersionChoice view={view} fleet={fleet} />
      <select
        aria-label={say.sortBy}
        value={view.sort}
        onChange={({ currentTarget }) => {
          const sort = fleetSorts.find((each) => each === currentTarget.value) ?? 'state';
          if (sort !== view.sort) show(sortedBy(view, sort));
        }}
      >
        {fleetSorts.map((sort) => (
          <option key={sort} value={sort}>
            {say.sortNames[sort]}
          </option>
        ))}
      </select>
      <span class={`buttons ${css['end']}`}>
        <a class="link" href="/v1.1/locations?fmt=csv&filename=locations.csv" download="locations.csv">
          {say.csvLocations}
        </a>
        <a class="link" href="/v1.1/agents?fmt=csv&filename=agents.csv" download="agents.csv">
          {say.csvAgents}
        </a>
      </span>
    </div>
  );
}

function Heads({ view }: { readonly view: FleetView }) {
  return (
    <thead>
      <tr>
        {columns.map(([sort, words, className]) => (
          <th
            key={sort}
            scope="col"
            class={className}
            aria-sort={view.sort !== sort ? undefined : view.isDescending ? 'descending' : 'ascending'}
          >
            <button type="button" class={css['sort']} onClick={() => show(sortedBy(view, sort))}>
              {words}
              {view.sort === sort && <span aria-hidden="true">{view.isDescending ? ' ↓' : ' ↑'}</span>}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Chooses all agents that match the filter, also those of Locations that are not shown yet. */
function SelectAll({
  matching,
  selected,
  onChoose,
}: {
  readonly matching: readonly string[];
  readonly selected: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[]) => void;
}) {
  const isAll = matching.length > 0 && matching.every((id) => selected.has(id));
  return (
    <label class={selectionCss['check']}>
      <input type="checkbox" checked={isAll} onChange={() => onChoose(isAll ? [] : matching)} />
      {say.selectAll(matching.length)}
    </label>
  );
}

/** The Locations with their agents, filtered and sorted by the address. Agents can be selected and changed together. */
export function FleetTable({ fleet, onChanged }: { readonly fleet: Fleet; readonly onChanged: () => void }) {
  const [limit, setLimit] = useState(step);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const view = parseFleetView(address.value.query);
  const groups = listFleet(fleet, view);
  const byLocation = Map.groupBy(fleet.agents, ({ location_id }) => location_id);
  const matching = groups.flatMap(({ agents }) => agents.map(({ agent_id }) => agent_id));
  // Agents that were removed meanwhile are no longer selected.
  const chosen = fleet.agents.filter(({ agent_id }) => selected.has(agent_id));
  const isShown = new Set(matching);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return (
    <section class="section">
      <Filters view={view} fleet={fleet} />
      {mayWrite.value && matching.length > 1 && (
        <SelectAll matching={matching} selected={selected} onChoose={(ids) => setSelected(new Set(ids))} />
      )}
      {mayWrite.value && (
        <FleetSelectionBar
          fleet={fleet}
          selected={chosen}
          hidden={chosen.filter(({ agent_id }) => !isShown.has(agent_id)).length}
          onClear={() => setSelected(new Set())}
          onChanged={onChanged}
        />
      )}
      {groups.length === 0 && (
        <p>
          {say.noMatch}{' '}
          <a class="link" href="/locations">
            {say.showAll}
          </a>
        </p>
      )}
      {groups.length > 0 && (
        <ScrollSection label={say.title}>
          <table class={css['fleet']}>
            <Heads view={view} />
            {groups.slice(0, limit).map((group) => (
              <FleetRows
                key={group.location.location_id}
                group={group}
                own={byLocation.get(group.location.location_id) ?? []}
                devices={fleet.devices.get(group.location.location_id)}
                selected={selected}
                onChoose={mayWrite.value && fleet.agents.length > 1 ? toggle : undefined}
              />
            ))}
          </table>
        </ScrollSection>
      )}
      {groups.length > limit && (
        <p class="buttons section">
          <button type="button" class="button" onClick={() => setLimit(limit + step)}>
            {say.more(Math.min(step, groups.length - limit))}
          </button>
          <span class="mute">{say.shown(limit, groups.length)}</span>
        </p>
      )}
      {groups.length > 0 && <p class="hint">{say.footer}</p>}
    </section>
  );
}
