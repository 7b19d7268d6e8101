import { useEffect, useState } from 'preact/hooks';
import {
  type AlertFilter,
  type AlertView,
  alertQuery,
  alertRules,
  alertViews,
  foldSymptoms,
  isNarrowed,
  severities,
  viewOf,
} from '../../model/alert-filter.ts';
import { count } from '../../model/format.ts';
import { filteredAddress, readListFilter } from '../../model/list-filter.ts';
import { ButtonChoice } from '../../parts/button-choice.tsx';
import { CsvButton } from '../../parts/csv-button.tsx';
import { FilterBar, type FilterField } from '../../parts/filter-bar.tsx';
import { Heading } from '../../parts/heading.tsx';
import { useKeys } from '../../parts/keys.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { listId } from '../../parts/skip-to-list.tsx';
import type { ScreenProps } from '../../screen-props.ts';
import { progress, readFacts } from '../../store/account-state.ts';
import { address, go } from '../../store/address.ts';
import { type Alert, alertCounts, alerts, isSuppressed } from '../../store/alerts.ts';
import { causes } from '../../store/overview-facts.ts';
import { alertTexts } from '../../texts/alert-texts.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { problemTexts } from '../../texts/problem-texts.ts';
import { AlertGroup, type AlertGroupFacts, groupOf, selected, toggle } from './alert-group.tsx';
import { AlertSelectionBar } from './alert-selection-bar.tsx';
import { AlertStory } from './alert-story.tsx';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';
import { LastClosed, MatchingList, useMatching } from './read-list.tsx';

const path = '/alerts';
const yesNo = [
  ['yes', say.yes],
  ['no', say.no],
] as const;
const fields: readonly FilterField[] = [
  { name: 'severity', choices: severities.map((each) => [each, alertTexts.severity[each]] as const) },
  { name: 'kind', choices: Object.entries(alertTexts.kinds) },
  { name: 'device', kind: 'device' },
  { name: 'tag', kind: 'tag' },
  { name: 'location', kind: 'location' },
  { name: 'suppressed', choices: yesNo },
  { name: 'shadow', choices: yesNo },
  { name: 'from', kind: 'day' },
  { name: 'to', kind: 'day' },
];

const rankOf = ({ Severity }: Alert) => severities.indexOf(Severity);
/** The most severe first. Of the same severity, the newest stay first. */
const bySeverity = (a: { readonly alert: Alert }, b: { readonly alert: Alert }) =>
  rankOf(a.alert) - rankOf(b.alert);

/**
 * The groups of open alerts: those that are not acknowledged come first. Symptoms are below the alert of their cause;
 * suppressed alerts whose cause has none are in a group of their own.
 */
function openGroups(): readonly AlertGroupFacts[] {
  const open = alerts.value.filter(({ State }) => State !== 'Snoozed');
  const isMore = ({ Kind }: Alert) => /^(certificate|late|device\.slow)/.test(Kind);
  const free = open.filter((alert) => alert.State !== 'Open' || !isSuppressed(alert));
  const suppressed = open.filter((alert) => alert.State === 'Open' && isSuppressed(alert));
  const folded = foldSymptoms(
    free.filter((alert) => !isMore(alert)),
    suppressed,
    causes.value,
  );
  const inState = (state: Alert['State']) => folded.causes.filter(({ alert }) => alert.State === state);
  const { suppressed: total } = alertCounts.value;
  const rest = groupOf(
    say.suppressed,
    folded.rest.map((alert) => ({ alert, behind: [] })),
  );
  const isHidden = total === 0 || (folded.rest.length === 0 && total <= suppressed.length);
  return [
    groupOf(say.notAcknowledged, inState('Open').toSorted(bySeverity)),
    isHidden ? rest : { ...rest, all: [`${path}?suppressed=yes`, say.allSuppressed(total)] },
    groupOf(say.acknowledged, inState('Acknowledged')),
    groupOf(
      say.information,
      free.filter(isMore).map((alert) => ({ alert, behind: [] })),
    ),
  ];
}

const snoozedGroup = () =>
  groupOf(
    say.views.snoozed,
    alerts.value.filter(({ State }) => State === 'Snoozed').map((alert) => ({ alert, behind: [] })),
  );

/** Why the list is empty. */
function NoAlerts({ view }: { readonly view: AlertView }) {
  const { value: state } = progress;
  if (typeof state === 'object')
    return <FailureNotice problem={state.problem} retry={() => void readFacts()} />;
  return (
    <p class={css['quiet']}>
      {state === 'loading' ? problemTexts.loading : view === 'open' ? say.quiet : say.noSnoozed}
    </p>
  );
}

function useListKeys(shown: readonly Alert[], chosen: string, hrefOf: (id: string) => string): void {
  const move = (by: number) => {
    const at = shown.findIndex(({ alert_id }) => alert_id === chosen);
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
    if (next !== undefined) go(hrefOf(next.alert_id), { replace: true });
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => chosen !== '' && toggle(chosen),
    'Ctrl+a': () => {
      selected.value = new Set(
        shown.filter(({ State }) => State !== 'Closed').map(({ alert_id }) => alert_id),
      );
    },
    Escape: () => {
      if (selected.value.size > 0) selected.value = new Set();
      else go(hrefOf(''));
    },
  });
}

const isWide = () => matchMedia('(min-width: 821px)').matches;

/** The alert whose story is shown. On a wide window without a choice, it is the first one, and stays it. */
function useChosen(id: string, first: string | undefined): string {
  const [picked, setPicked] = useState('');
  useEffect(() => {
    if (id === '' && picked === '' && first !== undefined && isWide()) setPicked(first);
  }, [id, picked, first]);
  return id === '' ? picked : id;
}

function ListHead({ view, filter }: { readonly view: AlertView; readonly filter: AlertFilter }) {
  return (
    <>
      <div class={css['head']}>
        <Heading>
          {progress.value === 'ready' ? say.title(alertCounts.value.open) : frameTexts.screens.alerts}
        </Heading>
        <ButtonChoice
          names={alertViews}
          words={{ ...say.views, snoozed: `${say.views.snoozed} ${count(alertCounts.value.snoozed)}` }}
          chosen={view}
          onChoose={(next) => go(filteredAddress(path, { ...filter, state: next === 'open' ? '' : next }))}
        />
      </div>
      <div class={css['filters']}>
        <FilterBar path={path} filter={filter} fields={fields} keep={{ state: filter.state }} />
        <CsvButton list="alerts" query={alertQuery(filter)} />
      </div>
    </>
  );
}

/** The alerts, filtered by the address, with the history of the chosen one next to them. */
export function AlertsScreen({ id }: ScreenProps) {
  const filter = readListFilter(alertRules, address.value.query);
  const view = viewOf(filter);
  const isFiltered = isNarrowed(filter);
  const isLive = !isFiltered && view !== 'closed';
  const key = filteredAddress(path, filter);
  const hrefOf = (alert: string) => filteredAddress(alert === '' ? path : `${path}/${alert}`, filter);
  const matching = useMatching(filter, key, isLive);
  const groups = isLive ? (view === 'snoozed' ? [snoozedGroup()] : openGroups()) : [];
  const shown = isLive ? groups.flatMap(({ list }) => list.map(({ alert }) => alert)) : (matching.rows ?? []);
  const chosen = useChosen(id, shown[0]?.alert_id);
  useListKeys(shown, chosen, hrefOf);
  useEffect(() => {
    const existing = new Set([...alerts.value, ...shown].map(({ alert_id }) => alert_id));
    const remaining = [...selected.value].filter((alertId) => existing.has(alertId));
    if (remaining.length !== selected.value.size) selected.value = new Set(remaining);
  }, [alerts.value]);
  return (
    <div class={`${css['split']} ${id === '' ? css['onlyList'] : ''}`}>
      <div class={css['list']}>
        <ListHead view={view} filter={filter} />
        {selected.value.size > 0 && (
          <AlertSelectionBar
            ids={[...selected.value]}
            onDone={() => {
              selected.value = new Set();
            }}
          />
        )}
        <div id={listId} tabIndex={-1}>
          {isLive ? (
            <>
              {shown.length === 0 && groups.every(({ all }) => all === undefined) && <NoAlerts view={view} />}
              {groups.map((group) => (
                <AlertGroup key={group.title} group={group} chosen={chosen} hrefOf={hrefOf} />
              ))}
            </>
          ) : (
            <MatchingList
              filter={filter}
              list={matching}
              isFiltered={isFiltered}
              chosen={chosen}
              hrefOf={hrefOf}
            />
          )}
        </div>
      </div>
      <div class={css['story']}>
        {chosen === '' ? (
          <>
            {shown.length > 0 && <p class="mute">{say.choose}</p>}
            {view === 'open' && progress.value === 'ready' && <LastClosed />}
          </>
        ) : (
          <AlertStory key={chosen} id={chosen} />
        )}
      </div>
    </div>
  );
}
