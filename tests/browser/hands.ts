import type { Locator, Page } from 'playwright-core';

/** A way in which a person uses the page. */
export interface Hands {
  readonly press: (target: Locator) => Promise<void>;
  /** Ticks a box. */
  readonly tick: (target: Locator) => Promise<void>;
  /** Replaces the text of a field. */
  readonly fill: (target: Locator, text: string) => Promise<void>;
}

/** Points and clicks. */
export const pointer: Hands = {
  press: (target) => target.click(),
  tick: (target) => target.check(),
  fill: (target, text) => target.fill(text),
};

/** More presses than any screen has elements that take the focus. */
const maxTabs = 200;

/** Uses Tab, Enter, the space bar and letters only. */
export function keyboardOf({ keyboard }: Page): Hands {
  const reach = async (target: Locator) => {
    await target.waitFor();
    // To find it by its role and name once more after each Tab costs more than the Tab.
    let element = await target.elementHandle();
    for (let i = 0; i < maxTabs; i += 1) {
      const focus = await element?.evaluate((each) =>
        each.isConnected ? each === each.ownerDocument.activeElement : undefined,
      );
      if (focus === true) return;
      // It was drawn again.
      if (focus === undefined) element = await target.elementHandle();
      else await keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${target.toString()}`);
  };
  return {
    async press(target) {
      await reach(target);
      await keyboard.press('Enter');
    },
    async tick(target) {
      await reach(target);
      await keyboard.press('Space');
    },
    async fill(target, text) {
      await reach(target);
      await keyboard.press('Control+a');
      await keyboard.type(text);
    },
  };
}
