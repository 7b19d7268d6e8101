import type { Schemas } from '@vantage/client';
import { pushLines } from '../../model/push-lines.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Moment, Since } from '../../parts/time.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { minute } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { forgetPushAddress, notePushAddress, pushAddresses } from '../../store/push-addresses.ts';
import css from './device.module.css';
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
    <section aria-label={say.newTitle} class={css['newAddress']}>
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

async function rotate(id: string): Promise<void> {
  const { PushURL } = await take(
    api.PUT('/devices/{device_id}/push/rotate', { params: { path: { device_id: id } } }),
  );
  notePushAddress(id, PushURL);
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
          <Since at={LastCall} full /> {say.ago} <span class="mute">{lastWords(calls)}</span>
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
    <section aria-label={say.title} class={`section ${css['calls']}`}>
      <h2>{say.title}</h2>
      <ReadState read={read} rows={3} />
      {read.data !== undefined && <CallFacts calls={read.data} />}
      {url !== undefined && (
        <NewAddress id={id} url={url} cron={typeof cron === 'string' ? cron : undefined} />
      )}
      {mayWrite.value && (
        <div class="buttons">
          <RemoveButton
            words={say.rotate}
            ask={say.rotateAsk}
            remove={() => rotate(id)}
            onRemoved={() => {}}
          />
        </div>
      )}
    </section>
  );
}
