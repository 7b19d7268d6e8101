import { useState } from 'preact/hooks';
import {
  type Note,
  type NoteKind,
  nextKind,
  noteKinds,
  openIncident,
  withNote,
} from '../../model/page-notes.ts';
import { Field, Select } from '../../parts/field.tsx';
import { Refusal, Submit } from '../../parts/form-end.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Moment } from '../../parts/time.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { serverNow } from '../../store/clock.ts';
import { createDrafts } from '../../store/drafts.ts';
import { statusPageTexts } from '../../texts/status-pages.ts';
import css from './status-pages.module.css';

const say = statusPageTexts.notes;

/** Writes the notes of a page as a whole. */
type SaveNotes = (notes: readonly Note[]) => Promise<void>;

interface NotesProps {
  readonly pageId: string;
  readonly notes: readonly Note[];
  readonly save: SaveNotes;
}

const drafts = createDrafts<{ readonly kind: NoteKind; readonly text: string }>();

/** A note as readers of the page see it. */
function Shown({ kind, text }: { readonly kind: NoteKind; readonly text: string }) {
  return (
    <section class={css['preview']} aria-label={say.preview}>
      <p class="label">{say.preview}</p>
      <h3>{kind}</h3>
      <p class={css['text']}>{text.trim() === '' ? <span class="mute">{say.previewEmpty}</span> : text}</p>
    </section>
  );
}

/** Writing a note: the stage that comes next is chosen, with words to begin with. */
function Write({ pageId, notes, save }: NotesProps) {
  const begin = (kind: NoteKind) => ({ kind, text: say.template[kind] });
  const form = useDraft(drafts, pageId, begin(nextKind(notes)));
  const { draft, set } = form;
  const [isPublished, setPublished] = useState(false);
  const sending = useSending();
  const choose = (chosen: string) => {
    const kind = noteKinds.find((each) => each === chosen) ?? 'Information';
    // The text that somebody wrote stays.
    const isTemplate = draft.text.trim() === '' || draft.text === say.template[draft.kind];
    set(isTemplate ? begin(kind) : { kind });
    setPublished(false);
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const note = { At: new Date(serverNow()).toISOString(), Kind: draft.kind, Text: draft.text.trim() };
      const next = withNote(notes, note);
      await save(next);
      form.saved(begin(nextKind(next)));
      setPublished(true);
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <Select
        name={say.kind}
        problem={sending.of('Kind')}
        value={draft.kind}
        choices={noteKinds.map((kind) => [kind, say.kinds[kind]] as const)}
        onChoose={choose}
      />
      <Field name={say.text} problem={sending.of('Text')} hint={say.hint}>
        {(id, hintId) => (
          <textarea
            id={id}
            rows={4}
            maxLength={4_000}
            class={css['area']}
            value={draft.text}
            aria-describedby={hintId}
            onInput={({ currentTarget }) => {
              set({ text: currentTarget.value });
              setPublished(false);
            }}
          />
        )}
      </Field>
      <Shown kind={draft.kind} text={draft.text} />
      <Refusal words={sending.words([])} />
      <div class="buttons">
        <Submit isOff={sending.isBusy || draft.text.trim() === ''}>{say.publish}</Submit>
        <span role="status">{isPublished ? say.published : ''}</span>
      </div>
    </form>
  );
}

function History({ notes, save }: { readonly notes: readonly Note[]; readonly save: SaveNotes }) {
  if (notes.length === 0) return <p class="mute">{say.none}</p>;
  return (
    <ul class={css['rows']}>
      {notes.map((note, at) => (
        <li key={`${note.At}${note.Kind}${at}`} class={css['note']}>
          <div>
            <h3>
              {note.Kind}{' '}
              <span class="mute">
                · <Moment at={note.At} />
              </span>
            </h3>
            <p class={css['text']}>{note.Text}</p>
          </div>
          <RemoveButton
            words={say.remove}
            ask={say.removeAsk(note.Kind)}
            remove={() => save(notes.filter((each) => each !== note))}
            onRemoved={() => {}}
          />
        </li>
      ))}
    </ul>
  );
}

/** The incident that is open, writing the next note, and all notes so far. */
export function PageNotes({ pageId, notes, save }: NotesProps) {
  const isOpen = openIncident(notes) !== undefined;
  return (
    <section class="section" aria-labelledby="notes">
      <h2 id="notes">{say.title}</h2>
      <p class={isOpen ? 'bad' : 'mute'}>{isOpen ? say.openNow : say.quiet}</p>
      <Write pageId={pageId} notes={notes} save={save} />
      <h2 class={css['history']}>{say.history}</h2>
      <History notes={notes} save={save} />
    </section>
  );
}
