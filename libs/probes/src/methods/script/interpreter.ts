import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import type { Bridge } from './prelude/prelude.ts';
import { preludeSource } from './prelude/source.ts';
import { sentLine } from './sent-line.ts';

/** A script's run inside QuickJS; texts go in and out, nothing else. */
export interface Interpreter {
  /** Starts the script with the agent's first line. */
  begin(line: string): void;
  /** Brings an answer in. */
  deliver(line: string): void;
  /**
   * Runs what can run now, for a while. 'more': call again soon; 'waiting': for an answer; 'ended': the end was sent;
   * 'interrupted': the deadline has passed.
   */
  work(): 'more' | 'waiting' | 'ended' | 'interrupted';
}

/** The limits of a run. */
export interface InterpreterLimits {
  /** The whole of QuickJS, interpreter included, bytes; at least 16 MiB, which is its start. */
  readonly memoryBytes: number;
  /** Says that the time is over; asked often, from within running code. */
  readonly expired: () => boolean;
}

const pageBytes = 64 * 1024;
const startPages = 256;
const jobsAtOnce = 500;
/** Larger stacks overflow the WebAssembly module's own before QuickJS notices. */
const stackBytes = 64 * 1024;

/**
 * Creates an interpreter in a WebAssembly memory of its own, which cannot grow past its limit whatever the script does.
 */
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

  let over: 'ended' | 'interrupted' | undefined;
  const sender = vm.newFunction('send', (...parts) => {
    const line = sentLine(parts.map((each): unknown => vm.dump(each)));
    if (line === undefined || over) return;
    send(line);
    if (vm.dump(parts[0] ?? vm.undefined) === 'end') over = 'ended';
  });
  const bridge = vm.unwrapResult(vm.evalCode(preludeSource(), 'prelude.js'));
  const made = vm.unwrapResult(vm.callFunction(bridge, vm.undefined, sender));
  const call = (name: keyof Bridge, argument?: QuickJSHandle): QuickJSHandle => {
    using method = vm.getProp(made, name);
    return vm.unwrapResult(vm.callFunction(method, made, ...(argument ? [argument] : [])));
  };
  const callWithText = (name: keyof Bridge, text: string): QuickJSHandle => {
    using argument = vm.newString(text);
    return call(name, argument);
  };
  let main: QuickJSHandle | undefined;

  const end = (line: string): 'ended' => {
    if (!over) send(line);
    over = 'ended';
    return over;
  };
  const exhausted = () => end('{"kind":"end","how":"memory","text":""}');
  /** Tells why the script threw; a script may leave no memory even for that. */
  const endWith = (error: QuickJSHandle): 'ended' | 'interrupted' => {
    if (limits.expired()) {
      over = 'interrupted';
      return over;
    }
    try {
      call('describe', error).dispose();
      return over ?? exhausted();
    } catch {
      return exhausted();
    }
  };
  const pending = (): number => {
    using count = call('pending');
    return vm.getNumber(count);
  };

  const work = () => {
    if (over || !main) return over ?? 'waiting';
    const jobs = runtime.executePendingJobs(jobsAtOnce);
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
  /** A module that aborts (its own stack or memory gone) throws here, and must not be entered again. */
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
