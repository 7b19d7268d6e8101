import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { planRemoval, removalRequests } from '../../model/fleet-selection.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { runBatches } from '../../store/batch.ts';
import { formTexts } from '../../texts/form-texts.ts';
import css from './fleet-selection.module.css';
import { fleetSelectionTexts as say } from './fleet-selection-texts.ts';
import type { Fleet } from './read-fleet.ts';
import { RefusedAgents } from './refused-agents.tsx';

type Agent = Schemas['Agent'];

/** From this number of agents on, their number must be typed. */
const minTyped = 10;

/** Revokes the chosen agents, cancels their invitations, or removes those that are over. */
export function RemoveAgentsDialog({
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
  const [plan] = useState(() => planRemoval(fleet, agents));
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState<number>();
  const [refused, setRefused] = useState<readonly (readonly [name: string, reason: string])[]>([]);
  const [isOver, setOver] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const requests = removalRequests(plan);
  const isTyping = chosen.length >= minTyped;
  const isReady = !isOver && tried === undefined && (!isTyping || typed.trim() === String(chosen.length));
  const remove = async () => {
    setTried(0);
    setProblem(undefined);
    try {
      const operations = requests.map(({ Method, Path }) => ({ Method, Path }));
      const { refusals } = await runBatches(operations, setTried);
      const failed = refusals.flatMap(({ at, reason }) => {
        const request = requests[at];
        return request === undefined || request.isSecond ? [] : [[request.name, reason] as const];
      });
      setRefused(failed);
      setOver(true);
      onDone(failed.length === 0 ? say.removed(chosen.length) : undefined);
    } catch (error) {
      setProblem(error);
    }
    setTried(undefined);
  };
  return (
    <Dialog title={say.title.remove(chosen.length)} onClose={onClose}>
      <div class={css['effect']}>
        {(['revoked', 'cancelled', 'removed'] as const).map(
          (kind) => plan[kind].length > 0 && <p key={kind}>{say.removal[kind](plan[kind].length)}</p>,
        )}
        {plan.left.length > 0 && <p class={css['warning']}>{say.left(plan.left)}</p>}
      </div>
      {isTyping && (
        <LineField
          name={say.typeCount(chosen.length)}
          problem={undefined}
          value={typed}
          isFirst
          onInput={setTyped}
        />
      )}
      <RefusedAgents refused={refused} />
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
      <div class="buttons section">
        <button type="button" class="button bad" disabled={!isReady} onClick={() => void remove()}>
          {tried === undefined ? say.remove(chosen.length) : say.working(tried, requests.length)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {formTexts.cancel}
        </button>
      </div>
    </Dialog>
  );
}
