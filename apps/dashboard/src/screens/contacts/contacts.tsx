import { Heading } from '../../parts/heading.tsx';
import { PlanTabs } from '../../parts/plan-tabs.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { mayWrite } from '../../store/credential.ts';
import { readContacts, readNschedules, schedulesByContact } from '../../store/notification-schedules.ts';
import { contactTexts } from './contact-texts.ts';
import css from './contacts.module.css';

const say = contactTexts;

async function read() {
  const [contacts, schedules] = await Promise.all([readContacts(), readNschedules()]);
  return { contacts, users: schedulesByContact(schedules) };
}

function ContactList({ data: { contacts, users } }: { readonly data: Awaited<ReturnType<typeof read>> }) {
  return (
    <ul class={css['list']}>
      {contacts.map(({ contact_id: id, Name, Type, Address, Shadow }) => (
        <li key={id} class="tapRow">
          <a class={css['name']} href={`/schedules/contacts/${id}`}>
            <bdi>{Name}</bdi>
          </a>
          <span class={css['address']}>
            <span class="tag">{Type}</span> <bdi>{Address}</bdi> {Shadow && <b>{say.shadow}</b>}
          </span>
          <span class={css['users']}>
            {say.columns.used}{' '}
            <bdi>
              {users
                .get(id)
                ?.map((schedule) => schedule.Name)
                .join(', ') ?? say.unused}
            </bdi>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** All contacts, each with its address and the schedules that name it. */
export function ContactsScreen() {
  const all = useRead(read, []);
  const { data } = all;
  const isEmpty = data !== undefined && data.contacts.length === 0;
  return (
    <div class="page">
      <PlanTabs />
      <div class={css['head']}>
        <div>
          <Heading>{say.title}</Heading>
          <p class="mute">{isEmpty ? say.empty : say.say}</p>
        </div>
        {mayWrite.value && data !== undefined && (
          <a class="button main" href="/schedules/contacts/new">
            {say.add}
          </a>
        )}
      </div>
      <ReadState read={all} />
      {data !== undefined && <ContactList data={data} />}
    </div>
  );
}
