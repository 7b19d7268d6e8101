import { useState } from 'preact/hooks';
import { lastGood } from '../../model/traced-path.ts';
import { useKeys } from '../../parts/keys.ts';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { mayOperate } from '../../store/credential.ts';
import css from './device.module.css';
import { deviceTexts as say } from './device-texts.ts';
import { PathSection } from './opened-check.tsx';
import { readPaths } from './read-detail.ts';

const shownFirst = 5;

/** Traces the path to a device on request, and lists the paths that were traced. */
export function PathsSection({
  deviceId,
  newest,
}: {
  readonly deviceId: string;
  readonly newest: string | undefined;
}) {
  const [opened, setOpened] = useState<string>();
  const [most, setMost] = useState(shownFirst);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const read = useRead(() => readPaths(deviceId), [deviceId], [newest]);
  const paths = read.data ?? [];
  const trace = () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    take(api.POST('/devices/{device_id}/traceroute', { params: { path: { device_id: deviceId } } }))
      .then(
        ({ check_id }) => {
          setOpened(check_id);
          read.again();
        },
        (error: unknown) => setProblem(problemWords(error)),
      )
      .finally(() => setBusy(false));
  };
  useKeys(mayOperate.value ? { t: trace } : {});
  return (
    <section class="section">
      <div class={css['bar']}>
        <h2>{say.pathsHead}</h2>
        {mayOperate.value && (
          <button type="button" class="button" disabled={isBusy} onClick={trace}>
            {isBusy ? say.tracing : say.trace} <kbd>t</kbd>
          </button>
        )}
        {problem !== undefined && (
          <span class="bad" role="alert">
            {say.traceFailed(problem)}
          </span>
        )}
      </div>
      <ReadState read={read} rows={1} />
      {read.data !== undefined && paths.length === 0 && <p class="mute">{say.noPaths}</p>}
      <ul class={css['checks']}>
        {paths.slice(0, most).map((path) => {
          const { check_id, Timestamp, Location, Reached, Hops } = path;
          const good = lastGood(paths, path);
          const isOpen = opened === check_id;
          return (
            <li key={check_id}>
              <button
                type="button"
                class={css['path']}
                aria-expanded={isOpen}
                onClick={() => setOpened(isOpen ? undefined : check_id)}
              >
                <Moment at={Timestamp} />
                <span class={css['from']}>{Location}</span>
                <span>{Reached ? say.reachedIn(Hops.length) : say.notReached(Hops.length)}</span>
              </button>
              {isOpen && (
                <div class={css['stretch']}>
                  <PathSection from={Location} path={path} good={Reached ? undefined : good} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {paths.length > most && (
        <button type="button" class={`button ${css['more']}`} onClick={() => setMost(paths.length)}>
          {say.more}
        </button>
      )}
    </section>
  );
}
