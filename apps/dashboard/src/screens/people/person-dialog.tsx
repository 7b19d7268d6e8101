import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { clockTime } from '../../model/format.ts';
import { readScope } from '../../model/rights.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelButton, FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { api, take } from '../../store/api.ts';
import { today } from '../../store/clock.ts';
import css from './people.module.css';
import { peopleTexts } from './people-texts.ts';
import { RightsFields, rightsBody, rightsDraft } from './rights-fields.tsx';
import { namesOf } from './rights-words.ts';

const say = peopleTexts.form;
const shown = ['Name', 'Email', 'Level', 'Tags'];

export interface DialogProps {
  readonly allTags: readonly string[];
  /** Called after a change; the lists are then read again. */
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function InvitationLink({
  invitation,
  onClose,
}: {
  readonly invitation: Schemas['UserInvitation'];
  readonly onClose: () => void;
}) {
  return (
    <div class={css['form']}>
      {invitation.Mailed && <p>{peopleTexts.invited.mailed}</p>}
      <CopyLine text={invitation.Link} label={peopleTexts.invited.link} />
      <p class="hint">{peopleTexts.invited.hint(clockTime(invitation.Expires, today.value).slice(0, -3))}</p>
      <div class="buttons">
        <button type="button" class="button main" onClick={onClose}>
          {peopleTexts.done}
        </button>
      </div>
    </div>
  );
}

/** The buttons that invite a person again, and delete the person. */
function PersonActions({
  person,
  onInvite,
  onRemoved,
}: {
  readonly person: Schemas['User'];
  readonly onInvite: (event: Event) => unknown;
  readonly onRemoved: () => void;
}) {
  const path = { user_id: person.user_id };
  return (
    <>
      <button type="button" class="button" title={peopleTexts.invited.againHint} onClick={onInvite}>
        {peopleTexts.invited.again}
      </button>
      <RemoveButton
        words={peopleTexts.remove}
        ask={peopleTexts.removeAsk(person.Name)}
        remove={async () => void (await take(api.DELETE('/users/{user_id}', { params: { path } })))}
        onRemoved={onRemoved}
      />
    </>
  );
}

function NameFields({
  draft,
  set,
  problemOf,
}: {
  readonly draft: { readonly name: string; readonly email: string };
  readonly set: (change: { readonly name?: string; readonly email?: string }) => void;
  readonly problemOf: (field: string) => string | undefined;
}) {
  return (
    <>
      <LineField
        name={say.name}
        value={draft.name}
        problem={problemOf('Name')}
        isFirst
        onInput={(name) => set({ name })}
      />
      <LineField
        name={say.email}
        value={draft.email}
        problem={problemOf('Email')}
        onInput={(email) => set({ email })}
      />
    </>
  );
}

/** The form of a new or an existing person. */
function PersonForm({
  person,
  allTags,
  onInvited,
  onChanged,
  onClose,
}: DialogProps & {
  readonly person: Schemas['User'] | undefined;
  readonly onInvited: (invitation: Schemas['UserInvitation']) => void;
}) {
  const [before] = useState(() => rightsDraft(person, allTags));
  const [draft, setDraft] = useState({ name: person?.Name ?? '', email: person?.Email ?? '', ...before });
  const sending = useSending();
  const set = (change: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...change }));
  const end = () => {
    onChanged();
    onClose();
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const body = {
        Name: draft.name.trim(),
        Email: draft.email.trim(),
        ...rightsBody(draft, before, allTags),
      };
      if (person !== undefined) return change(person, body).then(end);
      onInvited(await take(api.POST('/users', { body })));
      onChanged();
    });
  const inviteAgain = (event: Event) =>
    sending.send(event, async () => person && onInvited(await invite(person, draft.email.trim())));
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <NameFields draft={draft} set={set} problemOf={sending.problemOf} />
      <RightsFields
        draft={draft}
        before={{ draft: before, tags: namesOf(person?.Tags ?? null) }}
        set={set}
        who={draft.name.trim() === '' ? say.somePerson : draft.name.trim()}
        allTags={allTags}
        problem={sending.problemOf}
      />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || readScope(draft.scope, allTags).unknown.length > 0}>
          {person === undefined ? say.inviteButton : say.save}
        </SubmitButton>
        <CancelButton onClose={onClose} />
        {person !== undefined && <PersonActions person={person} onInvite={inviteAgain} onRemoved={end} />}
      </div>
    </form>
  );
}

async function change({ user_id }: Schemas['User'], body: Schemas['UserUpdate']): Promise<void> {
  await take(api.PUT('/users/{user_id}', { params: { path: { user_id } }, body }));
}

/** Invites a person again. The person who accepts the invitation has the address `email` from then on. */
function invite({ user_id, Email }: Schemas['User'], email: string): Promise<Schemas['UserInvitation']> {
  const body = email === Email ? {} : { Email: email };
  return take(api.POST('/users/{user_id}/invite', { params: { path: { user_id } }, body }));
}

/** Invites a person, or changes one. */
export function PersonDialog(props: DialogProps & { readonly person: Schemas['User'] | undefined }) {
  const { person, onClose } = props;
  const [invitation, setInvitation] = useState<Schemas['UserInvitation']>();
  const title = person === undefined ? peopleTexts.invite : peopleTexts.changeOf(person.Name);
  if (invitation === undefined)
    return (
      <Dialog key="form" title={title} onClose={onClose} isWide>
        <PersonForm {...props} onInvited={setInvitation} />
      </Dialog>
    );
  return (
    <Dialog key="invited" title={peopleTexts.invited.title} onClose={onClose} isWide>
      <InvitationLink invitation={invitation} onClose={onClose} />
    </Dialog>
  );
}
