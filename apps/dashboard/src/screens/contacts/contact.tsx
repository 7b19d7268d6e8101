import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { Refusal } from '../../parts/form-end.tsx';
import { Heading } from '../../parts/heading.tsx';
import { Mark } from '../../parts/mark.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { go } from '../../store/address.ts';
import { ApiProblem, api, take, takeAnswer } from '../../store/api.ts';
import { mayWrite } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifUnchanged } from '../../store/if-match.ts';
import {
  type Contact as ContactRow,
  ifMatch,
  notifyOfAll,
  readEverybody,
  readNschedules,
  schedulesByContact,
} from '../../store/plan.ts';
import { contactTexts } from '../../texts/contacts.ts';
import { planTexts } from '../../texts/plan.ts';
import css from './contacts.module.css';
import { Deliveries } from './deliveries.tsx';
import { bodyOf, type ContactDraft, draftOf, newDraft } from './draft.ts';
import { ContactFields } from './fields.tsx';
import { Rotate } from './rotate.tsx';

const say = contactTexts;

interface Opened {
  /** Undefined: it is new. */
  readonly contact: ContactRow | undefined;
  readonly etag: string | undefined;
  readonly types: readonly Schemas['ContactType'][];
  readonly users: readonly Schemas['NotificationSchedule'][];
  /** It can join the schedule that notifies of every alert. */
  readonly mayJoin: boolean;
}

async function readOpened(id: string): Promise<Opened> {
  const others = Promise.all([take(api.GET('/contact-types')), readNschedules()]);
  if (id === 'new')
    return { contact: undefined, etag: undefined, types: (await others)[0], users: [], mayJoin: false };
  const [{ data, etag }, [types, schedules], own] = await Promise.all([
    takeAnswer(api.GET('/contacts/{contact_id}', { params: { path: { contact_id: id } } })),
    others,
    readEverybody(),
  ]);
  const users = schedulesByContact(schedules).get(id) ?? [];
  return { contact: data, etag, types, users, mayJoin: users.length === 0 && own !== null };
}

/** Stores the draft. Resolves with the contact's id. */
async function save({ contact, etag, types }: Opened, draft: ContactDraft): Promise<string> {
  const body = bodyOf(
    draft,
    types.find(({ Type }) => Type === draft.type),
  );
  if (contact === undefined) {
    const made = await take(api.POST('/contacts', { body: { ...body, Type: draft.type } }));
    return made.contact_id;
  }
  const { contact_id } = contact;
  const params = { path: { contact_id }, header: ifMatch(etag) };
  await ifUnchanged(() => take(api.PUT('/contacts/{contact_id}', { params, body })), planTexts.conflict);
  return contact_id;
}

async function removeContact(contact_id: string): Promise<void> {
  await take(api.DELETE('/contacts/{contact_id}', { params: { path: { contact_id } } }));
}

const drafts = createDrafts<ContactDraft>();

function Form({ opened, onSaved }: { readonly opened: Opened; readonly onSaved: () => void }) {
  const { contact, types } = opened;
  const stored = contact === undefined ? newDraft() : draftOf(contact);
  const form = useDraft(drafts, contact?.contact_id ?? 'new', stored);
  const { draft } = form;
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const id = await save(opened, draft);
      setProblem(undefined);
      form.saved();
      if (contact === undefined) go(`/schedules/contacts/${id}`);
      else onSaved();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <ContactFields
        draft={draft}
        types={types}
        rules={types.find(({ Type }) => Type === draft.type)}
        isNew={contact === undefined}
        set={form.set}
        problemOf={(field) =>
          problem instanceof ApiProblem
            ? problem.fields.find((each) => each.field === field)?.message
            : undefined
        }
      />
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {wordsOf(problem)}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="button main" disabled={isBusy}>
          {contact === undefined ? say.create : planTexts.save}
        </button>
        {contact === undefined ? (
          <a class="button" href="/schedules/contacts">
            {planTexts.cancel}
          </a>
        ) : (
          <RemoveButton
            words={say.remove}
            ask={say.removeAsk(contact.Name)}
            remove={() => removeContact(contact.contact_id)}
            onRemoved={() => {
              form.discard();
              go('/schedules/contacts');
            }}
          />
        )}
      </div>
    </form>
  );
}

/** The shortest way from a contact to its first message. */
function Join({ id, onJoined }: { readonly id: string; readonly onJoined: () => void }) {
  const sending = useSending();
  const join = (event: Event) =>
    sending.send(event, async () => {
      await notifyOfAll(id);
      onJoined();
    });
  return (
    <>
      <button type="button" class="button" disabled={sending.isBusy} onClick={(event) => void join(event)}>
        {say.join}
      </button>
      <Refusal words={sending.words([])} />
    </>
  );
}

function Users({ opened, again }: { readonly opened: Opened; readonly again: () => void }) {
  const { contact, users, mayJoin } = opened;
  return (
    <section class="section">
      <h2>{planTexts.usedBy}</h2>
      {users.length === 0 && (
        <p>
          {say.usedNowhere}{' '}
          <a class="link" href="/schedules">
            {say.toSchedules}
          </a>
        </p>
      )}
      {contact !== undefined && mayJoin && mayWrite.value && (
        <Join id={contact.contact_id} onJoined={again} />
      )}
      <ul>
        {users.map(({ nschedule_id, Name }) => (
          <li key={nschedule_id}>
            <a class="link" href={`/schedules/${nschedule_id}`}>
              <bdi>{Name}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shown({ opened, again }: { readonly opened: Opened; readonly again: () => void }) {
  const [round, setRound] = useState(0);
  const { contact, types } = opened;
  const rules = types.find(({ Type }) => Type === contact?.Type);
  return (
    <>
      <Heading>
        <bdi>{contact?.Name ?? say.add}</bdi>
      </Heading>
      {contact !== undefined && (
        <p class={`mute ${css['line']}`}>
          <span class="tag">{contact.Type}</span> <bdi>{contact.Address}</bdi>{' '}
          {contact.Shadow && <b>{say.shadow}</b>}
        </p>
      )}
      {contact !== undefined && mayWrite.value && (
        <TestButton id={contact.contact_id} onDone={() => setRound(round + 1)} />
      )}
      <div class={contact === undefined ? '' : css['columns']}>
        <div>
          {mayWrite.value && <Form opened={opened} onSaved={again} />}
          {contact !== undefined && mayWrite.value && rules?.Secret?.Signs === true && (
            <Rotate contact={contact} />
          )}
          {contact !== undefined && <Users opened={opened} again={again} />}
        </div>
        {contact !== undefined && <Deliveries id={contact.contact_id} round={round} />}
      </div>
    </>
  );
}

/** A contact: its settings, a test, and the messages to it. */
export function Contact({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={say.title} addTitle={say.add} read={readOpened}>
      {(opened, again, key) => <Shown key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}

/** Sends a test message, and shows what the receiver answered. */
function TestButton({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Schemas['ContactTest']>();
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    setBusy(true);
    setResult(undefined);
    setProblem(undefined);
    try {
      setResult(
        await take(api.POST('/contacts/{contact_id}/test', { params: { path: { contact_id: id } } })),
      );
      onDone();
    } catch (error) {
      setProblem(wordsOf(error));
    }
    setBusy(false);
  };
  return (
    <section class={css['test']}>
      <button type="button" class="button" disabled={isBusy} onClick={() => void send()}>
        {isBusy ? say.testing : say.test}
      </button>
      <div role="status">
        {result === undefined && problem === undefined && <span class="mute">{say.testHint}</span>}
        {result !== undefined && (
          <span>
            <Mark name={result.Delivered ? 'Delivered' : 'Failed'} />{' '}
            {result.Delivered ? say.delivered : say.refused} <bdi>{result.Answer}</bdi>
          </span>
        )}
        {problem !== undefined && <span class="bad">{problem}</span>}
      </div>
    </section>
  );
}
