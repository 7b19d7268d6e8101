import type { Schemas } from '@vantage/client';
import { useEffect, useState } from 'preact/hooks';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { locations, readLocations } from '../../store/account-state.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { texts } from '../../texts/index.ts';
import css from './locations.module.css';

const say = texts.locations;
/** The controller makes the package of the agent, and wants to be asked again. */
const notYet = 1503;
const againMs = 3_000;

function Made({
  invitation,
  onClose,
}: {
  readonly invitation: Schemas['Invitation'];
  readonly onClose: () => void;
}) {
  return (
    <div class={css['form']}>
      <CopyLine text={invitation.Command} label={say.line} />
      <CopyLine text={invitation.CommandWget} label={say.wget} />
      <p class="hint" title={invitation.Expires}>
        {say.expires(invitation.Expires.slice(11, 16))}
      </p>
      <button type="button" class="button main" onClick={onClose}>
        {say.done}
      </button>
    </div>
  );
}

/** Invites an agent to a Location; asks again while the controller makes the package of the agent. */
function useInvitation() {
  const [made, setMade] = useState<Schemas['Invitation']>();
  const [problem, setProblem] = useState<string>();
  /** The Location for which the controller is asked again; each refusal is another object. */
  const [waiting, setWaiting] = useState<{ readonly Location: string }>();
  const invite = async (Location: string) => {
    try {
      setMade(await take(api.POST('/agents/invitations', { body: { Location } })));
      await readLocations();
    } catch (error) {
      setProblem(wordsOf(error));
      setWaiting(error instanceof ApiProblem && error.code === notYet ? { Location } : undefined);
    }
  };
  useEffect(() => {
    if (waiting === undefined) return;
    const timer = setTimeout(() => void invite(waiting.Location), againMs);
    return () => clearTimeout(timer);
  }, [waiting]);
  return { made, problem, setProblem, isWaiting: waiting !== undefined, invite };
}

/** Creates the line that installs an agent on a host. */
export function Invite({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState(locations.value[0]?.Name ?? '');
  const [name, setName] = useState('');
  const { made, problem, setProblem, isWaiting, invite } = useInvitation();
  const isNew = chosen === '';
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const Location = isNew ? name.trim() : chosen;
    try {
      if (isNew) await take(api.POST('/locations', { body: { Name: Location } }));
      await readLocations();
      setChosen(Location);
    } catch (error) {
      setProblem(wordsOf(error));
      return;
    }
    await invite(Location);
  };
  return (
    <Dialog title={say.invite} onClose={onClose} isWide>
      {made === undefined ? (
        <form class={css['form']} onSubmit={(event) => void submit(event)}>
          <p class="mute">{say.inviteHint}</p>
          <label>
            <span class="label">{say.location}</span>
            <select value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {locations.value.map(({ Name }) => (
                <option key={Name} value={Name}>
                  {Name}
                </option>
              ))}
              <option value="">{say.newLocation}</option>
            </select>
          </label>
          {isNew && (
            <label>
              <span class="label">{say.newName}</span>
              <input type="text" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
            </label>
          )}
          {problem !== undefined && (
            <p class={isWaiting ? 'hint' : 'hint bad'} role="alert">
              {problem}
            </p>
          )}
          <button type="submit" class="button main" disabled={isWaiting}>
            {say.make}
          </button>
        </form>
      ) : (
        <Made invitation={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
