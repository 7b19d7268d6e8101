import css from './fleet-selection.module.css';
import { fleetSelectionTexts as say } from './fleet-selection-texts.ts';

const maxNamed = 8;

/** The agents whose change the API refused, with the reasons. */
export function RefusedAgents({
  refused,
}: {
  readonly refused: readonly (readonly [name: string, reason: string])[];
}) {
  if (refused.length === 0) return null;
  return (
    <div role="alert">
      <p class="bad">{say.refused(refused.length)}</p>
      <ul class={css['list']}>
        {refused.slice(0, maxNamed).map(([name, reason]) => (
          <li key={name}>{say.skippedRow(name, reason)}</li>
        ))}
        {refused.length > maxNamed && <li>{say.more(refused.length - maxNamed)}</li>}
      </ul>
    </div>
  );
}
