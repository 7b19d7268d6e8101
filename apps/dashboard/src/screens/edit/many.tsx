import { useState } from 'preact/hooks';
import type { Operation } from '../../model/many.ts';
import { type PastedLine, parsePasted } from '../../model/paste-many.ts';
import { Heading } from '../../parts/heading.tsx';
import { wordsOf } from '../../parts/notice.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { doMany } from '../../store/act-many.ts';
import { go, listAddress } from '../../store/address.ts';
import { mayWrite } from '../../store/credential.ts';
import { createDrafts } from '../../store/drafts.ts';
import { createTags } from '../../store/tags.ts';
import { texts } from '../../texts/index.ts';
import css from './many.module.css';

const say = texts.many;
/** Rows of the preview. */
const shownLines = 200;

const operationOf = ({ guess, name, tags }: PastedLine): Operation => ({
  Method: 'POST',
  Path: '/devices',
  Body: { Method: guess.method, URL: guess.url, ShortName: guess.shortName, FullName: name, Tags: tags },
});

function Preview({ lines }: { readonly lines: readonly PastedLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section class={`scroll ${css['preview']}`} aria-label={say.preview} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.edit.method}</th>
            <th scope="col">URL</th>
            <th scope="col">{texts.edit.fullName}</th>
            <th scope="col">{texts.edit.tags}</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, shownLines).map(({ guess, name, tags, text }) => (
            <tr key={text}>
              <td>{guess.method}</td>
              <td>{guess.url}</td>
              <td>
                <bdi>{name}</bdi>
              </td>
              <td>{tags.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > shownLines && <p class="hint">{texts.overview.more(lines.length - shownLines)}</p>}
    </section>
  );
}

/** The lines that the API refused; they stay in the field. */
interface Refused {
  readonly added: number;
  readonly lines: readonly { readonly text: string; readonly reason: string }[];
}

function Refusals({ refused: { added, lines } }: { readonly refused: Refused }) {
  return (
    <div role="alert">
      <p>{say.refused(added, lines.length)}</p>
      <ul>
        {lines.slice(0, 20).map(({ text, reason }) => (
          <li key={text} class="hint bad">
            <bdi>{text}</bdi>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Adds the device of each line. Returns what the API refused. */
async function addAll(lines: readonly PastedLine[], onStep: (tried: number) => void): Promise<Refused> {
  await createTags([...new Set(lines.flatMap(({ tags }) => tags))]);
  const { done, refusals } = await doMany(lines.map(operationOf), [], onStep);
  return {
    added: done.length,
    lines: refusals.map(({ at, reason }) => ({ text: lines[at]?.text ?? '', reason })),
  };
}

const drafts = createDrafts<{ readonly text: string }>();

/** The field, the preview and the button with the number in it. */
function Form() {
  const form = useDraft(drafts, 'many', { text: '' });
  const { text } = form.draft;
  const [tried, setTried] = useState<number>();
  const [refused, setRefused] = useState<Refused>();
  const [problem, setProblem] = useState<unknown>();
  const { lines, repeated } = parsePasted(text);
  const add = async () => {
    setTried(0);
    setProblem(undefined);
    try {
      const left = await addAll(lines, setTried);
      setRefused(left);
      if (left.lines.length === 0) {
        form.saved({ text: '' });
        go('/devices?q=sort:since');
      } else form.set({ text: left.lines.map((line) => line.text).join('\n') });
    } catch (error) {
      setProblem(error);
    }
    setTried(undefined);
  };
  return (
    <>
      <KeptNotice form={form} />
      <label>
        <span class="label">{say.field}</span>
        <textarea
          class={css['field']}
          value={text}
          rows={8}
          spellcheck={false}
          placeholder={say.example}
          onInput={({ currentTarget }) => form.set({ text: currentTarget.value })}
        />
      </label>
      <p class="hint">{say.hint}</p>
      {refused !== undefined && refused.lines.length > 0 && <Refusals refused={refused} />}
      {problem !== undefined && (
        <p class="hint bad" role="alert">
          {wordsOf(problem)}
        </p>
      )}
      <div class={`buttons ${css['acts']}`}>
        <button
          type="button"
          class="button main"
          disabled={lines.length === 0 || tried !== undefined}
          onClick={() => void add()}
        >
          {tried === undefined ? say.add(lines.length) : texts.devices.changing(tried, lines.length)}
        </button>
        <a class="button" href={listAddress.value}>
          {texts.edit.cancel}
        </a>
        {repeated > 0 && <span class="hint">{say.repeated(repeated)}</span>}
      </div>
      {lines.length > 0 && <Preview lines={lines} />}
    </>
  );
}

/** Adds a device for each line that is pasted; the Method of each is guessed. */
export function Many() {
  return (
    <div class="page">
      <Heading>{say.title}</Heading>
      {mayWrite.value ? <Form /> : <p>{texts.noRights}</p>}
    </div>
  );
}
