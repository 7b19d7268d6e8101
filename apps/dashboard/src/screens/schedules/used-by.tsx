import { Failure } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { readScheduleUsers } from '../../store/plan.ts';
import { planTexts } from '../../texts/plan.ts';
import { scheduleTexts } from '../../texts/schedules.ts';
import css from './schedules.module.css';

const say = scheduleTexts;

/** The account, Locations and devices that use a schedule. `round` changes when it may be used otherwise. */
export function UsedBy({ id, round }: { readonly id: string; readonly round: number }) {
  const { data: found, problem, again } = useRead(() => readScheduleUsers([id]), [id, round]);
  const data = found?.get(id);
  const isUnused =
    data !== undefined && !data.isOfAccount && data.devices === 0 && data.locations.length === 0;
  return (
    <section class={`section ${css['used']}`}>
      <h2>{planTexts.usedBy}</h2>
      {problem !== undefined && data === undefined && <Failure problem={problem} retry={again} />}
      {data !== undefined && (
        <ul>
          {isUnused && <li class="mute">{planTexts.unused}</li>}
          {data.isOfAccount && <li>{say.ofAccount}</li>}
          {data.locations.length > 0 && <li>{say.locations(data.locations)}</li>}
          {data.devices > 0 && (
            <li>
              {say.devices(data.devices)}:{' '}
              {data.first.map(({ id: deviceId, name }, at) => (
                <span key={deviceId}>
                  {at > 0 && ', '}
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
