import { openIncident } from '../../model/page-notes.ts';
import { scopeParts } from '../../model/rights.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { useRead } from '../../parts/use-read.ts';
import { mayWrite } from '../../store/credential.ts';
import { readStatusPages, type StatusPage } from '../../store/status-pages.ts';
import { readTagNames } from '../../store/tags.ts';
import { PublicLink } from './public-link.tsx';
import { statusPageTexts as say } from './status-page-texts.ts';
import css from './status-pages.module.css';

async function read() {
  const [pages, allTags] = await Promise.all([readStatusPages(), readTagNames()]);
  return { pages, allTags };
}

function PageRow({ page, allTags }: { readonly page: StatusPage; readonly allTags: readonly string[] }) {
  const { page_id, Name, Address, Access, Tags, Notes } = page;
  const incident = openIncident(Notes)?.[0];
  const names = Tags?.map((tag) => tag.Name);
  return (
    <li class={css['row']}>
      <div class={css['cell']}>
        <b>
          <bdi>{Name}</bdi>
        </b>
        <p class="mute">{new URL(Address).pathname}</p>
      </div>
      <div class={css['cell']}>
        <p>
          {names === undefined
            ? say.allDevices
            : names.length === 0
              ? say.noDevices
              : say.devicesOf(scopeParts(names, allTags))}
        </p>
        <p class="mute">{say.access[Access].brief}</p>
        {incident !== undefined && <p class="bad">{say.incident(incident.Kind)}</p>}
      </div>
      <div class={`buttons ${css['acts']}`}>
        <PublicLink page={page} />
        {mayWrite.value && (
          <a class="button" href={`/status-pages/${page_id}`} aria-label={say.editOf(Name)}>
            {say.edit}
          </a>
        )}
      </div>
    </li>
  );
}

/** The status pages of the account. */
export function StatusPagesScreen() {
  const all = useRead(read, []);
  const { data } = all;
  const isEmpty = data?.pages.length === 0;
  return (
    <div class="page">
      <div class={css['head']}>
        <Heading>{data === undefined || isEmpty ? say.title : say.titleOf(data.pages.length)}</Heading>
        {mayWrite.value && (
          <a class="button main" href="/status-pages/new">
            {say.add}
          </a>
        )}
      </div>
      <p class="mute">{say.say}</p>
      <section class="section" aria-label={say.title}>
        <ReadState read={all} rows={3} />
        {isEmpty && (
          <>
            <p>{say.none}</p>
            {mayWrite.value && <p class="mute">{say.noneHint}</p>}
          </>
        )}
        {data !== undefined && !isEmpty && (
          <ul class={css['rows']}>
            {data.pages.map((page) => (
              <PageRow key={page.page_id} page={page} allTags={data.allTags} />
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
