import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { briefly, exactTime } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ReadState } from '../../parts/read-state.tsx';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { often, secondsSince } from '../../store/clock.ts';
import { mayAdminister, session } from '../../store/credential.ts';
import { locationTexts } from '../locations/location-texts.ts';
import locationsCss from '../locations/locations.module.css';
import css from './quarantine.module.css';
import { quarantineTexts as say } from './quarantine-texts.ts';

type Group = Schemas['QuarantinedResults'];

function GroupRow({
  group,
  onRetried,
}: {
  readonly group: Group;
  readonly onRetried: (words: string) => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const { columns } = say;
  const { agent_id, Agent, Location, Reason, Records, Waiting, Last } = group;
  const retry = async () => {
    setBusy(true);
    try {
      const answer = await take(
        api.PUT('/agents/{agent_id}/retry-quarantine', {
          params: { path: { agent_id } },
          body: { Reason },
        }),
      );
      onRetried(say.retried(answer.Records));
    } catch (error) {
      onRetried(problemWords(error));
    }
    setBusy(false);
  };
  return (
    <tr>
      <th scope="row">
        <a href={`/locations/agents/${agent_id}`}>
          <bdi>{Agent === '' ? agent_id.slice(0, 8) : Agent}</bdi>
        </a>
      </th>
      <td data-label={columns.location}>
        <bdi>{Location}</bdi>
      </td>
      <td data-label={columns.reason}>{Reason}</td>
      <td data-label={columns.records} class="num">
        {say.records(Records)}
      </td>
      <td data-label={columns.last}>
        <time dateTime={Last} title={exactTime(Last)}>
          {say.ago(briefly(secondsSince(Date.parse(Last))))}
        </time>
      </td>
      <td>
        {Waiting > 0 ? (
          <span class="mute">{say.waiting(Waiting)}</span>
        ) : (
          <button
            type="button"
            class="button"
            disabled={isBusy}
            aria-label={say.retryLabel(Agent, Reason)}
            onClick={() => void retry()}
          >
            {say.retry}
          </button>
        )}
      </td>
    </tr>
  );
}

function QuarantineList() {
  const read = useRead(() => take(api.GET('/quarantine')), [], [often.value]);
  const [outcome, setOutcome] = useState('');
  return (
    <>
      <Heading>
        {read.data === undefined ? say.name : say.headline(read.data.map(({ Records }) => Records))}
      </Heading>
      <p class={locationsCss['lead']}>
        {say.about}{' '}
        <a class="link" href="/docs/operate" target="_blank" rel="noreferrer">
          {say.help}
        </a>
      </p>
      <p role="status" class="section">
        {outcome}
      </p>
      <ReadState read={read} rows={4} />
      {read.data !== undefined && read.data.length > 0 && (
        <ScrollSection label={say.name}>
          <table class={`stack ${css['groups']}`}>
            <thead>
              <tr>
                {Object.values(say.columns).map((words) => (
                  <th key={words} scope="col" class={words === say.columns.records ? 'num' : undefined}>
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {read.data.map((group) => (
                <GroupRow
                  key={`${group.agent_id} ${group.Reason}`}
                  group={group}
                  onRetried={(words) => {
                    setOutcome(words);
                    read.again();
                  }}
                />
              ))}
            </tbody>
          </table>
        </ScrollSection>
      )}
    </>
  );
}

/** The results of the account's agents that were not accepted, by agent and reason. */
export function QuarantineScreen() {
  return (
    <div class="page">
      <p class={locationsCss['crumb']}>
        <a class="link" href="/locations">
          {locationTexts.back}
        </a>
      </p>
      {mayAdminister.value && session.value?.tags === null ? (
        <QuarantineList />
      ) : (
        <>
          <Heading>{say.name}</Heading>
          <p>{say.noRights}</p>
        </>
      )}
    </div>
  );
}
