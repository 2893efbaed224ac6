/** What is used of WebAssembly, whose types come with those of a browser alone. */
declare namespace WebAssembly {
  class Module {
    constructor(code: Uint8Array);
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
    constructor(size: { initial: number; maximum: number });
  }
  class Instance {
    readonly exports: Record<string, unknown>;
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
  }
}
