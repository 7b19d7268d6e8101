import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import type { Bridge } from './prelude/prelude.ts';
import { preludeSource } from './prelude/source.ts';
import { sentLine } from './sent-line.ts';

/** A script inside QuickJS. Only texts go in and out. */
export interface Interpreter {
  /** Starts the script by the agent's first line. */
  begin(line: string): void;
  /** Passes an answer to the script. */
  deliver(line: string): void;
  /**
   * Runs pending jobs for a short time. 'more': there are more jobs; 'waiting': the script waits for an answer;
   * 'ended': the end was sent; 'interrupted': the deadline has passed.
   */
  work(): 'more' | 'waiting' | 'ended' | 'interrupted';
}

export interface InterpreterLimits {
  /** The memory of QuickJS, including the interpreter, bytes; at least its initial 16 MiB. */
  readonly memoryBytes: number;
  /** Whether the deadline has passed. Called often, while code runs. */
  readonly expired: () => boolean;
}

const pageBytes = 64 * 1024;
const startPages = 256;
const maxJobs = 500;
/** A larger stack overflows that of the WebAssembly module before QuickJS notices. */
const stackBytes = 64 * 1024;

/** Creates an interpreter with a separate WebAssembly memory, which cannot grow past its limit. */
export async function createInterpreter(
  limits: InterpreterLimits,
  send: (line: string) => void,
): Promise<Interpreter> {
  const wasmMemory = new WebAssembly.Memory({
    initial: startPages,
    maximum: Math.max(startPages, Math.floor(limits.memoryBytes / pageBytes)),
  });
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }));
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  runtime.setInterruptHandler(limits.expired);
  const vm = runtime.newContext();

  let ending: 'ended' | 'interrupted' | undefined;
  const sender = vm.newFunction('send', (...parts) => {
    const line = sentLine(parts.map((part): unknown => vm.dump(part)));
    if (line === undefined || ending) return;
    send(line);
    if (vm.dump(parts[0] ?? vm.undefined) === 'end') ending = 'ended';
  });
  const bridge = vm.unwrapResult(vm.evalCode(preludeSource(), 'prelude.js'));
  const instance = vm.unwrapResult(vm.callFunction(bridge, vm.undefined, sender));
  const call = (name: keyof Bridge, argument?: QuickJSHandle): QuickJSHandle => {
    using method = vm.getProp(instance, name);
    return vm.unwrapResult(vm.callFunction(method, instance, ...(argument ? [argument] : [])));
  };
  const callWithText = (name: keyof Bridge, text: string): QuickJSHandle => {
    using argument = vm.newString(text);
    return call(name, argument);
  };
  let main: QuickJSHandle | undefined;

  const end = (line: string): 'ended' => {
    if (!ending) send(line);
    ending = 'ended';
    return ending;
  };
  const exhausted = () => end('{"kind":"end","how":"memory","text":""}');
  /** Sends the error that the script threw. There may be too little memory left for that. */
  const endWith = (error: QuickJSHandle): 'ended' | 'interrupted' => {
    if (limits.expired()) {
      ending = 'interrupted';
      return ending;
    }
    try {
      call('describe', error).dispose();
      return ending ?? exhausted();
    } catch {
      return exhausted();
    }
  };
  const pending = (): number => {
    using count = call('pending');
    return vm.getNumber(count);
  };

  const work = () => {
    if (ending || !main) return ending ?? 'waiting';
    const jobs = runtime.executePendingJobs(maxJobs);
    if (jobs.error) return endWith(jobs.error);
    const state = vm.getPromiseState(main);
    switch (state.type) {
      case 'fulfilled':
        return end('{"kind":"end","how":"done","text":""}');
      case 'rejected':
        return endWith(state.error);
      case 'pending':
        if (limits.expired()) return 'interrupted';
        if (runtime.hasPendingJob()) return 'more';
        if (pending() > 0) return 'waiting';
        return end(
          '{"kind":"end","how":"error","text":"the script waits for a promise that nothing will settle"}',
        );
    }
  };
  /** A module that aborts, without stack or memory, throws here and must not be entered again. */
  const guarded = <T>(action: () => T): T | 'ended' => {
    try {
      return action();
    } catch {
      return exhausted();
    }
  };

  return {
    begin(line) {
      guarded(() => {
        using text = callWithText('begin', line);
        const started = vm.evalCode(vm.getString(text), 'script.js', { type: 'module' });
        if (started.error) endWith(started.error);
        else main = started.value;
      });
    },
    deliver(line) {
      guarded(() => callWithText('deliver', line).dispose());
    },
    work: () => guarded(work),
  };
}
