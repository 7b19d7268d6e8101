import type { AlertCause } from '../../model/alert-filter.ts';
import type { DeviceListRow } from '../../store/account-state.ts';
import { mayOperate } from '../../store/credential.ts';
import { accountSignal } from '../../store/present-sign-in.ts';
import { andMore } from '../../texts/counted.ts';
import { AlertLine } from './alert-line.tsx';
import css from './alerts.module.css';

/** The ids of the selected alerts. */
export const selected = accountSignal<ReadonlySet<string>>(new Set());

export function toggle(id: string): void {
  const next = new Set(selected.value);
  if (!next.delete(id)) next.add(id);
  selected.value = next;
}

/** Alerts under a title. `total` is their number; `list` has the newest of them. */
export interface AlertGroupFacts {
  readonly title: string;
  readonly list: readonly AlertCause<DeviceListRow>[];
  readonly total: number;
  /** Where all of them are, and the words of the link. */
  readonly all?: readonly [href: string, words: string];
}

/** More lines are not readable, and one request acknowledges at most this many. */
const maxLines = 250;

export function groupOf(
  title: string,
  all: readonly AlertCause<DeviceListRow>[],
  total = all.length,
): AlertGroupFacts {
  return { title, list: all.slice(0, maxLines), total };
}

export function AlertGroup({
  group: { title, list, total, all },
  chosen,
  hrefOf,
}: {
  readonly group: AlertGroupFacts;
  readonly chosen: string;
  /** The address with an alert opened. */
  readonly hrefOf: (id: string) => string;
}) {
  if (list.length === 0 && all === undefined) return null;
  return (
    <section class={css['group']}>
      <h2>{title}</h2>
      <ul>
        {list.map(({ alert, behind }) => (
          <AlertLine
            key={alert.alert_id}
            alert={alert}
            href={hrefOf(alert.alert_id)}
            behind={behind}
            isOpen={alert.alert_id === chosen}
            isChosen={selected.value.has(alert.alert_id)}
            onChoose={mayOperate.value && alert.State !== 'Closed' ? () => toggle(alert.alert_id) : undefined}
          />
        ))}
      </ul>
      {total > list.length && all === undefined && <p class="hint">{andMore(total - list.length)}</p>}
      {all !== undefined && (
        <p class="hint">
          <a class="link" href={all[0]}>
            {all[1]}
          </a>
        </p>
      )}
    </section>
  );
}
