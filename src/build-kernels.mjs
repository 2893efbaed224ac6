/** Compiles the kernels and writes each as a module that needs no file beside it: `kernel/` as `kernel.wasm.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const source = dirname(fileURLToPath(import.meta.url));
const options = [
  ...["--outFile", "kernel.wasm", "--optimizeLevel", "3", "--noAssert", "--runtime", "stub", "--enable", "simd"],
  // A layout's own places come before its kernel's data; whoever calls brings the memory.
  ...["--memoryBase", "8192", "--importMemory", "--initialMemory", "1"],
];

for (const room of ["read", "report"]) await compile(join(source, room));

async function compile(folder) {
  let code;
  const { error, stderr } = await asc.main(["index.ts", ...options], {
    readFile: (name) => {
      try {
        return readFileSync(join(folder, "kernel", name), "utf8");
      } catch {
        return null; // The compiler tries several names for an import.
      }
    },
    writeFile: (_name, contents) => {
      code = contents;
    },
  });
  if (error) throw new Error(`Cannot compile the kernel in "${folder}":\n${stderr}`);
  writeFileSync(
    join(folder, "kernel.wasm.ts"),
    `/** Made of \`kernel/\` by \`npm run build\`: WebAssembly, in Base64. */\nexport const kernelCode = "${Buffer.from(code).toString("base64")}";\n`,
  );
}
