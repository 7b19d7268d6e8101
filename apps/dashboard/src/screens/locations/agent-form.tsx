import { agentName } from '../../model/fleet-agent.ts';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { locations } from '../../store/account-state.ts';
import { go } from '../../store/address.ts';
import { deleteAgent, removeAgentFully } from '../../store/agents.ts';
import { api, take } from '../../store/api.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { agentTexts as say } from './agent-texts.ts';
import css from './locations.module.css';
import type { OpenedAgent } from './opened-agent.ts';

interface AgentDraft {
  readonly name: string;
  /** A location_id. */
  readonly location: string;
}

const drafts = createDrafts<AgentDraft>();

/** Renames an agent, or moves it to another Location. */
export function AgentForm({
  opened: { agent, etag },
  onSaved,
}: {
  readonly opened: OpenedAgent;
  readonly onSaved: () => void;
}) {
  const { agent_id, location_id, State } = agent;
  const form = useDraft(drafts, agent_id, { name: agent.Name, location: location_id });
  const { draft, set } = form;
  const sending = useSending();
  const target = locations.value.find((location) => location.location_id === draft.location);
  const save = async () => {
    const params = { path: { agent_id }, header: ifMatch(etag) };
    const body = {
      Name: draft.name,
      ...(draft.location === location_id ? {} : { Location: draft.location }),
    };
    await ifUnchanged(() => take(api.PUT('/agents/{agent_id}', { params, body })), say.conflict);
    form.saved();
    onSaved();
  };
  return (
    <form class={css['form']} onSubmit={(event) => void sending.send(event, save)} noValidate>
      <KeptNotice form={form} />
      <LineField
        name={say.name}
        value={draft.name}
        problem={sending.problemOf('Name')}
        hint={say.nameHint}
        onInput={(name) => set({ name })}
      />
      {State !== 'Revoked' && (
        <SelectField
          name={say.location}
          problem={sending.problemOf('Location')}
          value={draft.location}
          choices={locations.value.map((location) => [location.location_id, location.Name] as const)}
          onChoose={(location) => set({ location })}
        />
      )}
      {State === 'Revoked' && <p class="hint">{say.revokedHint}</p>}
      {draft.location !== location_id && target !== undefined && (
        <p class="hint" role="status">
          {say.moveHint(target.Name)}
        </p>
      )}
      <FormRefusal words={sending.words(['Name', 'Location'])} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy}>{say.save}</SubmitButton>
      </div>
    </form>
  );
}

/** Revokes an agent, removes a revoked one from the lists, or cancels its invitation. */
export function AgentEnd({
  opened: { agent },
  onDone,
}: {
  readonly opened: OpenedAgent;
  readonly onDone: () => void;
}) {
  const { agent_id, State } = agent;
  const name = agentName(agent);
  const leave = () => go('/locations');
  if (State === 'New')
    return (
      <RemoveButton
        words={say.cancel}
        ask={say.cancelAsk}
        remove={() => removeAgentFully(agent_id)}
        onRemoved={leave}
      />
    );
  const isOver = State === 'Revoked' || State === 'Expired';
  return (
    <RemoveButton
      key={State}
      words={isOver ? say.remove : say.revoke}
      ask={isOver ? say.removeAsk(name) : say.revokeAsk(name)}
      remove={() => deleteAgent(agent_id)}
      onRemoved={isOver ? leave : onDone}
    />
  );
}
