import type { Schemas } from '@vantage/client';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { briefly } from '../../model/format.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { api, ifMay, take } from '../../store/api.ts';
import { now, today } from '../../store/clock.ts';
import { mayAdminister } from '../../store/credential.ts';
import { readTagNames } from '../../store/tags.ts';
import { KeyDialog } from './key-dialog.tsx';
import css from './people.module.css';
import { peopleTexts as say } from './people-texts.ts';
import { PersonDialog } from './person-dialog.tsx';
import { namesOf, rightsWords } from './rights-words.ts';
import { SignInWays } from './sign-in-ways.tsx';

async function read() {
  const [people, keys, allTags, ways] = await Promise.all([
    take(api.GET('/users')),
    take(api.GET('/keys')),
    readTagNames(),
    ifMay(take(api.GET('/sign-in'))),
  ]);
  return { people, keys, allTags, ways };
}

type PeopleData = Awaited<ReturnType<typeof read>>;
/** The key or person in the open dialog. */
type OpenedDialog =
  | { readonly kind: 'person'; readonly person: Schemas['User'] | undefined }
  | { readonly kind: 'key'; readonly apiKey: Schemas['Key'] | undefined };

const ageOf = (at: string) => briefly((now.value - Date.parse(at)) / 1_000);
const auditOf = (actor: string) => `/audit?actor=${encodeURIComponent(actor)}`;

/** A key or person: name, rights, last use and actions. */
function RightsRow({
  name,
  more,
  rights,
  when,
  audit,
  onChange,
}: {
  readonly name: string;
  readonly more: ComponentChildren;
  readonly rights: string;
  readonly when: ComponentChildren;
  readonly audit: { readonly words: string; readonly actor: string };
  readonly onChange: () => void;
}) {
  return (
    <li class={css['row']}>
      <div class={css['who']}>
        <b class={css['name']}>
          <bdi>{name}</bdi>
        </b>
        <p class="mute">{more}</p>
      </div>
      <p class={css['rights']}>{rights}</p>
      <div class={css['when']}>{when}</div>
      <div class={`buttons ${css['acts']}`}>
        <a class="link" href={auditOf(audit.actor)} aria-label={`${audit.words}: ${name}`}>
          {audit.words}
        </a>
        <button type="button" class="button" aria-label={say.changeOf(name)} onClick={onChange}>
          {say.change}
        </button>
      </div>
    </li>
  );
}

function PersonList({
  known,
  open,
}: {
  readonly known: PeopleData;
  readonly open: (opened: OpenedDialog) => void;
}) {
  if (known.people.length === 0) return <p class="mute">{say.noPeople}</p>;
  return (
    <ul class={css['rows']}>
      {known.people.map((person) => (
        <RightsRow
          key={person.user_id}
          name={person.Name}
          more={<bdi>{person.Email}</bdi>}
          rights={rightsWords(person.Level, namesOf(person.Tags), known.allTags)}
          when={
            <>
              {person.LastSeen !== null && <p>{say.seen(ageOf(person.LastSeen))}</p>}
              {person.LastSeen === null && person.SignIn !== 'Invited' && <p>{say.neverSeen}</p>}
              <p class="mute">{say.signIn[person.SignIn]}</p>
            </>
          }
          audit={{ words: say.theyDid, actor: person.Name }}
          onChange={() => open({ kind: 'person', person })}
        />
      ))}
    </ul>
  );
}

function ApiKeyList({
  known,
  open,
}: {
  readonly known: PeopleData;
  readonly open: (opened: OpenedDialog) => void;
}) {
  if (known.keys.length === 0) return <p class="mute">{say.noKeys}</p>;
  return (
    <ul class={css['rows']}>
      {known.keys.map((apiKey) => {
        const { Name, CreatedAt, CreatedBy, Expires, LastUsed, LastAddress, Level, Tags } = apiKey;
        const created = CreatedAt.slice(0, 10);
        const end = Expires?.slice(0, 10) ?? '';
        const hasEnded = Expires !== null && Date.parse(Expires) < now.value;
        return (
          <RightsRow
            key={apiKey.key_id}
            name={Name === '' ? say.nameless : Name}
            more={CreatedBy === null ? say.created(created) : say.createdBy(CreatedBy, created)}
            rights={rightsWords(Level, namesOf(Tags), known.allTags)}
            when={
              <>
                <p>{LastUsed === null ? say.neverUsed : say.used(ageOf(LastUsed), LastAddress)}</p>
                <p class={hasEnded ? 'bad' : 'mute'}>
                  {Expires === null ? say.never : hasEnded ? say.expired(end) : say.expires(end)}
                </p>
              </>
            }
            // In the audit, a key without a name has its id as name.
            audit={{ words: say.did, actor: Name === '' ? apiKey.key_id : Name }}
            onChange={() => open({ kind: 'key', apiKey })}
          />
        );
      })}
    </ul>
  );
}

/** Keys and people with their rights, for administrators. */
export function PeopleScreen() {
  const all = useRead(read, [mayAdminister.value], [today.value]);
  const { data } = all;
  const [opened, setOpened] = useState<OpenedDialog>();
  if (!mayAdminister.value)
    return (
      <div class="page">
        <Heading>{say.name}</Heading>
        <p>{say.noRights}</p>
      </div>
    );
  const shared = { allTags: data?.allTags ?? [], onChanged: all.again, onClose: () => setOpened(undefined) };
  return (
    <div class="page">
      <Heading>{data === undefined ? say.name : say.title(data.people.length, data.keys.length)}</Heading>
      <ReadState read={all} />
      {data !== undefined && (
        <>
          <section class="section" aria-labelledby="people">
            <div class={css['head']}>
              <h2 id="people">{say.people}</h2>
              <button
                type="button"
                class="button main"
                onClick={() => setOpened({ kind: 'person', person: undefined })}
              >
                {say.invite}
              </button>
            </div>
            <PersonList known={data} open={setOpened} />
          </section>
          <section class="section" aria-labelledby="keys">
            <div class={css['head']}>
              <h2 id="keys">{say.keys}</h2>
              <button
                type="button"
                class="button"
                onClick={() => setOpened({ kind: 'key', apiKey: undefined })}
              >
                {say.createKey}
              </button>
            </div>
            <ApiKeyList known={data} open={setOpened} />
          </section>
          {data.ways !== undefined && <SignInWays ways={data.ways} allTags={data.allTags} />}
        </>
      )}
      {opened?.kind === 'person' && <PersonDialog person={opened.person} {...shared} />}
      {opened?.kind === 'key' && <KeyDialog apiKey={opened.apiKey} {...shared} />}
    </div>
  );
}
