import { useState } from 'preact/hooks';
import type { AlertFilter } from '../../model/alert-filter.ts';
import { alertQuery, changeFilter, viewOf } from '../../model/alert-filter.ts';
import { iconOf, predicateOf, subjectOf } from '../../parts/alert-subject.ts';
import { Icon } from '../../parts/icon.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { useRead } from '../../parts/use-read.ts';
import { type Alert, alertCounts, alerts } from '../../store/alerts.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { mayOperate } from '../../store/credential.ts';
import { listTexts } from '../../texts/list-texts.ts';
import { MatchingDialog, SnoozeMatchingDialog } from './alert-dialogs.tsx';
import { AlertGroup } from './alert-group.tsx';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';

const pageSize = 50;

/** A text that changes whenever an alert that is not closed changes. */
const changes = () =>
  `${JSON.stringify(alertCounts.value)}${alerts.value.length}${alerts.value[0]?.alert_id ?? ''}`;

/** The alerts that match a filter, as far as they are read. */
export function useMatching(filter: AlertFilter, key: string, isOff: boolean) {
  return usePages<Alert>(
    (before) => {
      if (isOff) return Promise.resolve({ data: [], hasMore: false });
      const query = {
        ...alertQuery(filter),
        Limit: pageSize,
        ...(before === undefined ? {} : { Before: before }),
      };
      // The query has the texts that the client would make of lists.
      return takeAnswer(api.GET('/alerts', { params: { query: query as object } }));
    },
    { key: `${isOff}${key}`, idOf: ({ alert_id }) => alert_id, triggers: [isOff ? '' : changes()] },
  );
}

/** Alerts that were read by a filter, with “Load older ones”. */
export function MatchingList({
  filter,
  list,
  isFiltered,
  chosen,
  hrefOf,
}: {
  readonly filter: AlertFilter;
  readonly list: ReturnType<typeof useMatching>;
  readonly isFiltered: boolean;
  readonly chosen: string;
  readonly hrefOf: (id: string) => string;
}) {
  const [asked, setAsked] = useState<'acknowledge' | 'snooze'>();
  const close = () => setAsked(undefined);
  const { rows } = list;
  const change = changeFilter(filter);
  const view = viewOf(filter);
  return (
    <>
      <ReadState read={list.first} />
      {rows?.length === 0 && <p class={css['quiet']}>{isFiltered ? listTexts.noMatch : say.noClosed}</p>}
      {change !== undefined && mayOperate.value && rows !== undefined && rows.length > 0 && (
        <p class={css['filters']}>
          <button type="button" class="button" onClick={() => setAsked('acknowledge')}>
            {say.acknowledgeMatching}
          </button>{' '}
          <button type="button" class="button" onClick={() => setAsked('snooze')}>
            {say.snoozeMatching}
          </button>
        </p>
      )}
      {rows !== undefined && (
        <AlertGroup
          group={{
            title: isFiltered ? say.matching : say.views[view],
            list: rows.map((alert) => ({ alert, behind: [] })),
            total: rows.length,
          }}
          chosen={chosen}
          hrefOf={hrefOf}
        />
      )}
      <div class={css['filters']}>
        <OlderButton list={list} />
      </div>
      {asked === 'acknowledge' && change !== undefined && (
        <MatchingDialog filter={change} onClose={close} onDone={list.first.again} />
      )}
      {asked === 'snooze' && change !== undefined && (
        <SnoozeMatchingDialog filter={change} onClose={close} onDone={list.first.again} />
      )}
    </>
  );
}

/** The alerts that were closed last, where nothing is open. */
export function LastClosed() {
  const query = { State: ['Closed' as const], Limit: 10 };
  const read = useRead(() => take(api.GET('/alerts', { params: { query } })), [], [alerts.value.length]);
  if (read.data?.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.lastClosed}</h2>
      <ReadState read={read} />
      <ul>
        {read.data?.map((alert) => (
          <li key={alert.alert_id} class={css['closed']}>
            <Icon name={iconOf(alert)} />
            <a class="cut" href={`/alerts/${alert.alert_id}?state=closed`}>
              <b>
                <bdi>{subjectOf(alert)}</bdi>
              </b>{' '}
              {predicateOf(alert)}
            </a>
            <span class="mute num">{alert.Closed !== null && <Moment at={alert.Closed} />}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
