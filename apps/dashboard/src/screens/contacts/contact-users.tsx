import { FormRefusal } from '../../parts/form-end.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { mayWrite } from '../../store/credential.ts';
import { notifyOfAll } from '../../store/everybody-schedule.ts';
import { planTexts } from '../../texts/plan-texts.ts';
import { contactTexts as say } from './contact-texts.ts';
import type { OpenedContact } from './opened-contact.ts';

/** Adds a contact to the schedule "Everybody": the shortest way to its first message. */
function JoinEverybody({ id, onJoined }: { readonly id: string; readonly onJoined: () => void }) {
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
      <FormRefusal words={sending.words([])} />
    </>
  );
}

/** The schedules that name a contact. */
export function ContactUsers({
  opened,
  again,
}: {
  readonly opened: OpenedContact;
  readonly again: () => void;
}) {
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
        <JoinEverybody id={contact.contact_id} onJoined={again} />
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
