import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { removeDevice, setEnabled, startMaintenance } from '../../store/act.ts';
import { mayWrite } from '../../store/credential.ts';
import { readFacts } from '../../store/facts.ts';
import { texts } from '../../texts.ts';
import css from './devices.module.css';

const say = texts.devices;
const acts = {
  pause: (id: string) => setEnabled(id, false),
  resume: (id: string) => setEnabled(id, true),
  maintenance: (id: string) => startMaintenance(id, '01:00', ''),
  remove: removeDevice,
} as const;
type Act = keyof typeof acts;
/** What takes an act back. */
const opposite: Readonly<Partial<Record<Act, Act>>> = { pause: 'resume', resume: 'pause' };
/** Requests that run at once. */
const together = 4;

/** Does it for each; returns how many were refused. */
async function doForEach(act: Act, ids: readonly string[], onStep: (done: number) => void): Promise<number> {
  let refused = 0;
  let done = 0;
  const waiting = [...ids];
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await acts[act](id).catch(() => {
        refused += 1;
      });
      done += 1;
      onStep(done);
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  await readFacts();
  return refused;
}

/** Says what will happen, with the number in the button. */
function Ask({
  act,
  count,
  onRun,
  onClose,
}: {
  readonly act: Act;
  readonly count: number;
  readonly onRun: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={say.act[act](count)} onClose={onClose}>
      <p>{say.ask[act](count)}</p>
      <div class={`buttons ${css['choice']}`}>
        <button type="button" class={act === 'remove' ? 'button bad' : 'button main'} onClick={onRun}>
          {say.act[act](count)}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {say.cancel}
        </button>
      </div>
    </Dialog>
  );
}

/** What can be done with all selected devices: first the sentence, then the button with the number in it, then undo. */
export function SelectionBar({
  ids,
  onClear,
}: {
  readonly ids: readonly string[];
  readonly onClear: () => void;
}) {
  const [asked, setAsked] = useState<Act>();
  const [said, setSaid] = useState<string>();
  const [undo, setUndo] = useState<{ readonly act: Act; readonly ids: readonly string[] }>();
  const run = async (act: Act, of: readonly string[]) => {
    setAsked(undefined);
    setUndo(undefined);
    const refused = await doForEach(act, of, (done) => setSaid(say.changing(done, of.length)));
    setSaid(say.done(of.length - refused, refused));
    const back = opposite[act];
    if (back !== undefined) {
      setUndo({ act: back, ids: of });
      setTimeout(() => setUndo(undefined), 10_000);
    }
    if (act === 'remove') onClear();
  };
  const shown: readonly Act[] = mayWrite.value
    ? ['maintenance', 'pause', 'resume', 'remove']
    : ['maintenance'];
  return (
    <section class={css['selection']} aria-label={say.selected(ids.length)}>
      <b role="status">{said ?? say.selected(ids.length)}</b>
      {undo !== undefined && (
        <button type="button" class="button" onClick={() => void run(undo.act, undo.ids)}>
          {say.undo}
        </button>
      )}
      {shown.map((act) => (
        <button key={act} type="button" class="button" onClick={() => setAsked(act)}>
          {say[act]}
        </button>
      ))}
      <button type="button" class={css['clear']} onClick={onClear}>
        {say.clear}
      </button>
      {asked !== undefined && (
        <Ask
          act={asked}
          count={ids.length}
          onRun={() => void run(asked, ids)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}
