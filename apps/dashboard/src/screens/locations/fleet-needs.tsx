import { useState } from 'preact/hooks';
import { type Need, needsOf } from '../../model/fleet-needs.ts';
import { Icon } from '../../parts/icon.tsx';
import { now } from '../../store/clock.ts';
import { mayWrite } from '../../store/credential.ts';
import css from './locations.module.css';
import { locationsTexts, needTexts as say } from './locations-texts.ts';
import type { Fleet } from './read-fleet.ts';

const maxShown = 6;
const timeHelp = '/docs/clocks';

/** Where the need is seen to, or the Location for which an agent is to be invited. */
function actionOf(
  need: Need,
): { readonly href: string; readonly words: string } | { readonly inviteTo: string } {
  switch (need.kind) {
    case 'empty':
      return { inviteTo: need.location.Name };
    case 'load':
      return { inviteTo: need.agent.Location };
    case 'single': {
      const [first] = need.locations;
      return { inviteTo: first?.Name ?? '' };
    }
    case 'offline':
    case 'anchor':
      return { href: `/locations/${need.location.location_id}`, words: say.open };
    case 'clock':
      return { href: timeHelp, words: say.how };
    case 'quarantine':
      return { href: '/locations/quarantine', words: say.open };
    case 'rollout':
      return { href: '/locations/upgrades', words: say.open };
    case 'oldVersion': {
      const [first, ...others] = need.agents;
      return others.length > 0
        ? { href: '/locations?state=old', words: say.show }
        : { href: `/locations/agents/${first?.agent_id ?? ''}`, words: say.upgrade };
    }
    default:
      return { href: `/locations/agents/${need.agent.agent_id}`, words: say.open };
  }
}

const keyOf = (need: Need) =>
  [
    need.kind,
    'agent' in need ? need.agent.agent_id : '',
    'location' in need ? need.location.location_id : '',
    'anchor' in need ? need.anchor : '',
    'version' in need ? need.version : '',
  ].join(' ');

function NeedRow({ need, onInvite }: { readonly need: Need; readonly onInvite: (location: string) => void }) {
  const [sentence, reason] = say.words(need, now.value);
  const action = actionOf(need);
  return (
    <li class={css['need']}>
      <Icon name={need.kind === 'offline' ? 'Offline' : need.kind === 'rollout' ? 'Planned' : 'Other'} />
      <b>{sentence}</b>
      <span class="mute">{reason}</span>
      <span class={css['act']}>
        {'href' in action ? (
          <a class="link" href={action.href}>
            {action.words}
            <span class="hidden"> {sentence}</span>
          </a>
        ) : (
          mayWrite.value && (
            <button type="button" class={`link ${css['plain']}`} onClick={() => onInvite(action.inviteTo)}>
              {locationsTexts.inviteTo(action.inviteTo)}
            </button>
          )
        )}
      </span>
    </li>
  );
}

/** The tasks of a person about the fleet, each with its action. */
export function FleetNeeds({
  fleet,
  onInvite,
}: {
  readonly fleet: Fleet;
  readonly onInvite: (location: string) => void;
}) {
  const [isAll, setAll] = useState(false);
  const needs = needsOf({ ...fleet, nowMs: now.value });
  if (needs.length === 0) return null;
  return (
    <section class="section">
      <h2>{say.title}</h2>
      <ul class={css['needs']}>
        {(isAll ? needs : needs.slice(0, maxShown)).map((need) => (
          <NeedRow key={keyOf(need)} need={need} onInvite={onInvite} />
        ))}
      </ul>
      {needs.length > maxShown && (
        <button type="button" class={`link ${css['plain']}`} onClick={() => setAll(!isAll)}>
          {isAll ? say.fewer : say.all(needs.length)}
        </button>
      )}
    </section>
  );
}
