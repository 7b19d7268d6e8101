import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { lineByLine } from '../../model/paste-many.ts';
import { FormField } from '../../parts/form-field.tsx';
import { LineField } from '../../parts/line-field.tsx';
import { problemWords } from '../../parts/problem-words.ts';
import { api, take } from '../../store/api.ts';
import css from './add-many.module.css';
import { ImportReportParts } from './import-report-parts.tsx';
import { ImportSecrets } from './import-secrets.tsx';
import { importTexts as say } from './import-texts.ts';

/** The tools whose files the API reads. */
export type Tool = keyof typeof say.tools;
type Plan = Schemas['ImportPlan'];

const maxBytes = 900_000;
const maxFiles = 50;
const sqlite = 'SQLite format 3';

/** A reason why the files cannot be sent, for the person. */
class UnusableFiles extends Error {}

const isDatabase = async (file: File) => (await file.slice(0, sqlite.length).text()) === sqlite;

/** The backup that a database of Uptime Kuma corresponds to. Only the pages of its small tables are read. */
async function readDatabase(file: File): Promise<{ readonly Name: string; readonly Text: string }> {
  const { openSqlite } = await import('../../model/sqlite-file.ts');
  const { kumaBackupOf } = await import('../../model/kuma-database.ts');
  try {
    const read = async (offset: number, length: number) =>
      new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
    const Text = await kumaBackupOf(await openSqlite(read));
    if (Text.length > maxBytes) throw new UnusableFiles(say.tooLong(Text.length));
    return { Name: file.name.slice(0, 255), Text };
  } catch (error) {
    throw error instanceof UnusableFiles ? error : new UnusableFiles(say.database(problemWords(error)));
  }
}

/** The texts of the files. Throws where they are too large, or no text. */
async function readTexts(
  files: readonly File[],
): Promise<{ readonly Name: string; readonly Text: string }[]> {
  if (files.length > maxFiles) throw new UnusableFiles(say.tooMany(files.length));
  const [first] = files;
  if (first !== undefined && (await isDatabase(first))) return [await readDatabase(first)];
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxBytes) throw new UnusableFiles(say.tooLong(bytes));
  return Promise.all(
    files.map(async (file) => {
      try {
        const Text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
        return { Name: file.name.slice(0, 255), Text };
      } catch {
        throw new UnusableFiles(say.noText(file.name));
      }
    }),
  );
}

const filesOf = (input: HTMLInputElement) => [...(input.files ?? [])];

/** Reads the files of a tool by the API, and shows everything that is not taken over as it was. */
export function ImportFiles({
  tool,
  onText,
}: {
  readonly tool: Tool;
  /** Gets the apply file of the devices. */
  readonly onText: (text: string) => void;
}) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [modules, setModules] = useState<readonly File[]>([]);
  const [module, setModule] = useState('');
  const [plan, setPlan] = useState<Plan>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    setProblem(undefined);
    setPlan(undefined);
    try {
      const [Files, [own]] = await Promise.all([readTexts(files), readTexts(modules)]);
      const planned = await take(
        api.POST('/imports/plan', {
          body: {
            Format: tool,
            Files,
            ...(own === undefined ? {} : { Modules: own.Text }),
            ...(module.trim() === '' ? {} : { Module: module.trim() }),
          },
        }),
      );
      setPlan(planned);
      onText(lineByLine(planned.File));
    } catch (error) {
      setProblem(error instanceof UnusableFiles ? error.message : problemWords(error));
    }
    setBusy(false);
  };
  return (
    <div class={css['import']}>
      <FormField name={say.files} problem={problem} hint={say.hints[tool]}>
        {(id, hintId) => (
          <input
            id={id}
            type="file"
            multiple
            aria-describedby={hintId}
            onChange={({ currentTarget }) => setFiles(filesOf(currentTarget))}
          />
        )}
      </FormField>
      {tool === 'prometheus' && (
        <>
          <FormField name={say.modules} problem={undefined}>
            {(id) => (
              <input
                id={id}
                type="file"
                onChange={({ currentTarget }) => setModules(filesOf(currentTarget))}
              />
            )}
          </FormField>
          <LineField name={say.module} problem={undefined} value={module} onInput={setModule} />
        </>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button"
          disabled={files.length === 0 || isBusy}
          onClick={() => void read()}
        >
          {isBusy ? say.reading : say.read}
        </button>
      </div>
      {plan !== undefined && (
        <>
          <p role="status">
            <b>
              {say.outcome(plan.Read, plan.Things, plan.Devices, plan.Became.length, plan.Refused.length)}
            </b>{' '}
            {plan.Devices > 0 && say.next}
          </p>
          <ImportReportParts plan={plan} />
          {plan.Secrets.length > 0 && <ImportSecrets secrets={plan.Secrets} />}
        </>
      )}
    </div>
  );
}
