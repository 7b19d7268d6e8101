import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { pushLines } from '../../model/push-lines.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { forgetPushAddress, notePushAddress, pushAddresses } from '../../store/push-addresses.ts';
import { heartbeatTexts as say } from './heartbeat-texts.ts';

type Heartbeat = Schemas['Heartbeat'];

/** The address that was just made, and the lines that use it. */
function NewAddress({
  id,
  url,
  cron,
}: {
  readonly id: string;
  readonly url: string;
  readonly cron: string | undefined;
}) {
  const lines = pushLines(url, cron);
  return (
    <section aria-label={say.newTitle}>
      <h3>{say.newTitle}</h3>
      <p>{say.once}</p>
      <CopyLine text={url} label={say.address} />
      {(['curl', 'cron', 'systemd'] as const).map((kind) => (
        <CopyLine key={kind} text={lines[kind]} label={say.lines[kind]} />
      ))}
      <div class="buttons">
        <button type="button" class="button" onClick={() => forgetPushAddress(id)}>
          {say.done}
        </button>
      </div>
    </section>
  );
}

/** Replaces the address, after a second press. */
function RotateButton({ id }: { readonly id: string }) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const rotate = () => {
    setBusy(true);
    setProblem(undefined);
    take(api.PUT('/devices/{device_id}/push/rotate', { params: { path: { device_id: id } } }))
      .then(
        ({ PushURL }) => {
          notePushAddress(id, PushURL);
          setAsking(false);
        },
        (error: unknown) => setProblem(problemWords(error)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <div class="buttons">
      {isAsking ? (
        <>
          <span>{say.rotateAsk}</span>
          <button type="button" class="button danger" disabled={isBusy} onClick={rotate}>
            {say.rotateDo}
          </button>
          <button type="button" class="button" onClick={() => setAsking(false)}>
            {say.cancel}
          </button>
        </>
      ) : (
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {say.rotate}
        </button>
      )}
      {problem !== undefined && (
        <span class="bad" role="alert">
          {say.failed(problem)}
        </span>
      )}
    </div>
  );
}

function lastWords({ LastCallKind, LastExitStatus }: Heartbeat): string {
  if (LastCallKind === null) return '';
  return LastCallKind === 'exit' && LastExitStatus !== null
    ? say.exit(LastExitStatus)
    : say.kinds[LastCallKind];
}

function CallFacts({ calls }: { readonly calls: Heartbeat }) {
  const { LastCall, NextDue, LateAt, Runs } = calls;
  if (LastCall === null) return <p class="mute">{say.waiting}</p>;
  return (
    <dl>
      <div>
        <dt>{say.last}</dt>
        <dd>
          <Since at={LastCall} full /> <span class="mute">{lastWords(calls)}</span>
        </dd>
      </div>
      <div>
        <dt>{say.due}</dt>
        <dd>{NextDue === null ? say.none : <Moment at={NextDue} />}</dd>
      </div>
      {LateAt !== null && (
        <div>
          <dt>{say.late}</dt>
          <dd>
            <Moment at={LateAt} />
          </dd>
        </div>
      )}
      {Runs.length > 0 && (
        <div>
          <dt>{say.runs}</dt>
          {Runs.map(({ RunId, Started, IsOverdue }) => (
            <dd key={RunId}>
              <bdi>{say.run(RunId)}</bdi> <Moment at={Started} />
              {IsOverdue && <span class="bad"> {say.overdue}</span>}
            </dd>
          ))}
        </div>
      )}
    </dl>
  );
}

/** The calls of the job of a Push device: the last one, the next one, and the address while it can be shown. */
export function HeartbeatSection({
  device,
  newest,
}: {
  readonly device: Schemas['Device'];
  readonly newest: string | undefined;
}) {
  const id = device.device_id;
  const read = useRead(
    () => take(api.GET('/devices/{device_id}/push', { params: { path: { device_id: id } } })),
    [id],
    [newest, minute.value, device.UpdatedAt, device.LastCheckResult],
  );
  const url = pushAddresses.value.get(id);
  const cron = 'Cron' in device.Options ? device.Options.Cron : undefined;
  return (
    <section aria-label={say.title} class="section">
      <h2>{say.title}</h2>
      <ReadState read={read} rows={3} />
      {read.data !== undefined && <CallFacts calls={read.data} />}
      {url !== undefined && (
        <NewAddress id={id} url={url} cron={typeof cron === 'string' ? cron : undefined} />
      )}
      {mayWrite.value && <RotateButton id={id} />}
    </section>
  );
}
