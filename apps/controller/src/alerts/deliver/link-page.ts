import { formPage } from '@vantage/rest-kit/form-page';
import type { LinkAction } from './links.ts';

/** An action that a page has a button for. */
type FormAction = Exclude<LinkAction, 'details'>;

/** The content of a page. */
export interface LinkPage {
  readonly title: string;
  /** The message that the link came with, line by line. */
  readonly lines: readonly string[];
  /** The form of the page; null: there is nothing to do. */
  readonly action: FormAction | null;
}

/** The lengths of a snooze, in minutes. */
export const snoozeMinutes = [30, 60, 240, 480, 1_440] as const;
export const maxNoteLength = 500;

/** The page as HTML. */
export function showPage({ title, lines, action }: LinkPage): string {
  return formPage({ title, lines, fields: action === null ? null : fieldOf(action) });
}

function fieldOf(action: FormAction): string {
  if (action !== 'snooze')
    return `<label for="note">Note (optional)</label><input id="note" name="Note" maxlength="${maxNoteLength}" autocomplete="off"><button>${action === 'acknowledge' ? 'Acknowledge' : 'Acknowledge all'}</button>`;
  const options = snoozeMinutes.map((minutes) => {
    const words = minutes < 60 ? `${minutes} minutes` : minutes === 60 ? '1 hour' : `${minutes / 60} hours`;
    return `<option value="${minutes}"${minutes === 60 ? ' selected' : ''}>${words}</option>`;
  });
  return `<label for="minutes">For</label><select id="minutes" name="Minutes">${options.join('')}</select><br><button>Snooze</button>`;
}
