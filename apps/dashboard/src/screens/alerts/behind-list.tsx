import type { DeviceListRow } from '../../store/account-state.ts';
import css from './alerts.module.css';
import { alertsTexts as say } from './alerts-texts.ts';

/** More names are not readable here; the list of suppressed alerts has all of them. */
const maxNames = 50;

/** The devices that are Down because of an alert's device. */
export function BehindList({ behind }: { readonly behind: readonly DeviceListRow[] }) {
  return (
    <ul class={css['behind']}>
      {behind.slice(0, maxNames).map(({ id, name }) => (
        <li key={id}>
          <a class="link cut" href={`/devices/${id}`} title={name}>
            <bdi>{name}</bdi>
          </a>
        </li>
      ))}
      {behind.length > maxNames && (
        <li>
          <a class="link" href="/alerts?suppressed=yes">
            {say.moreBehind(behind.length - maxNames)}
          </a>
        </li>
      )}
    </ul>
  );
}
