import { useState } from 'preact/hooks';
import { FormRefusal } from '../../parts/form-end.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { go } from '../../store/address.ts';
import { ApiProblem, api, take } from '../../store/api.ts';
import { createDrafts } from '../../store/drafts.ts';
import { ifMatch, ifUnchanged } from '../../store/if-match.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import { type ContactDraft, contactBody, contactDraft, newContactDraft } from './contact-draft.ts';
import { ContactFields } from './contact-fields.tsx';
import { contactTexts as say } from './contact-texts.ts';
import css from './contacts.module.css';
import type { OpenedContact } from './opened-contact.ts';

/** Stores the draft. Resolves with the contact's id. */
async function save({ contact, etag, types }: OpenedContact, draft: ContactDraft): Promise<string> {
  const body = contactBody(
    draft,
    types.find(({ Type }) => Type === draft.type),
  );
  if (contact === undefined) {
    const created = await take(api.POST('/contacts', { body: { ...body, Type: draft.type } }));
    return created.contact_id;
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

/** Changes a contact, or creates one. */
export function ContactForm({
  opened,
  onSaved,
}: {
  readonly opened: OpenedContact;
  readonly onSaved: () => void;
}) {
  const { contact, types } = opened;
  const stored = contact === undefined ? newContactDraft() : contactDraft(contact);
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
            ? problem.fields.find((refusal) => refusal.field === field)?.message
            : undefined
        }
      />
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
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
