import { lastGood, type Way } from '../../model/ways.ts';
import { CheckDetail } from '../../parts/check-detail.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { WayTable } from '../../parts/way-table.tsx';
import { texts } from '../../texts/index.ts';
import { type Check, readExtended, readWays } from './read-detail.ts';

const say = texts.device;

/** A check in full, with the way that was traced after it and the last good one. */
async function readOpened(deviceId: string, check: Check) {
  const extended = await readExtended(check.check_id);
  if (!('Traceroute' in extended.Extended)) return { extended, way: undefined, good: undefined };
  const ways = await readWays(deviceId);
  const way = ways.find(({ check_id }) => check_id === check.check_id);
  return { extended, way, good: way && lastGood(ways, way) };
}

function TracedWay({
  way,
  good,
}: {
  readonly way: Way;
  readonly good: (Way & { Timestamp: string }) | undefined;
}) {
  return (
    <section>
      <h3>{say.way.title}</h3>
      <WayTable way={way} good={good && { way: good, when: <Moment at={good.Timestamp} /> }} />
    </section>
  );
}

/** A stored check in full. */
export function OpenedCheck({ deviceId, check }: { readonly deviceId: string; readonly check: Check }) {
  const { data, problem, again } = useRead(() => readOpened(deviceId, check), [check.check_id]);
  const agent = data?.extended.Agent;
  // The list of ways has no place for one that was not possible: its reason stays among the diagnostics.
  const shown = data?.way === undefined ? [] : ['Traceroute'];
  return (
    <CheckDetail check={check} extended={data?.extended.Extended} without={shown}>
      {problem !== undefined && <Failure problem={problem} retry={again} />}
      {data === undefined && problem === undefined && <Waiting rows={3} />}
      {typeof agent === 'string' && <p class="hint">{say.agent(agent)}</p>}
      {data?.way !== undefined && <TracedWay way={data.way} good={data.good} />}
    </CheckDetail>
  );
}
