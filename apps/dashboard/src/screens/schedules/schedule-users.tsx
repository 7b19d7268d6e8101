import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { readInheriting, readScheduleUsers } from '../../store/notification-schedules.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import { scheduleTexts as say } from './schedule-texts.ts';
import css from './schedules.module.css';

async function readUsers(id: string) {
  const [users, inheriting] = await Promise.all([readScheduleUsers([id]), readInheriting()]);
  return { users: users.get(id), inheriting };
}

/** The account, Locations and devices that use a schedule. They are read again when `round` changes. */
export function ScheduleUsage({ id, round }: { readonly id: string; readonly round: number }) {
  const users = useRead(() => readUsers(id), [id], [round]);
  const data = users.data?.users;
  const isUnused =
    data !== undefined && !data.isOfAccount && data.devices === 0 && data.locations.length === 0;
  return (
    <section class={`section ${css['used']}`}>
      <h2>{planTexts.usedBy}</h2>
      <ReadState read={users} rows={0} />
      {data !== undefined && (
        <ul>
          {isUnused && <li class="mute">{planTexts.unused}</li>}
          {data.isOfAccount && <li>{say.ofAccount(users.data?.inheriting)}</li>}
          {data.locations.length > 0 && <li>{say.locations(data.locations)}</li>}
          {data.devices > 0 && (
            <li>
              {say.devices(data.devices)}:{' '}
              {data.first.map(({ id: deviceId, name }, index) => (
                <span key={deviceId}>
                  {index > 0 && ', '}
                  <a class="link" href={`/devices/${deviceId}`}>
                    <bdi>{name}</bdi>
                  </a>
                </span>
              ))}
              {data.devices > data.first.length && ` ${say.more(data.devices - data.first.length)}`}
            </li>
          )}
        </ul>
      )}
    </section>
  );
}
