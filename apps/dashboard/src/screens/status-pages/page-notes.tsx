import { useState } from 'preact/hooks';
import {
  type Note,
  type NoteKind,
  nextKind,
  noteKinds,
  openIncident,
  withNote,
} from '../../model/page-notes.ts';
import { FormRefusal, SubmitButton } from '../../parts/form-end.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import { Moment } from '../../parts/time.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { useSending } from '../../parts/use-sending.ts';
import { serverNow } from '../../store/clock.ts';
import { createDrafts } from '../../store/drafts.ts';
import { statusPageTexts } from './status-page-texts.ts';
import css from './status-pages.module.css';

const say = statusPageTexts.notes;

/** Stores all notes of a page. */
type SaveNotes = (notes: readonly Note[]) => Promise<void>;

interface NotesProps {
  readonly pageId: string;
  readonly notes: readonly Note[];
  readonly save: SaveNotes;
}

const drafts = createDrafts<{ readonly kind: NoteKind; readonly text: string }>();

/** A note as readers of the page see it. */
function NotePreview({ kind, text }: { readonly kind: NoteKind; readonly text: string }) {
  return (
    <section class={css['preview']} aria-label={say.preview}>
      <p class="label">{say.preview}</p>
      <h3>{kind}</h3>
      <p class={css['text']}>{text.trim() === '' ? <span class="mute">{say.previewEmpty}</span> : text}</p>
    </section>
  );
}

/** The form of a new note. It starts with the next stage of the incident and a text for it. */
function NoteForm({ pageId, notes, save }: NotesProps) {
  const startOf = (kind: NoteKind) => ({ kind, text: say.template[kind] });
  const form = useDraft(drafts, pageId, startOf(nextKind(notes)));
  const { draft, set } = form;
  const [isPublished, setPublished] = useState(false);
  const sending = useSending();
  const choose = (chosen: string) => {
    const kind = noteKinds.find((name) => name === chosen) ?? 'Information';
    // A text that a person wrote stays.
    const isTemplate = draft.text.trim() === '' || draft.text === say.template[draft.kind];
    set(isTemplate ? startOf(kind) : { kind });
    setPublished(false);
  };
  const submit = (event: Event) =>
    sending.send(event, async () => {
      const note = { At: new Date(serverNow()).toISOString(), Kind: draft.kind, Text: draft.text.trim() };
      const next = withNote(notes, note);
      await save(next);
      form.saved(startOf(nextKind(next)));
      setPublished(true);
    });
  return (
    <form class={css['form']} onSubmit={(event) => void submit(event)} noValidate>
      <KeptNotice form={form} />
      <SelectField
        name={say.kind}
        problem={sending.problemOf('Kind')}
        value={draft.kind}
        choices={noteKinds.map((kind) => [kind, say.kinds[kind]] as const)}
        onChoose={choose}
      />
      <FormField name={say.text} problem={sending.problemOf('Text')} hint={say.hint}>
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
      </FormField>
      <NotePreview kind={draft.kind} text={draft.text} />
      <FormRefusal words={sending.words([])} />
      <div class="buttons">
        <SubmitButton isOff={sending.isBusy || draft.text.trim() === ''}>{say.publish}</SubmitButton>
        <span role="status">{isPublished ? say.published : ''}</span>
      </div>
    </form>
  );
}

function NoteHistory({ notes, save }: { readonly notes: readonly Note[]; readonly save: SaveNotes }) {
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
            remove={() => save(notes.filter((other) => other !== note))}
            onRemoved={() => {}}
          />
        </li>
      ))}
    </ul>
  );
}

/** Whether an incident is open, the form of the next note, and all notes so far. */
export function PageNotes({ pageId, notes, save }: NotesProps) {
  const isOpen = openIncident(notes) !== undefined;
  return (
    <section class="section" aria-labelledby="notes">
      <h2 id="notes">{say.title}</h2>
      <p class={isOpen ? 'bad' : 'mute'}>{isOpen ? say.openNow : say.quiet}</p>
      <NoteForm pageId={pageId} notes={notes} save={save} />
      <h2 class={css['history']}>{say.history}</h2>
      <NoteHistory notes={notes} save={save} />
    </section>
  );
}
