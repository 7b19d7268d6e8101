import { useState } from 'preact/hooks';
import { saveFile } from '../../parts/save-file.ts';
import { alertsTexts } from './alerts-texts.ts';

const say = alertsTexts.export;

/** Copies the story of an alert as text, or saves it as a file. */
export function StoryExport({ text, name }: { readonly text: () => string; readonly name: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      // Without access to the clipboard, the file has the text.
      () => saveFile(text(), name, 'text/plain'),
    );
  return (
    <p class="buttons">
      <button type="button" class="button" onClick={() => void copy()}>
        {isCopied ? say.copied : say.copy}
      </button>
      <button type="button" class="button" onClick={() => saveFile(text(), name, 'text/plain')}>
        {say.save}
      </button>
    </p>
  );
}
