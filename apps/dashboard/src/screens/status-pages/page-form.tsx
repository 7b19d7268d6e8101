import { useState } from 'preact/hooks';
import { pathOfName } from '../../model/page-notes.ts';
import { readScope, scopeParts } from '../../model/rights.ts';
import { Field, Select } from '../../parts/field.tsx';
import { Refusal, Submit } from '../../parts/form-end.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { rows } from '../../store/account-state.ts';
import { createDrafts } from '../../store/drafts.ts';
import type { StatusPage } from '../../store/status-pages.ts';
import { peopleTexts } from '../../texts/people.ts';
import { statusPageTexts } from '../../texts/status-pages.ts';
import {
  type BrandingDraft,
  BrandingFields,
  brandingBody,
  brandingOf,
  brandingShown,
} from './branding-fields.tsx';
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

/** The body of the draft. Tags that nobody touched are not sent: a page whose tags were deleted must not show all. */
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

/** How many devices have one of these tags; null: all. */
function countDevices(tags: readonly string[] | null): number {
  if (tags === null) return rows.value.length;
  const wanted = new Set(tags);
  return rows.value.filter((row) => row.tags.some((tag) => wanted.has(tag))).length;
}

interface PartProps {
  readonly draft: PageDraft;
  readonly set: (change: Partial<PageDraft>) => void;
  readonly of: (field: string) => string | undefined;
}

function NameAndPath({ draft, set, of, isNew }: PartProps & { readonly isNew: boolean }) {
  const rename = (name: string) => {
    const follows = isNew && draft.path === pathOfName(draft.name);
    set(follows ? { name, path: pathOfName(name) } : { name });
  };
  return (
    <>
      <TextField
        name={say.name}
        value={draft.name}
        problem={of('Name')}
        hint={say.nameHint}
        isFirst={isNew}
        onInput={rename}
      />
      <TextField
        name={say.path}
        value={draft.path}
        problem={of('Path')}
        hint={say.pathHint(`${location.origin}/status/${draft.path}`)}
        onInput={(path) => set({ path })}
      />
    </>
  );
}

function Access({ draft, set, of, hasPassword }: PartProps & { readonly hasPassword: boolean }) {
  return (
    <>
      <Select
        name={say.access}
        problem={of('Access')}
        value={draft.access}
        choices={accesses.map((each) => [each, statusPageTexts.access[each].choice] as const)}
        onChoose={(chosen) => set({ access: accesses.find((each) => each === chosen) ?? 'SignedIn' })}
      />
      {draft.access === 'Password' && (
        <Field
          name={say.password}
          problem={of('Password')}
          hint={hasPassword ? say.passwordKept : say.passwordHint}
        >
          {(id, hintId) => (
            <input
              id={id}
              type="password"
              autocomplete="new-password"
              value={draft.password}
              aria-describedby={hintId}
              onInput={({ currentTarget }) => set({ password: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

function Shows({ draft, set }: PartProps) {
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

/** The settings of a status page: of a new one, or of one that is changed. */
export function PageForm({
  page,
  allTags,
  save,
}: {
  readonly page: StatusPage | undefined;
  readonly allTags: readonly string[];
  /** Calls back when the body is stored, before another screen is shown. */
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
  const props = { draft, set, of: sending.of };
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <div class={css['pair']}>
        <NameAndPath {...props} isNew={page === undefined} />
        <Access {...props} hasPassword={page?.Access === 'Password'} />
      </div>
      <TextField
        name={say.tags}
        value={draft.tags}
        problem={unknown ? peopleTexts.form.unknownTags(written.unknown) : sending.of('Tags')}
        hint={`${say.tagsHint} ${say.counted(countDevices(tags))}`}
        onInput={(text) => set({ tags: text })}
      />
      <Shows {...props} />
      <BrandingFields {...props} />
      <Refusal words={sending.words(shown)} />
      <div class="buttons">
        <Submit isOff={sending.isBusy || unknown}>{page === undefined ? say.create : say.save}</Submit>
        <span role="status">{isSaved ? say.saved : ''}</span>
      </div>
    </form>
  );
}
