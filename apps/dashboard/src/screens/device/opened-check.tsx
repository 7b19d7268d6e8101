import { lastGood, type TracedPath } from '../../model/traced-path.ts';
import { CheckDetail } from '../../parts/check-detail.tsx';
import { HopPicture } from '../../parts/hop-picture.tsx';
import { PathTable } from '../../parts/path-table.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { deviceTexts as say } from './device-texts.ts';
import { type Check, readExtended, readPaths } from './read-detail.ts';

/** Reads the diagnostics of a check, the path that was traced after it, and the last good path. */
async function readOpened(deviceId: string, check: Check) {
  const extended = await readExtended(check.check_id);
  if (!('Traceroute' in extended.Extended)) return { extended, path: undefined, good: undefined };
  const paths = await readPaths(deviceId);
  const path = paths.find(({ check_id }) => check_id === check.check_id);
  return { extended, path, good: path && lastGood(paths, path) };
}

export function PathSection({
  from,
  path,
  good,
}: {
  /** The Location that traced it. */
  readonly from: string;
  readonly path: TracedPath;
  readonly good: (TracedPath & { Timestamp: string }) | undefined;
}) {
  return (
    <section>
      <h3>{say.path}</h3>
      <HopPicture path={path} from={from} />
      <PathTable path={path} good={good && { path: good, when: <Moment at={good.Timestamp} /> }} />
    </section>
  );
}

/** A stored check in full. */
export function OpenedCheck({ deviceId, check }: { readonly deviceId: string; readonly check: Check }) {
  const read = useRead(() => readOpened(deviceId, check), [check.check_id]);
  const { data } = read;
  const agent = data?.extended.Agent;
  // The list of paths does not contain a trace that failed. Its reason is among the diagnostics.
  const shown = data?.path === undefined ? [] : ['Traceroute'];
  return (
    <CheckDetail check={check} extended={data?.extended.Extended} without={shown}>
      <ReadState read={read} rows={3} />
      {typeof agent === 'string' && <p class="hint">{say.agent(agent)}</p>}
      {data?.path !== undefined && <PathSection from={check.Location} path={data.path} good={data.good} />}
    </CheckDetail>
  );
}
