import { useMemo, useState } from 'preact/hooks';
import type { ListedSettings } from '../../model/apply-file.ts';
import { type LinePlan, planLines } from '../../model/import-plan.ts';
import { type ImportedLine, undoOfImport } from '../../model/import-undo.ts';
import { type Pasted, parsePasted } from '../../model/paste-many.ts';
import { FormRefusal } from '../../parts/form-end.tsx';
import { Heading } from '../../parts/heading.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { ScrollSection } from '../../parts/scroll-section.tsx';
import { KeptNotice, useDraft } from '../../parts/use-draft.tsx';
import { go, listAddress } from '../../store/address.ts';
import { type BatchOperation, runBatches } from '../../store/batch.ts';
import { mayWrite } from '../../store/credential.ts';
import { deviceSettings, settingsProblem, useDeviceSettings } from '../../store/device-settings.ts';
import { createDrafts } from '../../store/drafts.ts';
import { createTags } from '../../store/tags.ts';
import { offerUndo } from '../../store/undo.ts';
import { andMore } from '../../texts/counted.ts';
import { deviceWords } from '../../texts/device-words.ts';
import { formTexts } from '../../texts/form-texts.ts';
import css from './add-many.module.css';
import { addManyTexts } from './add-many-texts.ts';
import { deviceFormTexts } from './device-form-texts.ts';
import { ImportFiles, type Tool } from './import-files.tsx';
import { importTexts } from './import-texts.ts';

const say = addManyTexts;
/** The maximum number of rows in the preview. */
const shownLines = 200;
const shownRefusals = 20;
const maxFileBytes = 4_000_000;

/** A line with a key creates its device or changes it; the others create one. */
function operationOf({ body }: LinePlan): BatchOperation {
  const ExternalKey = body['ExternalKey'];
  return typeof ExternalKey === 'string'
    ? { Method: 'PUT', Path: `/devices?ExternalKey=${encodeURIComponent(ExternalKey)}`, Body: body }
    : { Method: 'POST', Path: '/devices', Body: body };
}

function PastePreview({ plans }: { readonly plans: readonly LinePlan[] }) {
  return (
    <ScrollSection label={say.preview} class={`scroll ${css['preview']}`}>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{say.plan}</th>
            <th scope="col">{deviceFormTexts.method}</th>
            <th scope="col">URL</th>
            <th scope="col">{deviceFormTexts.fullName}</th>
            <th scope="col">{deviceFormTexts.tags}</th>
            <th scope="col">{say.notes}</th>
          </tr>
        </thead>
        <tbody>
          {plans.slice(0, shownLines).map(({ line: { body, notes, text }, kind, fields }) => (
            <tr key={text}>
              <td data-label={say.plan}>{say.kinds[kind](fields)}</td>
              <td data-label={deviceFormTexts.method}>{body.Method}</td>
              <td data-label="URL">{body.URL}</td>
              <td data-label={deviceFormTexts.fullName}>
                <bdi>{body.FullName}</bdi>
              </td>
              <td data-label={body.Tags.length > 0 ? deviceFormTexts.tags : undefined}>
                {body.Tags.join(', ')}
              </td>
              <td data-label={notes.length > 0 ? say.notes : undefined}>{notes.join('; ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {plans.length > shownLines && <p class="hint">{andMore(plans.length - shownLines)}</p>}
    </ScrollSection>
  );
}

/** The parts of the text that are not taken over. */
function ImportReport({ pasted }: { readonly pasted: Pasted }) {
  const { repeated, unread, ignored, refused } = pasted;
  const words = [
    repeated > 0 ? say.repeated(repeated) : '',
    unread > 0 ? say.unread(unread) : '',
    ignored.length > 0 ? say.ignored(ignored) : '',
    ...refused.slice(0, shownRefusals).map(({ text, reason }) => say.rowWithout(text, reason)),
    refused.length > shownRefusals ? andMore(refused.length - shownRefusals) : '',
  ].filter((line) => line !== '');
  return (
    <ul>
      {words.map((line) => (
        <li key={line} class="hint">
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The lines that the API refused. They stay in the field. */
interface RefusedLines {
  readonly added: number;
  /** The lines that were carried out, with their devices. */
  readonly imported: readonly ImportedLine[];
  readonly lines: readonly { readonly text: string; readonly reason: string }[];
}

function RefusedList({ refused: { added, lines } }: { readonly refused: RefusedLines }) {
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

const idIn = (body: unknown): string | undefined =>
  body !== null && typeof body === 'object' && 'device_id' in body ? String(body.device_id) : undefined;

/** Offers to delete what was added, and to restore what was changed. */
function offerImportUndo(
  imported: readonly ImportedLine[],
  before: ReadonlyMap<string, ListedSettings>,
): void {
  if (imported.length === 0) return;
  const { requests, kept } = undoOfImport(imported, before);
  offerUndo(importTexts.undo(imported.length), async () => {
    const { refusals } = await runBatches(requests, () => {});
    const [first] = refusals;
    if (first !== undefined) throw new Error(first.reason);
    if (kept > 0) throw new Error(importTexts.undoKept(kept));
  });
}

/** Adds the device of each line. Resolves with the lines that the API refused. */
async function addAll(plans: readonly LinePlan[], onStep: (tried: number) => void): Promise<RefusedLines> {
  await createTags([...new Set(plans.flatMap(({ line }) => line.body.Tags))]);
  const { done, bodies, refusals } = await runBatches(plans.map(operationOf), onStep);
  const imported = done.flatMap((at, place) => {
    const plan = plans[at];
    const device_id = idIn(bodies[place]);
    return plan === undefined || device_id === undefined ? [] : [{ plan, device_id }];
  });
  return {
    added: done.length,
    imported,
    lines: refusals.map(({ at, reason }) => ({ text: plans[at]?.line.text ?? '', reason })),
  };
}

/** Reads a file into the field. */
function FileField({ onText }: { readonly onText: (text: string) => void }) {
  const [problem, setProblem] = useState<string>();
  const choose = (file: File | undefined) => {
    setProblem(undefined);
    if (file === undefined) return;
    if (file.size > maxFileBytes) setProblem(say.tooLong);
    else file.text().then(onText, (error: unknown) => setProblem(problemWords(error)));
  };
  return (
    <label>
      <span class="label">{say.file}</span>
      <input
        type="file"
        accept=".csv,.tsv,.txt,.json"
        onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
      />
      {problem !== undefined && (
        <span class="hint bad" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

const tools = Object.keys(importTexts.tools) as readonly Tool[];
const drafts = createDrafts<{ readonly text: string }>();

function PasteForm() {
  const form = useDraft(drafts, 'many', { text: '' });
  const { text } = form.draft;
  const [tried, setTried] = useState<number>();
  const [refused, setRefused] = useState<RefusedLines>();
  const [problem, setProblem] = useState<unknown>();
  const [tool, setTool] = useState<Tool>();
  const pasted = useMemo(() => parsePasted(text), [text]);
  const hasKeys = pasted.lines.some(({ body }) => body['ExternalKey'] !== undefined);
  useDeviceSettings(hasKeys);
  const isPlanned = !hasKeys || deviceSettings.value !== undefined;
  const plans = planLines(pasted.lines, hasKeys ? (deviceSettings.value?.values() ?? []) : []);
  const lines = plans.filter(({ kind }) => kind !== 'same');
  const changes = lines.filter(({ kind }) => kind === 'changed').length;
  const add = async () => {
    setTried(0);
    setProblem(undefined);
    // Before the import: its undo restores the present settings.
    const before = deviceSettings.value ?? new Map();
    try {
      const rest = await addAll(lines, setTried);
      setRefused(rest);
      offerImportUndo(rest.imported, before);
      if (rest.lines.length === 0) {
        form.saved({ text: '' });
        go('/devices?q=sort:since');
      } else form.set({ text: pasted.textOf(rest.lines.map((line) => line.text)) });
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
      <label class={css['from']}>
        <span class="label">{importTexts.from}</span>
        <select
          value={tool ?? ''}
          onChange={({ currentTarget }) => setTool(tools.find((each) => each === currentTarget.value))}
        >
          <option value="">{importTexts.table}</option>
          {tools.map((each) => (
            <option key={each} value={each}>
              {importTexts.tools[each]}
            </option>
          ))}
        </select>
      </label>
      {tool === undefined ? (
        <FileField onText={(next) => form.set({ text: next })} />
      ) : (
        <ImportFiles key={tool} tool={tool} onText={(next) => form.set({ text: next })} />
      )}
      {refused !== undefined && refused.lines.length > 0 && <RefusedList refused={refused} />}
      <FormRefusal words={problem === undefined ? undefined : problemWords(problem)} />
      <div class={`buttons ${css['acts']}`}>
        <button
          type="button"
          class="button main"
          disabled={lines.length === 0 || tried !== undefined || !isPlanned}
          onClick={() => void add()}
        >
          {tried === undefined ? say.add(lines.length - changes, changes) : say.adding(tried, lines.length)}
        </button>
        <a class="button" href={listAddress.value}>
          {formTexts.cancel}
        </a>
      </div>
      {settingsProblem.value !== undefined && hasKeys && (
        <p class="hint bad">{problemWords(settingsProblem.value)}</p>
      )}
      <ImportReport pasted={pasted} />
      {plans.length > 0 && isPlanned && <PastePreview plans={plans} />}
    </>
  );
}

/** Adds a device for each pasted line. A line is an address, a row of a table, or a device of a file. */
export function AddManyScreen() {
  return (
    <div class="page">
      <Heading>{deviceWords.addMany}</Heading>
      {mayWrite.value ? <PasteForm /> : <p>{deviceWords.noRights}</p>}
    </div>
  );
}
