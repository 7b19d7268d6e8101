import type { Schemas } from '@vantage/client';
import { useState } from 'preact/hooks';
import { curlText, yamlText } from '../model/device-text.ts';
import { mayWrite } from '../store/credential.ts';
import { deviceWords } from '../texts/device-words.ts';
import { formTexts } from '../texts/form-texts.ts';
import { CopyLine } from './copy-line.tsx';
import { Dialog } from './dialog.tsx';

/** A link that duplicates a device, and a button that shows its settings as a request and as an apply file. */
export function DeviceCopies({ device }: { readonly device: Schemas['Device'] }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const say = deviceWords.copies;
  return (
    <>
      {mayWrite.value && (
        <a class="button" href={`/devices/new?from=${device.device_id}`}>
          {say.duplicate}
        </a>
      )}
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {say.copyAs}
      </button>
      {isOpen && (
        <Dialog title={say.title(device.FullName ?? device.ShortName)} onClose={close} isWide>
          <CopyLine text={yamlText(device)} label={say.yaml} />
          <p class="hint">{say.yamlHint}</p>
          <div class="section">
            <CopyLine text={curlText(device, location.origin)} label={say.curl} />
          </div>
          <p class="hint">{say.secretsHint}</p>
          <div class="buttons section">
            <button type="button" class="button" onClick={close}>
              {formTexts.close}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
