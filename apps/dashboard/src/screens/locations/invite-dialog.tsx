import { useState } from 'preact/hooks';
import { typedEndpoint } from '../../model/agent-host.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { locations, readLocations } from '../../store/account-state.ts';
import { api, take } from '../../store/api.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { keptEndpoint, useInvitation } from './invitation.ts';
import { InvitationLines } from './invitation-lines.tsx';
import { inviteTexts as say } from './invite-texts.ts';
import css from './locations.module.css';

/** Creates the command that installs an agent on a host, and waits for the agent. */
export function InviteDialog({
  location: first,
  onClose,
}: {
  /** The Location that is chosen at first; undefined: the first one. */
  readonly location: string | undefined;
  readonly onClose: () => void;
}) {
  // Until the person chooses: the list may not be read yet.
  const [choice, setChosen] = useState(first);
  const chosen = choice ?? locations.value[0]?.Name ?? '';
  const [newName, setNewName] = useState('');
  const [name, setName] = useState('');
  const [endpoint, setEndpoint] = useState(keptEndpoint());
  const { made, words, setProblem, isWaiting, invite } = useInvitation();
  const isNew = chosen === '';
  const isWrong = endpoint.trim() !== '' && typedEndpoint(endpoint, '') === undefined;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const location = isNew ? newName.trim() : chosen;
    try {
      if (isNew) await take(api.POST('/locations', { body: { Name: location } }));
      await readLocations();
      setChosen(location);
    } catch (error) {
      setProblem(error);
      return;
    }
    await invite({ location, name: name.trim(), endpoint: typedEndpoint(endpoint, '') ?? '' });
  };
  return (
    <Dialog
      title={made === undefined ? say.title : say.titleFor(made.request.location)}
      onClose={onClose}
      isWide
    >
      {made === undefined ? (
        <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
          <p class="mute">{say.hint}</p>
          <SelectField
            name={deviceWords.location}
            problem={undefined}
            value={chosen}
            choices={[...locations.value.map(({ Name }) => [Name, Name] as const), ['', say.newLocation]]}
            onChoose={setChosen}
          />
          {isNew && <LineField name={say.newName} value={newName} problem={undefined} onInput={setNewName} />}
          <LineField name={say.name} value={name} problem={undefined} hint={say.nameHint} onInput={setName} />
          <LineField
            name={say.address}
            value={endpoint}
            problem={isWrong ? say.addressWrong : undefined}
            hint={say.addressHint}
            onInput={setEndpoint}
          />
          {words !== undefined && (
            <p class={isWaiting ? 'hint' : 'hint bad'} role="alert">
              {words}
            </p>
          )}
          <div class="buttons">
            <button type="submit" class="button main" disabled={isWaiting || isWrong}>
              {say.make}
            </button>
            <CancelButton onClose={onClose} />
          </div>
        </form>
      ) : (
        <InvitationLines made={made} words={words} invite={invite} onClose={onClose} />
      )}
    </Dialog>
  );
}
