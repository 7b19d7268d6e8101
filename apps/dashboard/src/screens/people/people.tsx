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
import { peopleTexts as say } from '../../texts/people.ts';
import { KeyDialog } from './key-dialog.tsx';
import css from './people.module.css';
import { PersonDialog } from './person-dialog.tsx';
import { namesOf, rightsWords } from './rights.ts';
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

type Known = Awaited<ReturnType<typeof read>>;
/** The thing whose dialog is open. */
type Opened =
  | { readonly kind: 'person'; readonly person: Schemas['User'] | undefined }
  | { readonly kind: 'key'; readonly apiKey: Schemas['Key'] | undefined };

const ageOf = (at: string) => briefly((now.value - Date.parse(at)) / 1_000);
const auditOf = (actor: string) => `/audit?actor=${encodeURIComponent(actor)}`;

/** One key or person: who, what they may do, when they were here, what can be done. */
function Row({
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

function People({ known, open }: { readonly known: Known; readonly open: (opened: Opened) => void }) {
  if (known.people.length === 0) return <p class="mute">{say.noPeople}</p>;
  return (
    <ul class={css['rows']}>
      {known.people.map((person) => (
        <Row
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

function Keys({ known, open }: { readonly known: Known; readonly open: (opened: Opened) => void }) {
  if (known.keys.length === 0) return <p class="mute">{say.noKeys}</p>;
  return (
    <ul class={css['rows']}>
      {known.keys.map((apiKey) => {
        const { Name, CreatedAt, CreatedBy, Expires, LastUsed, LastAddress, Level, Tags } = apiKey;
        const made = CreatedAt.slice(0, 10);
        const end = Expires?.slice(0, 10) ?? '';
        const isOver = Expires !== null && Date.parse(Expires) < now.value;
        return (
          <Row
            key={apiKey.key_id}
            name={Name === '' ? say.nameless : Name}
            more={CreatedBy === null ? say.made(made) : say.madeBy(CreatedBy, made)}
            rights={rightsWords(Level, namesOf(Tags), known.allTags)}
            when={
              <>
                <p>
                  {LastUsed === null ? say.neverUsed : say.used(ageOf(LastUsed))}
                  {LastAddress !== null && <span class="mute"> {say.usedFrom(LastAddress)}</span>}
                </p>
                <p class={isOver ? 'bad' : 'mute'}>
                  {Expires === null ? say.never : isOver ? say.expired(end) : say.expires(end)}
                </p>
              </>
            }
            // The audit names a key without a name by its id.
            audit={{ words: say.did, actor: Name === '' ? apiKey.key_id : Name }}
            onChange={() => open({ kind: 'key', apiKey })}
          />
        );
      })}
    </ul>
  );
}

/** Who may do what: people and keys, for those who administer. */
export function PeopleScreen() {
  const all = useRead(read, [mayAdminister.value], [today.value]);
  const { data } = all;
  const [opened, setOpened] = useState<Opened>();
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
            <People known={data} open={setOpened} />
          </section>
          <section class="section" aria-labelledby="keys">
            <div class={css['head']}>
              <h2 id="keys">{say.keys}</h2>
              <button
                type="button"
                class="button"
                onClick={() => setOpened({ kind: 'key', apiKey: undefined })}
              >
                {say.makeKey}
              </button>
            </div>
            <Keys known={data} open={setOpened} />
          </section>
          {data.ways !== undefined && <SignInWays ways={data.ways} allTags={data.allTags} />}
        </>
      )}
      {opened?.kind === 'person' && <PersonDialog person={opened.person} {...shared} />}
      {opened?.kind === 'key' && <KeyDialog apiKey={opened.apiKey} {...shared} />}
    </div>
  );
}
