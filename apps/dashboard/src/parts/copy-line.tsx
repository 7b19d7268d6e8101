import { useState } from 'preact/hooks';
import { texts } from '../texts/index.ts';
import css from './copy-line.module.css';

/** A text that somebody takes elsewhere, with the button that copies it. */
export function CopyLine({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <div>
      <div class={css['head']}>
        <span class="label">{label}</span>
        <button type="button" class="button" onClick={copy}>
          {isCopied ? texts.locations.copied : texts.locations.copy}
          <span class="hidden"> {label}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <pre class={css['line']} tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}
