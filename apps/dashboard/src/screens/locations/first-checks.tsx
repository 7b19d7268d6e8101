import type { Schemas } from '@vantage/client';
import { Icon } from '../../parts/icon.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take, takeAnswer } from '../../store/api.ts';
import { often } from '../../store/clock.ts';
import { inviteTexts as say } from './invite-texts.ts';

interface FirstChecks {
  readonly devices: number;
  readonly checks: readonly {
    readonly id: string;
    readonly name: string;
    readonly check: Schemas['Check'];
  }[];
}

const maxShown = 3;
const good = 1;

/** The newest checks from a Location since a moment, of its first devices. */
async function readFirstChecks(location_id: string, since: string): Promise<FirstChecks> {
  const query = { Location: location_id, Limit: maxShown };
  const { data, total } = await takeAnswer(api.GET('/devices', { params: { query } }));
  const found = await Promise.all(
    data.map(async ({ device_id, FullName, ShortName }) => {
      const path = { device_id };
      const period = { Location: location_id, Timestamp1: since, Limit: 1 };
      const checks = await take(api.GET('/devices/{device_id}/checks', { params: { path, query: period } }));
      return checks.map((check) => ({ id: device_id, name: FullName ?? ShortName, check }));
    }),
  );
  return { devices: total, checks: found.flat() };
}

/** The first checks of an agent that has connected. */
export function FirstChecks({
  location_id,
  since,
}: {
  readonly location_id: string;
  readonly since: string;
}) {
  const read = useRead(() => readFirstChecks(location_id, since), [location_id, since], [often.value]);
  const { data } = read;
  return (
    <>
      <ReadState read={read} rows={0} />
      {data?.devices === 0 && (
        <p>
          {say.noDevices}{' '}
          <a class="link" href="/devices/new">
            {say.addDevice}
          </a>
        </p>
      )}
      {data !== undefined && data.devices > 0 && (
        <>
          <p>{say.firstChecks(data.devices)}</p>
          {data.checks.length === 0 && <p class="mute">{say.noChecks}</p>}
          <ul>
            {data.checks.map(({ id, name, check }) => (
              <li key={id}>
                <Icon name={check.ResultCode === good ? 'Up' : 'Retrying'} />{' '}
                <a class="link" href={`/devices/${id}`}>
                  <bdi>{name}</bdi>
                </a>{' '}
                <span class="mute">
                  {say.check(check.ResultCode === good, check.RequestTime, check.CheckResult)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
