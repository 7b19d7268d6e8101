/** The part of the WebAssembly API used here; neither es2024 nor Node's types declare it. */
declare namespace WebAssembly {
  class Memory {
    /** Sizes in pages of 64 KiB. */
    constructor(size: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
  }
}
