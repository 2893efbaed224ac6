/**
 * Joins the compiled command, the thread that reads files, and the packages that both need into few files: a command that is run often should not look for two
 * hundred. Libraries import the single files. Run by `npm run build`, over `dist/`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["dist/cli/main.js", "dist/scan/worker.js"],
  outbase: "dist",
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // What users install themselves, if they want it.
  external: Object.keys(peerDependencies ?? {}),
  banner: {
    js: 'import { createRequire as bundleRequire } from "node:module";\nconst require = bundleRequire(import.meta.url);',
  },
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const [, name] = /^node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(input) ?? [];
  if (name) packages.add(name.replace(sep, "/"));
}
const licences = [...packages].sort().map((name) => `${name}\n\n${readLicence(join(root, "node_modules", name))}`);
writeFileSync(join(root, "dist", "THIRD-PARTY-LICENSES.txt"), licences.join(`\n${"-".repeat(78)}\n\n`));

function readLicence(folder) {
  for (const name of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "LICENCE", "README.md"]) {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      // Packages spell the name differently; the README names the licence where nothing else does.
    }
  }
  throw new Error(`Cannot bundle "${folder}": it has no licence`);
}
