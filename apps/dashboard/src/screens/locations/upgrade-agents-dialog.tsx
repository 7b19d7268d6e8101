import type { Schemas } from '@vantage/client';
import { useEffect, useState } from 'preact/hooks';
import { agentName } from '../../model/fleet-agent.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormRefusal } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { formTexts } from '../../texts/form-texts.ts';
import css from './fleet-selection.module.css';
import { fleetSelectionTexts as say } from './fleet-selection-texts.ts';

type Agent = Schemas['Agent'];
type Rollout = Schemas['AgentsUpgrade'];

/** The preview is read a moment after the last letter. */
const previewMs = 300;
const maxNamed = 8;
/** Agents in one request. */
const maxAgents = 1_000;

const requestUpgrade = (agents: readonly Agent[], version: string, Preview: boolean): Promise<Rollout> => {
  const Agents = agents.slice(0, maxAgents).map(({ agent_id }) => agent_id);
  return take(api.POST('/agents/upgrade', { body: { Version: version, Agents, Preview } }));
};

/** The rollout that the API would start; undefined: it is being read, or there is no version. */
function useRolloutPreview(agents: readonly Agent[], version: string) {
  const [state, setState] = useState<{ planned?: Rollout; problem?: unknown }>({});
  useEffect(() => {
    setState({});
    if (version === '') return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      requestUpgrade(agents, version, true).then(
        (planned) => isCurrent && setState({ planned }),
        (problem: unknown) => isCurrent && setState({ problem }),
      );
    }, previewMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [version]);
  return state;
}

function SkippedAgents({
  skipped,
  agents,
}: {
  readonly skipped: Rollout['Skipped'];
  readonly agents: readonly Agent[];
}) {
  if (skipped.length === 0) return null;
  const nameOf = (id: string, name: string) => {
    const agent = agents.find(({ agent_id }) => agent_id === id);
    return agent === undefined ? name || id.slice(0, 8) : agentName(agent);
  };
  return (
    <>
      <p>{say.skipped(skipped.length)}</p>
      <ul class={css['list']}>
        {skipped.slice(0, maxNamed).map(({ agent_id, Name, Reason }) => (
          <li key={agent_id}>{say.skippedRow(nameOf(agent_id, Name), Reason)}</li>
        ))}
        {skipped.length > maxNamed && <li>{say.more(skipped.length - maxNamed)}</li>}
      </ul>
    </>
  );
}

/** Upgrades the chosen agents in one rollout, after the controller said which of them can run the version. */
export function UpgradeAgentsDialog({
  agents,
  newest,
  onDone,
  onClose,
}: {
  readonly agents: readonly Agent[];
  /** The newest version that is known. */
  readonly newest: string | undefined;
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
}) {
  // The selection as it was when the dialog opened: what is confirmed is what was shown.
  const [chosen] = useState(agents);
  const [version, setVersion] = useState(newest ?? '');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const { planned, problem = refusal } = useRolloutPreview(chosen, version.trim());
  const fields = problem instanceof ApiProblem ? problem.fields : [];
  const isCounted = planned !== undefined && planned.Agents > 0;
  const start = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const { Agents, Version } = await requestUpgrade(chosen, version.trim(), false);
      onDone(say.upgraded(Agents, Version));
    } catch (error) {
      setRefusal(error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={say.title.upgrade(chosen.length)} onClose={onClose}>
      <LineField
        name={say.version}
        value={version}
        problem={fields.find(({ field }) => field === 'Version')?.message}
        hint={say.versionHint}
        isFirst
        onInput={setVersion}
      />
      <div class={css['effect']} role="status">
        {isCounted && <p>{say.upgradeEffect(planned.Agents)}</p>}
        {planned !== undefined && <SkippedAgents skipped={planned.Skipped} agents={chosen} />}
      </div>
      <FormRefusal words={problem === undefined || fields.length > 0 ? undefined : problemWords(problem)} />
      <div class="buttons section">
        <button
          type="button"
          class="button main"
          disabled={!isCounted || isBusy}
          onClick={() => void start()}
        >
          {say.upgrade(planned?.Agents ?? chosen.length)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {formTexts.cancel}
        </button>
      </div>
    </Dialog>
  );
}
