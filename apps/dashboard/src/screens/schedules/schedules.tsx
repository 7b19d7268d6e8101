import { Heading } from '../../parts/heading.tsx';
import { PlanTabs } from '../../parts/plan-tabs.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, take } from '../../store/api.ts';
import { mayWrite } from '../../store/credential.ts';
import {
  maxCounted,
  readContacts,
  readInheriting,
  readNschedules,
  readScheduleUsers,
} from '../../store/notification-schedules.ts';
import { stepTexts, stepWords } from '../../texts/step-words.ts';
import { scheduleTexts } from './schedule-texts.ts';
import css from './schedules.module.css';

const say = scheduleTexts;

async function read() {
  const [schedules, contacts, { nschedule_id: ofAccount }] = await Promise.all([
    readNschedules(),
    readContacts(),
    take(api.GET('/account')),
  ]);
  const ids = schedules.slice(0, maxCounted).map(({ nschedule_id }) => nschedule_id);
  const [users, inheriting] = await Promise.all([
    readScheduleUsers(ids),
    ofAccount === null ? 0 : readInheriting(),
  ]);
  return { schedules, contacts, users, ofAccount, inheriting };
}

type SchedulesData = Awaited<ReturnType<typeof read>>;

function usedText({ users, ofAccount, inheriting }: SchedulesData, id: string): string {
  const found = users.get(id);
  const parts = [
    ofAccount === id ? say.ofAccountShort(inheriting) : '',
    found !== undefined && found.devices > 0 ? say.devices(found.devices) : '',
    found !== undefined && found.locations.length > 0 ? say.locations(found.locations) : '',
  ].filter((part) => part !== '');
  if (parts.length > 0) return parts.join(', ');
  return found === undefined ? '–' : say.unused;
}

function ScheduleList({ data }: { readonly data: SchedulesData }) {
  const { schedules, contacts } = data;
  const names = new Map(contacts.map(({ contact_id, Name }) => [contact_id, Name]));
  const nameOf = (id: string) => names.get(id) ?? stepTexts.gone;
  return (
    <ul class={css['list']}>
      {schedules.map(({ nschedule_id: id, Name, Timezone, Steps }) => (
        <li key={id} class="tapRow">
          <div class={css['listHead']}>
            <a class={css['name']} href={`/schedules/${id}`}>
              <bdi>{Name}</bdi>
            </a>
            <span class="mute">{Timezone}</span>
            <span class={`mute ${css['usedText']}`}>
              {say.columns.used} {usedText(data, id)}
            </span>
          </div>
          <ol class={css['listSteps']}>
            {Steps.length === 0 && <li>{say.noSteps}</li>}
            {Steps.map((step, at) => (
              <li key={at}>
                <bdi>{stepWords(step, nameOf)}</bdi>
              </li>
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}

function NoSchedules() {
  return (
    <div class={css['empty']}>
      <p>{say.empty}</p>
      {mayWrite.value && (
        <>
          <p class="mute">{say.emptyHint}</p>
          <p class="buttons">
            <a class="button main" href="/schedules/contacts/new">
              {say.addContact}
            </a>
            <a class="button" href="/schedules/new">
              {say.add}
            </a>
          </p>
        </>
      )}
    </div>
  );
}

/** All notification schedules, each with its steps in words and what uses it. */
export function SchedulesScreen() {
  const all = useRead(read, []);
  const { data } = all;
  return (
    <div class="page">
      <PlanTabs />
      <div class={css['head']}>
        <div>
          <Heading>{say.title}</Heading>
          <p class="mute">{say.say}</p>
        </div>
        {mayWrite.value && data !== undefined && data.schedules.length > 0 && (
          <a class="button main" href="/schedules/new">
            {say.add}
          </a>
        )}
      </div>
      <ReadState read={all} />
      {data !== undefined && (data.schedules.length === 0 ? <NoSchedules /> : <ScheduleList data={data} />)}
    </div>
  );
}
