import { useRef, useState } from 'preact/hooks';
import type { Cause } from '../../model/causes.ts';
import { briefly } from '../../model/format.ts';
import { FailedScreen } from '../../parts/failed-screen.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Waiting, wordsOf } from '../../parts/notice.tsx';
import { Since } from '../../parts/time.tsx';
import { counts, type DeviceRow, locations, progress, readFacts, rows } from '../../store/account-state.ts';
import { acknowledge } from '../../store/act.ts';
import { go } from '../../store/address.ts';
import { type Alert, alertOfDevice } from '../../store/alerts.ts';
import { now } from '../../store/clock.ts';
import { mayOperate, mayWrite } from '../../store/credential.ts';
import { causes, headline, maxCauses, whyOf } from '../../store/overview-facts.ts';
import { heardAt } from '../../store/stream.ts';
import { texts } from '../../texts/index.ts';
import { troubleWords } from '../../texts/overview.ts';
import { MaintenanceDialog } from '../device/maintenance-dialog.tsx';
import css from './overview.module.css';
import { AlertRows, EventRows, LocationRows, StateRows, TroubledRows } from './quiet-rows.tsx';

const say = texts.overview;
const counted = ['Down', 'Retrying', 'Partial', 'Unknown', 'Maint', 'Up', 'Paused'] as const;

/** The sentence that says the state. */
function Sentence() {
  const shown = headline.value;
  switch (shown.kind) {
    case 'blind':
      return (
        <>
          <Heading>{say.unobserved}</Heading>
          <p class={css['why']}>{say.unobservedWhy}</p>
        </>
      );
    case 'down':
      return (
        <Heading>
          <span class="bad">{say.down(shown.devices)}</span>
          {shown.devices > 1 && `, ${say.causes(shown.causes)}`}
        </Heading>
      );
    case 'troubled':
      return <Heading>{troubleWords(shown.troubles)}</Heading>;
    case 'quiet':
      return <Heading>{say.quiet}</Heading>;
  }
}

function Counts() {
  return (
    <ul class={css['counts']}>
      {counted
        .filter((state) => counts.value[state] > 0)
        .map((state) => (
          <li key={state}>
            <a href={`/devices?q=status:${state.toLowerCase()}`}>
              <Mark name={state} /> <b>{counts.value[state].toLocaleString('en-US')}</b> {texts.states[state]}
            </a>
          </li>
        ))}
    </ul>
  );
}

/** How old the newest fact is. Alone, because it changes each second. */
function Heard() {
  return heardAt.value === 0 ? null : ` · ${say.newest(briefly((now.value - heardAt.value) / 1_000))}`;
}

/** The problems, each with its cause first. */
export function Overview() {
  // A sentence about a part of the devices would be wrong.
  if (progress.value === 'loading')
    return (
      <div class="page">
        <Waiting rows={8} />
      </div>
    );
  if (typeof progress.value === 'object')
    return (
      <div class="page">
        <FailedScreen
          title={texts.screens.overview}
          problem={progress.value.problem}
          retry={() => void readFacts()}
        />
      </div>
    );
  if (rows.value.length === 0 && mayWrite.value) return <FirstVisit />;
  if (rows.value.length === 0)
    return (
      <div class="page">
        <Heading>{texts.devices.empty}</Heading>
        <p>{texts.noRights}</p>
      </div>
    );
  return (
    <div class="page">
      <Sentence />
      <p class="mute">
        {say.fleet(rows.value.length, locations.value.length)}
        <Heard />
      </p>
      <Counts />
      {causes.value.slice(0, maxCauses).map((cause) => (
        <CauseBlock key={cause.row.id} cause={cause} />
      ))}
      {causes.value.length > maxCauses && (
        <p class={css['more']}>
          <a class="link" href="/devices?q=status:down">
            {say.more(causes.value.length - maxCauses)}
          </a>
        </p>
      )}
      <LocationRows />
      <AlertRows />
      <StateRows title={say.retrying} states={['Retrying', 'Partial']} />
      <StateRows title={say.unknown} states={['Unknown']} />
      <StateRows title={say.maintenance} states={['Maint']} />
      <TroubledRows />
      <EventRows />
    </div>
  );
}

/** The first step: the field to paste an address into. */
function FirstVisit() {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    go(`/devices/new?address=${encodeURIComponent(field.current?.value.trim() ?? '')}`);
  };
  return (
    <div class="page">
      <Heading>{say.first}</Heading>
      <p class="mute">{say.firstHint}</p>
      <form class={css['first']} onSubmit={submit}>
        <label>
          <span class="label">{say.firstField}</span>
          <input
            ref={field}
            type="text"
            autofocus
            autocomplete="off"
            spellcheck={false}
            placeholder="192.0.2.1"
          />
        </label>
        <button type="submit" class="button main">
          {say.firstButton}
        </button>
      </form>
      <section class="section">
        <h2>{say.firstSteps}</h2>
        <ul class={css['list']}>
          {say.steps.map(([name, href, why]) => (
            <li key={href} class={css['step']}>
              <a class="link" href={href}>
                {name}
              </a>{' '}
              <span class="mute">{why}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** Who was notified of an alert, counted. */
function Notified({ alert }: { readonly alert: Alert }) {
  const states = alert.Notifications.map(({ State }) => State);
  const of = (state: string) => states.filter((each) => each === state).length;
  const line = say.notifications(of('Delivered'), of('Pending'), of('Failed'));
  return <dd>{alert.Reason ?? (line === '' ? say.nobody : line)}</dd>;
}

function Acts({ row, alert }: { readonly row: DeviceRow; readonly alert: Alert | undefined }) {
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  if (!mayOperate.value) return null;
  const take = () => {
    if (alert !== undefined)
      acknowledge([alert.alert_id], '').catch((error: unknown) => setProblem(wordsOf(error)));
  };
  return (
    <div class="buttons">
      {alert?.State === 'Open' && (
        <button type="button" class="button main" onClick={take}>
          {texts.alerts.acknowledge}
        </button>
      )}
      <button type="button" class="button" onClick={() => setAsking(true)}>
        {texts.device.maintenance}
      </button>
      {problem !== undefined && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      {isAsking && <MaintenanceDialog id={row.id} name={row.name} onClose={() => setAsking(false)} />}
    </div>
  );
}

/** A device that is Down of itself: why, what is behind it, who was notified. */
function CauseBlock({ cause: { row, behind } }: { readonly cause: Cause<DeviceRow> }) {
  const alert = alertOfDevice.value.get(row.id);
  const taken = alert?.Acknowledged;
  return (
    <article class={`${css['cause']} ${taken ? css['taken'] : ''}`} data-device={row.id}>
      <Mark name="Down" word={texts.states.Down} />
      <h2 class={css['lead']}>
        <a class="clampName" href={`/devices/${row.id}`}>
          <bdi>{row.name}</bdi>
        </a>{' '}
        {say.isDown}{' '}
        <span>
          {texts.device.for('').trim()} <Since at={row.sinceMs} />
          {taken && ` · ${say.acknowledgedBy(taken.By, taken.Note)}`}
        </span>
      </h2>
      <Acts row={row} alert={alert} />
      <dl>
        <dt>{say.why}</dt>
        <dd>{whyOf(row.id) ?? '–'}</dd>
        {behind.length > 0 && (
          <>
            <dt>{say.behind}</dt>
            <dd>
              {say.behindIt(behind.length)}{' '}
              {behind.slice(0, 3).map((each, at) => (
                <span key={each.id}>
                  {at > 0 && ', '}
                  <a class="link" href={`/devices/${each.id}`}>
                    <bdi>{each.name}</bdi>
                  </a>
                </span>
              ))}
              {behind.length > 3 && ` ${say.more(behind.length - 3)}`}
            </dd>
          </>
        )}
        {alert !== undefined && (
          <>
            <dt>{say.notified}</dt>
            <Notified alert={alert} />
          </>
        )}
      </dl>
    </article>
  );
}
