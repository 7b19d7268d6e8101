import { useState } from 'preact/hooks';
import { Heading } from '../../parts/heading.tsx';
import { HistoryLink } from '../../parts/history-link.tsx';
import { PlanPage } from '../../parts/plan-page.tsx';
import type { ScreenProps } from '../../screen-props.ts';
import { mayWrite } from '../../store/credential.ts';
import { ContactForm } from './contact-form.tsx';
import { ContactTest } from './contact-test.tsx';
import { contactTexts } from './contact-texts.ts';
import { ContactUsers } from './contact-users.tsx';
import css from './contacts.module.css';
import { DeliveryList } from './deliveries.tsx';
import type { OpenedContact } from './opened-contact.ts';
import { readContact } from './opened-contact.ts';
import { RotateSecret } from './rotate-secret.tsx';

const say = contactTexts;

function ContactDetails({ opened, again }: { readonly opened: OpenedContact; readonly again: () => void }) {
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
          {contact.Shadow && <b>{say.shadow}</b>} <HistoryLink id={contact.contact_id} />
        </p>
      )}
      {contact !== undefined && mayWrite.value && (
        <ContactTest id={contact.contact_id} onDone={() => setRound(round + 1)} />
      )}
      <div class={contact === undefined ? '' : css['columns']}>
        <div>
          {mayWrite.value && <ContactForm opened={opened} onSaved={again} />}
          {contact !== undefined && mayWrite.value && rules?.Secret?.Signs === true && (
            <RotateSecret contact={contact} />
          )}
          {contact !== undefined && <ContactUsers opened={opened} again={again} />}
        </div>
        {contact !== undefined && <DeliveryList id={contact.contact_id} round={round} />}
      </div>
    </>
  );
}

/** A contact: its settings, a test, and the messages to it. */
export function ContactScreen({ id }: ScreenProps) {
  return (
    <PlanPage id={id} title={say.title} addTitle={say.add} read={readContact}>
      {(opened, again, key) => <ContactDetails key={key} opened={opened} again={again} />}
    </PlanPage>
  );
}
