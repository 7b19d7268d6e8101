import { inFull, percent } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { devices } from '../../store/facts.ts';
import { texts } from '../../texts.ts';

const say = texts.lists;
const monthMs = 30 * 86_400_000;

async function read() {
  const Timestamp1 = new Date(Date.now() - monthMs).toISOString();
  const list = await take(api.GET('/uptime', { params: { query: { Timestamp1, Limit: 100 } } }));
  return [...list].sort((a, b) => (a.Uptime.Percent ?? 101) - (b.Uptime.Percent ?? 101));
}

/** Uptime of the last 30 days, worst first. */
export function Reports() {
  const { data, problem, again } = useRead(read, []);
  return (
    <div class="page">
      <Heading>{say.reports}</Heading>
      <p class="mute">{say.reportsSay}</p>
      {data === undefined && problem === undefined && <Waiting />}
      {data === undefined && problem !== undefined && <Failure problem={problem} retry={again} />}
      {data !== undefined && data.length === 0 && <p class="section mute">{say.none}</p>}
      {data !== undefined && data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        <section class="section scroll" aria-label={say.reports} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say.device}</th>
                <th scope="col" class="num">
                  {say.uptime}
                </th>
                <th scope="col" class="num">
                  {say.outages}
                </th>
                <th scope="col">{say.down}</th>
                <th scope="col">{say.unknown}</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ device_id, Uptime: { Percent, Outages, DownSeconds, UnknownSeconds } }) => (
                <tr key={device_id}>
                  <td>
                    <a class="cut name" href={`/devices/${device_id}`}>
                      <bdi>{devices.value.get(device_id)?.name ?? device_id.slice(0, 8)}</bdi>
                    </a>
                  </td>
                  <td class="num">{percent(Percent)}</td>
                  <td class="num">{Outages}</td>
                  <td>{DownSeconds === 0 ? '–' : inFull(DownSeconds)}</td>
                  <td>{UnknownSeconds === 0 ? '–' : inFull(UnknownSeconds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}
