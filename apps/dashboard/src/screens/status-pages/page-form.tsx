import { useState } from 'preact/hooks';
import { pathOfName } from '../../model/page-path.ts';
import { readScope, scopeParts } from '../../model/rights.ts';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { rows } from '../../store/account-state.ts';
import { createDrafts } from '../../store/drafts.ts';
import type { StatusPage } from '../../store/status-pages.ts';
import { formTexts } from '../../texts/form-texts.ts';
import {
  type BrandingDraft,
  BrandingFields,
  brandingBody,
  brandingOf,
  brandingShown,
} from './branding-fields.tsx';
import { statusPageTexts } from './status-page-texts.ts';
import css from './status-pages.module.css';

const say = statusPageTexts.form;
const parts = ['URL', 'CheckResult', 'Location'] as const;
const accesses = ['Public', 'Password', 'SignedIn'] as const;
const shown = ['Name', 'Path', 'Tags', 'Password', ...brandingShown];

interface PageDraft extends BrandingDraft {
  readonly name: string;
  readonly path: string;
  readonly tags: string;
  readonly access: StatusPage['Access'];
  readonly password: string;
  readonly show: StatusPage['Show'];
}

function draftOf(page: StatusPage | undefined, allTags: readonly string[]): PageDraft {
  const names = page?.Tags?.map(({ Name }) => Name) ?? [];
  return {
    name: page?.Name ?? '',
    path: page?.Path ?? '',
    tags: scopeParts(names, allTags).join(', '),
    access: page?.Access ?? 'Public',
    password: '',
    show: page?.Show ?? { URL: false, CheckResult: false, Location: false },
    ...brandingOf(page),
  };
}

/** The body of the draft. Unchanged tags are not sent: a page whose tags were deleted must not show all devices. */
function bodyOf(draft: PageDraft, before: PageDraft, allTags: readonly string[]) {
  const { name, path, access, password, show } = draft;
  const { tags } = readScope(draft.tags, allTags);
  return {
    Name: name.trim(),
    Path: path.trim(),
    Access: access,
    Show: show,
    ...(draft.tags === before.tags ? {} : { Tags: tags && [...tags] }),
    ...(access === 'Password' && password !== '' ? { Password: password } : {}),
    ...brandingBody(draft, before),
  };
}
export type PageBody = ReturnType<typeof bodyOf>;

/** The number of devices with one of these tags; null: all devices. */
function countDevices(tags: readonly string[] | null): number {
  if (tags === null) return rows.value.length;
  const shownTags = new Set(tags);
  return rows.value.filter((row) => row.tags.some((tag) => shownTags.has(tag))).length;
}

interface PageFieldsProps {
  readonly draft: PageDraft;
  readonly set: (change: Partial<PageDraft>) => void;
  readonly problemOf: (field: string) => string | undefined;
}

function NameAndPath({ draft, set, problemOf, isNew }: PageFieldsProps & { readonly isNew: boolean }) {
  const rename = (name: string) => {
    const follows = isNew && draft.path === pathOfName(draft.name);
    set(follows ? { name, path: pathOfName(name) } : { name });
  };
  return (
    <>
      <LineField
        name={say.name}
        value={draft.name}
        problem={problemOf('Name')}
        hint={say.nameHint}
        isFirst={isNew}
        onInput={rename}
      />
      <LineField
        name={say.path}
        value={draft.path}
        problem={problemOf('Path')}
        hint={say.pathHint(`${location.origin}/status/${draft.path}`)}
        onInput={(path) => set({ path })}
      />
    </>
  );
}

function AccessFields({
  draft,
  set,
  problemOf,
  hasPassword,
}: PageFieldsProps & { readonly hasPassword: boolean }) {
  return (
    <>
      <SelectField
        name={say.access}
        problem={problemOf('Access')}
        value={draft.access}
        choices={accesses.map((access) => [access, statusPageTexts.access[access].choice] as const)}
        onChoose={(chosen) => set({ access: accesses.find((access) => access === chosen) ?? 'SignedIn' })}
      />
      {draft.access === 'Password' && (
        <LineField
          name={say.password}
          password="new-password"
          value={draft.password}
          problem={problemOf('Password')}
          hint={hasPassword ? say.passwordKept : say.passwordHint}
          onInput={(password) => set({ password })}
        />
      )}
    </>
  );
}

function ShownFacts({ draft, set }: PageFieldsProps) {
  return (
    <fieldset class={css['shows']}>
      <legend class="label">{say.shows}</legend>
      {parts.map((part) => (
        <label key={part}>
          <input
            type="checkbox"
            checked={draft.show[part]}
            onChange={() => set({ show: { ...draft.show, [part]: !draft.show[part] } })}
          />{' '}
          {say.show[part]}
        </label>
      ))}
      <p class="hint">{say.showHint}</p>
    </fieldset>
  );
}

const drafts = createDrafts<PageDraft>();

/** The settings of a new or an existing status page. */
export function PageForm({
  page,
  allTags,
  save,
}: {
  readonly page: StatusPage | undefined;
  readonly allTags: readonly string[];
  /** Stores the body, then calls `onStored` before another screen is shown. */
  readonly save: (body: PageBody, onStored: () => void) => Promise<void>;
}) {
  const [before, setBefore] = useState(() => draftOf(page, allTags));
  const form = useDraft(drafts, page?.page_id ?? 'new', before);
  const { draft } = form;
  const [isSaved, setSaved] = useState(false);
  const sending = useSending();
  const set = (change: Partial<PageDraft>) => {
    setSaved(false);
    form.set(change);
  };
  const written = readScope(draft.tags, allTags);
  const unknown = written.unknown.length > 0;
  const tags = draft.tags === before.tags ? (page?.Tags?.map(({ Name }) => Name) ?? null) : written.tags;
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const saved = { ...draft, password: '' };
      await save(bodyOf(draft, before, allTags), () => form.saved(saved));
      setBefore(saved);
      setSaved(true);
    });
  const props = { draft, set, problemOf: sending.problemOf };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <div class={css['pair']}>
        <NameAndPath {...props} isNew={page === undefined} />
        <AccessFields {...props} hasPassword={page?.Access === 'Password'} />
      </div>
      <LineField
        name={say.tags}
        value={draft.tags}
        problem={unknown ? formTexts.unknownTags(written.unknown) : sending.problemOf('Tags')}
        hint={`${say.tagsHint} ${say.counted(countDevices(tags))}`}
        onInput={(text) => set({ tags: text })}
      />
      <ShownFacts {...props} />
      <BrandingFields {...props} />
      <FormRefusal words={sending.words(shown)} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || unknown}>
          {page === undefined ? say.create : say.save}
        </SubmitButton>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}
