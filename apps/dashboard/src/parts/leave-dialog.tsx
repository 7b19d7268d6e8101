import { leaving } from '../store/address.ts';
import { discardUnsaved } from '../store/drafts.ts';
import { texts } from '../texts/index.ts';
import { Dialog } from './dialog.tsx';

/** The question before a form with changes is left. */
export function LeaveDialog() {
  const leave = leaving.value;
  if (leave === undefined) return null;
  const stay = () => {
    leaving.value = undefined;
  };
  const go = () => {
    stay();
    leave();
  };
  return (
    <Dialog title={texts.drafts.title} onClose={stay}>
      <p>{texts.drafts.ask}</p>
      <div class="buttons section">
        <button type="button" class="button main" autofocus onClick={stay}>
          {texts.drafts.stay}
        </button>
        <button type="button" class="button" onClick={go}>
          {texts.drafts.leave}
        </button>
        <button
          type="button"
          class="button bad"
          onClick={() => {
            discardUnsaved();
            go();
          }}
        >
          {texts.drafts.discard}
        </button>
      </div>
    </Dialog>
  );
}
