import { useState } from 'preact/hooks';
import { formTexts } from '../texts/form-texts.ts';
import css from './copy-line.module.css';

/** A text with a button that copies it. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <div>
      <div class={css['head']}>
        <span class="label">{label}</span>
        <button type="button" class="button" onClick={copy}>
          {isCopied ? formTexts.copied : formTexts.copy}
          <span class="hidden"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
      <pre class={css['line']} tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
