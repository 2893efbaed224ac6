/** Compiles the kernel and writes it as a module that needs no file beside it: `src/read/kernel.wasm.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const folder = dirname(fileURLToPath(import.meta.url));
const options = [
  ...["--outFile", "kernel.wasm", "--optimizeLevel", "3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
  // The layout's own places come before the kernel's data; whoever calls brings the memory.
  ...["--memoryBase", "8192", "--importMemory", "--initialMemory", "1"],
];

let code;
const { error, stderr } = await asc.main(["index.ts", ...options], {
  readFile: (name) => {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      return null; // The compiler tries several names for an import.
    }
  },
  writeFile: (_name, contents) => {
    code = contents;
  },
});
if (error) throw new Error(`Cannot compile the kernel:\n${stderr}`);

const text = Buffer.from(code).toString("base64");
writeFileSync(
  join(folder, "..", "kernel.wasm.ts"),
  `/** Made of \`kernel/\` by \`npm run build\`: WebAssembly, in Base64. */\nexport const kernelCode = "${text}";\n`,
);
