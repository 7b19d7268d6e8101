import { leaving } from '../store/address.ts';
import { discardUnsaved } from '../store/drafts.ts';
import { formTexts } from '../texts/form-texts.ts';
import { Dialog } from './dialog.tsx';

/** Asks before a form with unsaved changes is left. */
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
    <Dialog title={formTexts.drafts.title} onClose={stay}>
      <p>{formTexts.drafts.ask}</p>
      <div class="buttons section">
        <button type="button" class="button main" autofocus onClick={stay}>
          {formTexts.drafts.stay}
        </button>
        <button type="button" class="button" onClick={go}>
          {formTexts.drafts.leave}
        </button>
        <button
          type="button"
          class="button bad"
          onClick={() => {
            discardUnsaved();
            go();
          }}
        >
          {formTexts.drafts.discard}
        </button>
      </div>
    </Dialog>
  );
}
