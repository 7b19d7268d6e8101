import { useState } from 'preact/hooks';
import type { Note } from '../../model/page-notes.ts';
import { Heading } from '../../parts/heading.tsx';
import { ReadState } from '../../parts/read-state.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { useRead } from '../../parts/use-read.ts';
import type { ScreenProps } from '../../screen-props.ts';
import { go } from '../../store/address.ts';
import { mayWrite } from '../../store/credential.ts';
import { discardUnsaved } from '../../store/drafts.ts';
import {
  changeStatusPage,
  createStatusPage,
  type OpenedPage,
  readStatusPage,
  removeStatusPage,
} from '../../store/status-pages.ts';
import { readTagNames } from '../../store/tags.ts';
import { type PageBody, PageForm } from './page-form.tsx';
import { PageNotes } from './page-notes.tsx';
import { PublicLink } from './public-link.tsx';
import { statusPageTexts as say } from './status-page-texts.ts';
import css from './status-pages.module.css';

const list = '/status-pages';

async function read(id: string) {
  const [opened, allTags] = await Promise.all([
    id === 'new' ? undefined : readStatusPage(id),
    readTagNames(),
  ]);
  return { opened, allTags };
}

/** An existing page. The notes come first, because they are written in a hurry. */
function PageEditor({ first, allTags }: { readonly first: OpenedPage; readonly allTags: readonly string[] }) {
  const [opened, setOpened] = useState(first);
  const { page } = opened;
  const change = async (body: Partial<PageBody> & { readonly Notes?: Note[] }) =>
    setOpened(await changeStatusPage(opened, body, say.form.conflict));
  return (
    <>
      <Heading>{say.changeTitle(page.Name)}</Heading>
      <p>
        <PublicLink page={page} />
      </p>
      <PageNotes pageId={page.page_id} notes={page.Notes} save={(notes) => change({ Notes: [...notes] })} />
      <section class="section" aria-labelledby="settings">
        <h2 id="settings">{say.form.settings}</h2>
        <PageForm
          page={page}
          allTags={allTags}
          save={async (body, onStored) => {
            await change(body);
            onStored();
          }}
        />
      </section>
      <div class="section">
        <RemoveButton
          words={say.form.remove}
          ask={say.form.removeAsk(page.Name)}
          remove={() => removeStatusPage(opened)}
          onRemoved={() => {
            discardUnsaved();
            go(list);
          }}
        />
      </div>
    </>
  );
}

/** Creates a status page, or changes one and its notes. */
export function StatusPageScreen({ id }: ScreenProps) {
  const found = useRead(() => read(id), [id]);
  const { data } = found;
  if (!mayWrite.value)
    return (
      <div class="page">
        <Heading>{say.title}</Heading>
        <p>{say.noRights}</p>
      </div>
    );
  return (
    <div class="page">
      <p class={css['crumb']}>
        <a class="link" href={list}>
          {say.title}
        </a>
      </p>
      <ReadState read={found} title={say.title} />
      {data?.opened !== undefined && <PageEditor first={data.opened} allTags={data.allTags} />}
      {data !== undefined && data.opened === undefined && (
        <>
          <Heading>{say.addTitle}</Heading>
          <PageForm
            page={undefined}
            allTags={data.allTags}
            save={async (body, onStored) => {
              const id = await createStatusPage(body);
              onStored();
              go(`${list}/${id}`);
            }}
          />
        </>
      )}
    </div>
  );
}
