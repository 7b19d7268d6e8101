import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { agentName } from '../../model/fleet-agent.ts';
import { planMove } from '../../model/fleet-selection.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { SelectField } from '../../parts/select-field.tsx';
import { runBatches } from '../../store/batch.ts';
import { offerUndo } from '../../store/undo.ts';
import { formTexts } from '../../texts/form-texts.ts';
import css from './fleet-selection.module.css';
import { fleetSelectionTexts as say } from './fleet-selection-texts.ts';
import type { Fleet } from './read-fleet.ts';
import { RefusedAgents } from './refused-agents.tsx';

type Agent = Schemas['Agent'];

const moveTo = (agent_id: string, Location: string) =>
  ({ Method: 'PUT', Path: `/agents/${agent_id}`, Body: { Location } }) as const;

/** Moves the chosen agents to a Location, with an undo. */
export function MoveAgentsDialog({
  fleet,
  agents,
  onDone,
  onClose,
}: {
  readonly fleet: Fleet;
  readonly agents: readonly Agent[];
  /** `words`: what was done; undefined: something was refused, and the dialog shows it. */
  readonly onDone: (words: string | undefined) => void;
  readonly onClose: () => void;
}) {
  const [chosen] = useState(agents);
  const [target, setTarget] = useState('');
  const [tried, setTried] = useState<number>();
  const [refused, setRefused] = useState<readonly (readonly [name: string, reason: string])[]>([]);
  const [problem, setProblem] = useState<unknown>();
  const name = fleet.locations.find(({ location_id }) => location_id === target)?.Name ?? '';
  const plan = planMove(fleet, chosen, target);
  const isReady = target !== '' && plan.moved.length > 0 && tried === undefined;
  const move = async () => {
    const { moved } = plan;
    setTried(0);
    setProblem(undefined);
    try {
      const { done, refusals } = await runBatches(
        moved.map(({ agent_id }) => moveTo(agent_id, target)),
        setTried,
      );
      const back = done.flatMap((at) => {
        const agent = moved[at];
        return agent === undefined ? [] : [moveTo(agent.agent_id, agent.location_id)];
      });
      if (back.length > 0)
        offerUndo(say.moved(back.length, name), async () => {
          await runBatches(back, () => {});
          onDone(undefined);
        });
      setRefused(
        refusals.map(({ at, reason }) => {
          const agent = moved[at];
          return [agent === undefined ? '' : agentName(agent), reason] as const;
        }),
      );
      onDone(refusals.length === 0 ? say.moved(done.length, name) : undefined);
    } catch (error) {
      setProblem(error);
    }
    setTried(undefined);
  };
  return (
    <Dialog title={say.title.move(chosen.length)} onClose={onClose}>
      <SelectField
        name={say.target}
        problem={undefined}
        value={target}
        choices={[
          ['', say.choose] as const,
          ...fleet.locations.map(({ location_id, Name }) => [location_id, Name] as const),
        ]}
        onChoose={setTarget}
      />
      <div class={css['effect']} role="status">
        {target !== '' && plan.moved.length > 0 && <p>{say.moveEffect(plan.moved.length, name)}</p>}
        {target !== '' && plan.stays.length > 0 && <p>{say.stays(plan.stays)}</p>}
        {target !== '' && plan.left.length > 0 && <p class={css['warning']}>{say.left(plan.left)}</p>}
      </div>
      <RefusedAgents refused={refused} />
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
      <div class="buttons section">
        <button type="button" class="button main" disabled={!isReady} onClick={() => void move()}>
          {tried === undefined ? say.move(plan.moved.length, name) : say.working(tried, plan.moved.length)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {formTexts.cancel}
        </button>
      </div>
    </Dialog>
  );
}
