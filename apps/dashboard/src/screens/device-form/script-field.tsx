import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DeviceField } from './device-field.tsx';
import css from './device-form.module.css';
import { deviceFormTexts as say } from './device-form-texts.ts';
import type { ScriptEditorProps } from './script-editor.tsx';

/** The editor of a script. It is loaded when it is first shown; until then a plain field has its text. */
export function ScriptField({
  problem,
  ...props
}: Omit<ScriptEditorProps, 'field'> & { readonly problem: string | undefined }) {
  const [Editor, setEditor] = useState<ComponentType<ScriptEditorProps>>();
  useEffect(() => {
    let isShown = true;
    // Without the editor the plain field stays.
    import('./script-editor.tsx').then(
      (loaded) => isShown && setEditor(() => loaded.ScriptEditor),
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, []);
  return (
    <DeviceField field="URL" words={say.script} problem={problem} hint={say.scriptHint}>
      {(field) =>
        Editor === undefined ? (
          <textarea
            {...field}
            class={css['plainScript']}
            rows={16}
            value={props.text}
            onInput={({ currentTarget }) => props.onText(currentTarget.value)}
          />
        ) : (
          <Editor {...props} field={field} />
        )
      }
    </DeviceField>
  );
}
