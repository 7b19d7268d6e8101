import { briefly } from '../../model/format.ts';
import { FailedScreen } from '../../parts/failed-screen.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Icon } from '../../parts/icon.tsx';
import { counts, locations, progress, readFacts, rows } from '../../store/account-state.ts';
import { now } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { headline } from '../../store/overview-facts.ts';
import { heardAt } from '../../store/stream.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { frameTexts } from '../../texts/frame-texts.ts';
import { troubleWords } from '../../texts/trouble-words.ts';
import { CauseList } from './cause-list.tsx';
import { Checklist } from './checklist.tsx';
import { EarlyState } from './early-state.tsx';
import { EventRows } from './event-rows.tsx';
import { FirstVisit } from './first-visit.tsx';
import css from './overview.module.css';
import { overviewTexts } from './overview-texts.ts';
import { AlertRows, LocationRows, StateRows, TroubledRows } from './quiet-rows.tsx';

const say = overviewTexts;
const counted = ['Down', 'Retrying', 'Partial', 'Unknown', 'Maint', 'Up', 'Paused'] as const;

/** The state of the account in one sentence. */
function OverviewSentence() {
  const shown = headline.value;
  switch (shown.kind) {
    case 'unobserved':
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

function StateCounts() {
  return (
    <ul class={css['counts']}>
      {counted
        .filter((state) => counts.value[state] > 0)
        .map((state) => (
          <li key={state}>
            <a href={`/devices?q=status:${state.toLowerCase()}`}>
              <Icon name={state} /> <b>{counts.value[state].toLocaleString('en-US')}</b>{' '}
              {deviceWords.states[state]}
            </a>
          </li>
        ))}
    </ul>
  );
}

/** The age of the facts. A component of its own, because it is rendered every second. */
function FactsAge() {
  return heardAt.value === 0 ? null : ` · ${say.newest(briefly((now.value - heardAt.value) / 1_000))}`;
}

/** The state of the account: causes first, then the other troubles and the last events. */
export function OverviewScreen() {
  // A sentence about only some of the devices would be wrong.
  if (progress.value === 'loading') return <EarlyState />;
  if (typeof progress.value === 'object')
    return (
      <div class="page">
        <FailedScreen
          title={frameTexts.screens.overview}
          problem={progress.value.problem}
          retry={() => void readFacts()}
        />
      </div>
    );
  if (rows.value.length === 0 && mayWrite.value) return <FirstVisit />;
  if (rows.value.length === 0)
    return (
      <div class="page">
        <Heading>{deviceWords.empty}</Heading>
        <p>{deviceWords.noRights}</p>
      </div>
    );
  return (
    <div class="page">
      <OverviewSentence />
      <p class="mute">
        {say.fleet(rows.value.length, locations.value.length)}
        <FactsAge />
      </p>
      <StateCounts />
      <CauseList />
      <LocationRows />
      <AlertRows />
      <StateRows title={say.retrying} states={['Retrying', 'Partial']} />
      <StateRows title={say.unknown} states={['Unknown']} />
      <StateRows title={say.maintenance} states={['Maint']} />
      <TroubledRows />
      {mayWrite.value && <Checklist />}
      <EventRows />
    </div>
  );
}
