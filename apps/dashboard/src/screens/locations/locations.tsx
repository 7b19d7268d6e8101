import { useState } from 'preact/hooks';
import { agentName } from '../../model/fleet-agent.ts';
import { countFleet } from '../../model/fleet-list.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { events } from '../../store/account-state.ts';
import { often } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import { FleetNeeds } from './fleet-needs.tsx';
import { FleetTable } from './fleet-table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import css from './locations.module.css';
import { locationsTexts as say } from './locations-texts.ts';
import { NewLocationDialog } from './new-location-dialog.tsx';
import { type Fleet, readFleet } from './read-fleet.ts';

/** The events after which the fleet is read again. */
const isAboutFleet = ({ Type }: { readonly Type: string }) => /^(Location|Agent)/.test(Type);

function Sentence({ fleet: { locations } }: { readonly fleet: Fleet }) {
  const offline = locations.filter(({ Online }) => !Online).map(({ Name }) => Name);
  const [well, ill] = say.headline(locations.length, offline, locations[0]?.Name ?? '');
  return (
    <Heading>
      {well}
      {ill !== '' && <span class={css['offline']}>{ill}</span>}
    </Heading>
  );
}

function Summary({ fleet: { agents } }: { readonly fleet: Fleet }) {
  const { connected, inUse, load, capacity, latest } = countFleet(agents);
  if (inUse === 0) return <>{say.noAgents}</>;
  const parts = [
    say.summary(connected, inUse),
    connected > 0 ? say.totalLoad(load, capacity) : '',
    latest === undefined ? '' : say.latest(latest.Lateness.p99, agentName(latest)),
  ];
  return <>{parts.filter((part) => part !== '').join(' · ')}</>;
}

type Opened =
  | { readonly kind: 'invite'; readonly location: string | undefined }
  | { readonly kind: 'location' };

/** The Locations and their agents. */
export function LocationsScreen() {
  const [opened, setOpened] = useState<Opened>();
  const newest = events.value.find(isAboutFleet)?.event_id;
  // Figures change and invitations expire without an event.
  const read = useRead(readFleet, [], [newest, often.value]);
  const { data: fleet, again } = read;
  const close = () => {
    setOpened(undefined);
    again();
  };
  return (
    <div class="page">
      <div class={css['head']}>
        <div>
          {fleet === undefined ? <Heading>{say.title}</Heading> : <Sentence fleet={fleet} />}
          <p class={css['lead']}>{fleet !== undefined && <Summary fleet={fleet} />}</p>
        </div>
        {mayWrite.value && (
          <div class="buttons">
            {fleet?.agents.some(({ Upgrade }) => Upgrade !== null) === true && (
              <a class="button" href="/locations/upgrades">
                {say.upgrades}
              </a>
            )}
            <button type="button" class="button" onClick={() => setOpened({ kind: 'location' })}>
              {say.create}
            </button>
            <button
              type="button"
              class="button main"
              onClick={() => setOpened({ kind: 'invite', location: undefined })}
            >
              {say.invite}
            </button>
          </div>
        )}
      </div>
      {!mayWrite.value && <p class="hint">{say.noRights}</p>}
      <ReadState read={read} rows={6} />
      {fleet !== undefined && (
        <>
          <FleetNeeds fleet={fleet} onInvite={(location) => setOpened({ kind: 'invite', location })} />
          {fleet.locations.length === 0 ? <p>{say.empty}</p> : <FleetTable fleet={fleet} onChanged={again} />}
        </>
      )}
      {opened?.kind === 'invite' && <InviteDialog location={opened.location} onClose={close} />}
      {opened?.kind === 'location' && <NewLocationDialog onClose={close} />}
    </div>
  );
}
